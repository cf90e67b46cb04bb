//! What the system lets a process have: threads and descriptors, asked for before anything depends on them.

use std::fs::{self, File};
use std::io;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// Address space of a process without further threads, and of each thread: the allocator takes it by 32 MiB and more.
const PROCESS_SPACE: u64 = 256 << 20;
const THREAD_SPACE: u64 = 128 << 20;
/// Threads that ended are still counted for a moment, seldom as long as this.
const ENDING: Duration = Duration::from_millis(100);

/// A limit that is too low, and what to set it to.
#[derive(Debug, thiserror::Error)]
#[error("the limit of {what} (ulimit {flag}) is {is}: set it to {least} or more{}", why.as_deref().unwrap_or_default())]
pub struct TooLow {
    what: &'static str,
    flag: &'static str,
    is: u64,
    least: u64,
    why: Option<String>,
}

fn current(resource: Resource) -> u64 {
    getrlimit(resource).current.unwrap_or(u64::MAX)
}

/// Makes sure that so many threads can be started, by starting them.
///
/// # Errors
/// The limit that is in the way.
pub fn need_threads(threads: usize) -> Result<(), TooLow> {
    let why = Some(format!(", for {threads} threads"));
    let needed = PROCESS_SPACE + THREAD_SPACE * threads as u64;
    for (flag, resource) in [("-v", Resource::As), ("-d", Resource::Data)] {
        if current(resource) < needed {
            // The shell counts in KiB.
            return Err(TooLow { what: "memory", flag, is: current(resource) >> 10, least: needed >> 10, why });
        }
    }
    let gate = Mutex::new(());
    let are_started = thread::scope(|scope| {
        let closed = gate.lock();
        let pass = || drop(gate.lock());
        let are_started = (0..threads).all(|_| thread::Builder::new().spawn_scoped(scope, pass).is_ok());
        drop(closed);
        are_started
    });
    let begun = Instant::now();
    while fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1) && begun.elapsed() < ENDING {
        thread::yield_now();
    }
    let is = current(Resource::Nproc);
    // Other processes of the same user count as well.
    let least = (threads as u64 + 1).max(is.saturating_add(1));
    if are_started { Ok(()) } else { Err(TooLow { what: "processes", flag: "-u", is, least, why }) }
}

/// Makes sure that so many more descriptors can be opened.
///
/// # Errors
/// The limit that is in the way.
pub fn need_descriptors(number: usize) -> Result<(), TooLow> {
    let opened: io::Result<Vec<File>> = (0..number).map(|_| File::open("/dev/null")).collect();
    match opened {
        Err(error) if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            let least = (number as u64 + 8).max(32);
            Err(TooLow { what: "open files", flag: "-n", is: current(Resource::Nofile), least, why: None })
        }
        _ => Ok(()),
    }
}
