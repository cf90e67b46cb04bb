//! Signals that end a process: the run ends, half files go, and the exit code says which it was.

use std::future::poll_fn;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Poll;
use std::time::Duration;

use rustix::process::Signal;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::exit::{self, Failure};
use super::messages;

/// A run that does not end by itself after a signal (a write to a pipe that nobody reads) is left where it stands.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is sent to end a process: by terminals, shells, schedulers, and for too much time.
const ENDING: [Signal; 8] =
    [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::ALARM, Signal::USR1, Signal::USR2, Signal::XCPU];

/// The signals that whoever started this process told it to ignore (`nohup`, a shell's `&`): bit n - 1 is signal n.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Watches for these signals, from now on; those that were ignored stay so.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    code: Arc<AtomicU8>,
    came: CancellationToken,
}

impl Signals {
    /// Starts to watch, on the current runtime. One of a single thread cannot watch while it reads or solves: there a signal
    /// ends the process as it ends others.
    pub(crate) fn watch() -> Result<Signals, Failure> {
        let failed = |error| Failure::new(exit::INTERNAL, format_args!("sprague: signals cannot be watched: {error}"));
        let signals = Signals { code: Arc::default(), came: CancellationToken::new() };
        // With a handler, a write that makes a file longer than allowed (ulimit -f) fails and does not end the process.
        drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map_err(failed)?);
        if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
            return Ok(signals);
        }
        let ignored = ignored();
        let watched = ENDING.map(Signal::as_raw).into_iter().filter(|number| ignored >> (number - 1) & 1 == 0);
        let watched = watched.map(|number| Ok((number, signal(SignalKind::from_raw(number))?)));
        let mut watched = watched.collect::<io::Result<Vec<_>>>().map_err(failed)?;
        let first = signals.clone();
        tokio::spawn(async move {
            let number = poll_fn(|context| {
                let came = watched
                    .iter_mut()
                    .find_map(|(number, signal)| signal.poll_recv(context).is_ready().then_some(*number));
                came.map_or(Poll::Pending, Poll::Ready)
            });
            let code = 128 + number.await as u8;
            first.code.store(code, Ordering::Release);
            first.came.cancel();
            tokio::time::sleep(PATIENCE).await;
            messages::finish();
            std::process::exit(code.into());
        });
        Ok(signals)
    }

    /// The exit code of the signal that came, if one did.
    pub(crate) fn code(&self) -> Option<u8> {
        Some(self.code.load(Ordering::Acquire)).filter(|&code| code != 0)
    }

    /// A text that cannot be read any further once a signal came.
    pub(crate) fn until<R: Read>(&self, text: R) -> Until<R> {
        Until { text, signals: self.clone() }
    }

    /// Waits for a signal.
    pub(crate) async fn came(&self) {
        self.came.cancelled().await;
    }
}

/// A text with an end that a signal sets.
pub(crate) struct Until<R> {
    text: R,
    signals: Signals,
}

impl<R: Read> Read for Until<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.signals.code().is_some() {
            return Err(io::Error::other("interrupted"));
        }
        self.text.read(buffer)
    }
}
