//! Threads for what is too long for an async thread: one pool for light work, one for heavy work, or none.

use std::io;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::settings::Settings;

/// How far the threads for heavy boards stand back in favour of all others. At 19 a core shared with one of them is
/// left to the other side for 98 % of the time.
#[cfg(target_os = "linux")]
pub(super) const HEAVY_NICE: i32 = 19;

/// Where long work is done.
pub(super) enum Pools {
    /// On threads of its own.
    Threads { light: ThreadPool, heavy: ThreadPool },
    /// On the thread that asks for it: there are no others.
    InPlace,
}

impl Pools {
    /// A pool for light work, and one for heavy work.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub(super) fn new(settings: &Settings) -> io::Result<Pools> {
        if settings.workers == 0 {
            return Ok(Pools::InPlace);
        }
        let pool = |name: &'static str, threads: usize| {
            ThreadPoolBuilder::new().num_threads(threads).thread_name(move |index| format!("{name}-{index}"))
        };
        let light = pool("light", settings.workers).build().map_err(io::Error::other)?;
        let mut heavy = pool("heavy", settings.heavy_threads());
        if settings.heavy_in_background {
            heavy = heavy.start_handler(|_| stand_back());
        }
        Ok(Pools::Threads { light, heavy: heavy.build().map_err(io::Error::other)? })
    }

    /// Whether work is done before `start` returns.
    pub(super) fn are_in_place(&self) -> bool {
        matches!(self, Pools::InPlace)
    }

    /// Has every thread do something once it is free.
    pub(super) fn on_each(&self, work: fn()) {
        if let Pools::Threads { light, heavy } = self {
            light.spawn_broadcast(move |_| work());
            heavy.spawn_broadcast(move |_| work());
        }
    }

    /// Starts some work.
    pub(super) fn start(&self, is_heavy: bool, work: impl FnOnce() + Send + 'static) {
        match self {
            Pools::Threads { heavy, .. } if is_heavy => heavy.spawn_fifo(work),
            Pools::Threads { light, .. } => light.spawn_fifo(work),
            Pools::InPlace => work(),
        }
    }
}

/// Lowers the priority of this thread. Where that is not a thread's own matter (macOS), nothing is done.
fn stand_back() {
    #[cfg(target_os = "linux")]
    {
        let thread = rustix::thread::gettid();
        if let Err(error) = rustix::process::setpriority_process(Some(thread), HEAVY_NICE) {
            tracing::debug!(%error, "heavy boards run at normal priority");
        }
    }
}
