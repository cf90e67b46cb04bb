//! Messages on standard error. Nothing depends on them: one that cannot be written is dropped, and a reader that has stopped
//! is not waited for.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;
use sprague::escape;
use sprague::message::count;

/// As many bytes are kept for a reader that is slower than the messages come.
const MOST_WAITING: usize = 256 * 1024;
/// A reader that takes nothing for so long, while something waits for it, has stopped.
const STOPPED: Duration = Duration::from_millis(250);
/// A pipe with room takes so many bytes without waiting.
const PIECE: usize = 4096;

/// What is written to standard error, and waits to be.
struct Messages {
    /// The pipe or terminal behind standard error, opened again: non-blocking, which must not be set on what other
    /// processes write to as well. None where that cannot be had, or files never keep a writer waiting.
    reopened: Option<File>,
    waiting: Vec<u8>,
    /// When the reader last took something, or had nothing to take.
    moved: Instant,
    lost: u64,
}

static MESSAGES: LazyLock<Mutex<Messages>> = LazyLock::new(|| {
    let kind = fstat(rustix::stdio::stderr()).map(|about| FileType::from_raw_mode(about.st_mode));
    let waits = matches!(kind, Ok(FileType::Fifo | FileType::CharacterDevice));
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let reopened = waits.then(|| OpenOptions::new().write(true).custom_flags(flags).open("/dev/fd/2").ok()).flatten();
    Mutex::new(Messages { reopened, waiting: Vec::new(), moved: Instant::now(), lost: 0 })
});

fn messages() -> MutexGuard<'static, Messages> {
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a message, on a line of its own whatever names or words of others are in it.
pub(crate) fn say(message: impl Display) {
    say_as_it_is(escape::text(&message.to_string()));
}

/// Writes a text that has lines and colours of its own.
pub(crate) fn say_as_it_is(text: impl Display) {
    let text = format!("{text}\n");
    messages().add(text.as_bytes());
}

/// Shows something that is of no use later, such as a progress line: now or not at all.
pub(crate) fn show(text: &str) {
    let mut messages = messages();
    messages.write();
    if messages.waiting.is_empty() && messages.is_ready(Duration::ZERO) {
        messages.waiting.extend_from_slice(text.as_bytes());
        messages.write();
    }
}

/// Hands over what still waits, unless the reader has stopped. To be called before the process ends.
pub(crate) fn finish() {
    let mut messages = messages();
    messages.own_up();
    messages.wait_below(0);
}

/// Where a library writes lines of its own.
pub(crate) struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        messages().add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Messages {
    fn add(&mut self, line: &[u8]) {
        self.write();
        self.wait_below(MOST_WAITING);
        if self.waiting.len() <= MOST_WAITING {
            self.own_up();
            self.waiting.extend_from_slice(line);
            self.write();
        } else {
            self.lost += 1;
        }
    }

    /// Says what was lost, if something was.
    fn own_up(&mut self) {
        if self.lost > 0 {
            let lost = count(std::mem::take(&mut self.lost), "message");
            let line = format!("sprague: {lost} lost: standard error was not read\n");
            self.waiting.extend_from_slice(line.as_bytes());
        }
    }

    /// Waits until no more than so many bytes wait, as long as the reader takes some from time to time.
    fn wait_below(&mut self, most: usize) {
        while self.waiting.len() > most {
            let left = STOPPED.saturating_sub(self.moved.elapsed());
            if left.is_zero() || !self.is_ready(left) {
                return;
            }
            self.write();
        }
    }

    /// Writes what can be written at once.
    fn write(&mut self) {
        if self.waiting.is_empty() {
            self.moved = Instant::now();
        }
        while !self.waiting.is_empty() && self.is_ready(Duration::ZERO) {
            let piece = &self.waiting[..self.waiting.len().min(PIECE)];
            match rustix::io::write(self.descriptor(), piece) {
                Ok(written) => {
                    self.waiting.drain(..written);
                    self.moved = Instant::now();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // A full disk, a reader that is gone: there is nobody to tell.
                Err(_) => self.waiting.clear(),
            }
        }
    }

    /// Whether something can be written, within a time; what cannot be waited for fails at once.
    fn is_ready(&self, within: Duration) -> bool {
        let within = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
        let ready = poll(&mut [PollFd::from_borrowed_fd(self.descriptor(), PollFlags::OUT)], Some(&within));
        ready != Ok(0)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.reopened {
            Some(file) => file.as_fd(),
            None => rustix::stdio::stderr(),
        }
    }
}
