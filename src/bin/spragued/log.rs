//! Logs on standard error, a convenience: a thread of their own writes them, and drops what it cannot keep up with.

use std::fmt::Display;
use std::io::{self, Write};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stderr;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use super::arguments::{Arguments, LogFormat};

/// Lines that wait to be written: some seconds of the busiest log.
const WAITING_LINES: usize = 4096;

/// How long a last message waits for a reader of standard error that takes nothing.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

/// Standard error without a lock or a buffer, so that who writes waits for nobody else who does.
struct StandardError;

impl Write for StandardError {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(stderr(), bytes) {
            // Somebody made it non-blocking: there is nothing else to do for this thread but wait.
            Err(rustix::io::Errno::AGAIN) => {
                poll(&mut [PollFd::from_borrowed_fd(stderr(), PollFlags::OUT)], None)?;
                Err(io::ErrorKind::Interrupted.into())
            }
            written => Ok(written?),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says something that ends the program, if there is somebody to read it.
pub(crate) fn say(message: impl Display) {
    let is_ready = poll(&mut [PollFd::from_borrowed_fd(stderr(), PollFlags::OUT)], Some(&PATIENCE));
    if is_ready != Ok(0) {
        let _nobody_reads = StandardError.write_all(format!("{message}\n").as_bytes());
    }
}

/// The log of this process. What waits when it is dropped is written, within a second.
pub(crate) struct Log {
    dropped: ErrorCounter,
    told: usize,
    _writer: WorkerGuard,
}

impl Log {
    /// Begins to log as the arguments say.
    pub(crate) fn start(arguments: &Arguments) -> anyhow::Result<Log> {
        let filter = EnvFilter::try_new(&arguments.log).with_context(|| format!("--log {}", arguments.log))?;
        let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(WAITING_LINES).thread_name("log");
        let (writer, guard) = builder.finish(StandardError);
        let dropped = writer.error_counter();
        let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).log_internal_errors(false);
        match arguments.log_format {
            LogFormat::Text => logs.with_ansi(has_colour(&io::stderr())).init(),
            LogFormat::Json => logs.json().init(),
        }
        Ok(Log { dropped, told: 0, _writer: guard })
    }

    /// Says how many lines were dropped since it was last said. To be called from time to time.
    pub(crate) fn tell_dropped(&mut self) {
        let dropped = self.dropped.dropped_lines();
        if dropped > self.told {
            tracing::warn!(lines = dropped - self.told, "log lines were dropped: standard error was not read in time");
            // If this line was dropped too, it is told again.
            self.told = if self.dropped.dropped_lines() == dropped { dropped } else { self.told };
        }
    }
}

/// Whether to write colours, as clap decides it: on a terminal other than TERM=dumb, never with NO_COLOR, always with
/// CLICOLOR_FORCE.
pub(crate) fn has_colour(output: &impl RawStream) -> bool {
    AutoStream::choice(output) != ColorChoice::Never
}
