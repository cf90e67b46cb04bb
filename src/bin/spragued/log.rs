//! Standard error, written by a thread of its own: nothing waits for it, and what it does not take in time is dropped.

use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use sprague::server::meters::Meters;

/// Bytes of lines that wait at most: some thousand lines. As many again may be on their way.
const QUEUE: usize = 256 << 10;

/// How long the end of the process waits for what is queued.
const LAST_WRITES: Duration = Duration::from_millis(500);

/// How long a descriptor that somebody made non-blocking is left alone when it takes nothing.
const PAUSE: Duration = Duration::from_millis(10);

/// The queue before standard error; a write to `&Log` is a line, is done at once, and never fails.
pub(crate) struct Log {
    state: Mutex<State>,
    changed: Condvar,
    meters: Arc<Meters>,
}

#[derive(Default)]
struct State {
    lines: Vec<u8>,
    /// Lines dropped since the log last said so.
    dropped: u64,
    is_ending: bool,
    /// The thread has written all that it could, and ended.
    is_done: bool,
}

impl Log {
    /// Starts the thread; `meters` count dropped lines.
    ///
    /// # Errors
    /// When there are no threads.
    pub(crate) fn start(meters: Arc<Meters>) -> io::Result<Arc<Log>> {
        let log = Arc::new(Log { state: Mutex::default(), changed: Condvar::new(), meters });
        let writer = log.clone();
        thread::Builder::new().name("log".into()).spawn(move || writer.write_out(io::stderr()))?;
        Ok(log)
    }

    /// Queues a line, as it is.
    pub(crate) fn line(&self, line: &str) {
        let mut queue = self;
        let _never_fails = queue.write_all(line.as_bytes());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is queued, and returns when that is done or has taken too long.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        state.is_ending = true;
        self.changed.notify_all();
        let _late = self.changed.wait_timeout_while(state, LAST_WRITES, |state| !state.is_done);
    }

    /// The thread: writes whatever is queued in one go.
    fn write_out(&self, output: impl io::Write) {
        let mut output = Output { output, is_within_line: false };
        let mut lines = Vec::new();
        loop {
            lines.clear();
            let has_nothing_to_do = |state: &mut State| state.lines.is_empty() && !state.is_ending;
            let waited = self.changed.wait_while(self.state(), has_nothing_to_do);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if state.lines.is_empty() {
                state.is_done = true;
                self.changed.notify_all();
                return;
            }
            std::mem::swap(&mut lines, &mut state.lines);
            drop(state);
            match output.write(&lines) {
                0 => {
                    let dropped = std::mem::take(&mut self.state().dropped);
                    if dropped > 0 {
                        tracing::warn!("{dropped} log lines were dropped: standard error did not take them in time");
                    }
                }
                lost => self.drop_lines(&mut self.state(), lost),
            }
        }
    }

    fn drop_lines(&self, state: &mut State, lines: u64) {
        state.dropped += lines;
        self.meters.log_lines_dropped(lines);
    }
}

impl io::Write for &Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        if state.is_done || state.lines.len() + line.len() > QUEUE {
            self.drop_lines(&mut state, 1);
        } else {
            state.lines.extend_from_slice(line);
            self.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the lines are written to.
struct Output<W> {
    output: W,
    /// The last write stopped within a line.
    is_within_line: bool,
}

impl<W: io::Write> Output<W> {
    /// Writes lines, for as long as it takes; the number of those that are lost.
    fn write(&mut self, lines: &[u8]) -> u64 {
        let begins = if self.is_within_line { &b"\n"[..] } else { b"" };
        let rest = match self.write_part(begins) {
            [] => self.write_part(lines),
            _ => lines,
        };
        rest.iter().filter(|byte| **byte == b'\n').count() as u64
    }

    /// What could not be written.
    fn write_part<'l>(&mut self, mut rest: &'l [u8]) -> &'l [u8] {
        while !rest.is_empty() {
            match self.output.write(rest) {
                Ok(0) => break,
                Ok(written) => {
                    self.is_within_line = rest[written - 1] != b'\n';
                    rest = &rest[written..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
                Err(_) => break,
            }
        }
        rest
    }
}

/// Writes the last words of a process to standard error, if that takes them in time.
pub(crate) fn say(text: &str) {
    match Log::start(Arc::default()) {
        Ok(log) => {
            log.line(text);
            log.finish();
        }
        Err(_no_threads) => {
            let _nobody_listens = io::stderr().write_all(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Fails, or waits, as it is told; keeps what was written.
    struct Device {
        orders: mpsc::Receiver<io::Result<usize>>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl io::Write for Device {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // Nobody gives orders any more: it takes everything.
            let taken = self.orders.recv().unwrap_or(Ok(bytes.len()))?.min(bytes.len());
            self.written.lock().unwrap().extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    type Orders = mpsc::Sender<io::Result<usize>>;

    fn log() -> (Arc<Log>, Orders, Arc<Mutex<Vec<u8>>>) {
        let log = Arc::new(Log { state: Mutex::default(), changed: Condvar::new(), meters: Arc::default() });
        let (sender, orders) = mpsc::channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let (writer, device) = (log.clone(), Device { orders, written: written.clone() });
        let lines = log.clone();
        thread::spawn(move || {
            let logs = tracing_subscriber::fmt().without_time().with_target(false).with_ansi(false);
            let _here = tracing::subscriber::set_default(logs.with_writer(lines).finish());
            writer.write_out(device);
        });
        (log, sender, written)
    }

    fn line(log: &Log, text: &str) {
        log.line(&format!("{text}\n"));
    }

    fn text(written: &Mutex<Vec<u8>>) -> String {
        String::from_utf8(written.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_reader_that_has_stopped_costs_lines_and_is_told_so_once_it_reads_again() {
        let (log, orders, written) = log();
        line(&log, "first");
        while !log.state().lines.is_empty() {
            thread::yield_now();
        }
        let long = "x".repeat(QUEUE / 4);
        for _ in 0..10 {
            line(&log, &long);
        }
        assert_eq!(log.state().dropped, 7);
        drop(orders);
        log.finish();
        let text = text(&written);
        assert!(text.starts_with("first\nxxx"), "{text:.20}");
        let end = "x\n WARN 7 log lines were dropped: standard error did not take them in time\n";
        assert!(text.ends_with(end), "{:?}", &text[text.len() - 120..]);
        assert_eq!(text.lines().count(), 5);
    }

    #[test]
    fn a_full_disk_costs_lines_and_the_next_one_begins_anew() {
        let (log, orders, written) = log();
        line(&log, "first");
        orders.send(Ok(3)).unwrap();
        orders.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        while log.state().dropped == 0 {
            thread::yield_now();
        }
        line(&log, "second");
        orders.send(Err(io::ErrorKind::Interrupted.into())).unwrap();
        orders.send(Err(io::ErrorKind::WouldBlock.into())).unwrap();
        drop(orders);
        log.finish();
        let said = " WARN 1 log lines were dropped: standard error did not take them in time\n";
        assert_eq!(text(&written), format!("fir\nsecond\n{said}"));
    }

    #[test]
    fn the_end_does_not_wait_for_a_reader_that_has_stopped() {
        let (log, orders, written) = log();
        line(&log, "first");
        let begun = std::time::Instant::now();
        log.finish();
        assert!(begun.elapsed() < LAST_WRITES * 4);
        assert_eq!(text(&written), "");
        drop(orders);
    }
}
