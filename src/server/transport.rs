//! The bytes of one connection: watched for HTTP/2 frames that do no work, for silence, and for a peer that does not read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// Bytes in both directions, whatever carries them.
pub(super) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// What every HTTP/2 client says first, in bytes; a SETTINGS frame must follow.
const PREFACE: usize = 24;

/// The length of a frame's header, in bytes.
const FRAME_HEADER: usize = 9;

/// Writing this many bytes counts as progress: who takes one byte at a time takes nothing.
pub(super) const PROGRESS: usize = 64 * 1024;

/// Types of frames (RFC 9113, section 6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;

/// What a connection may send of frames that carry neither a call nor data: so many at once...
const CREDIT: i64 = 4096;
/// ... and so many more each second, up to as many again, ...
const CREDIT_PER_SECOND: i64 = 256;
/// ... for each frame that opens a call or carries data, and for each piece of an answer: a client says twice for each that
/// it took it, and may say so much later, ...
const CREDIT_PER_FRAME: i64 = 8;
/// ... and for so many bytes of answers.
const BYTES_PER_CREDIT: u64 = 1024;

/// What is told about a connection while it runs.
#[derive(Debug, Default)]
pub(super) struct Activity {
    frames: AtomicU64,
    is_flooded: AtomicBool,
    calls_open: AtomicU64,
    calls: AtomicU64,
    pieces: AtomicU64,
}

impl Activity {
    /// A call was admitted.
    pub(super) fn call_begins(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.calls_open.fetch_add(1, Ordering::Relaxed);
    }

    /// A piece of an answer is sent.
    pub(super) fn piece_sent(&self) {
        self.pieces.fetch_add(1, Ordering::Relaxed);
    }

    /// An admitted call is over.
    pub(super) fn call_ends(&self) {
        self.calls_open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Admitted calls that are open, and all that ever were.
    pub(super) fn calls(&self) -> (u64, u64) {
        (self.calls_open.load(Ordering::Relaxed), self.calls.load(Ordering::Relaxed))
    }

    /// Frames read so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Whether the connection ended because its peer sent too many frames that do no work.
    pub(super) fn is_flooded(&self) -> bool {
        self.is_flooded.load(Ordering::Relaxed)
    }
}

/// A connection's bytes under watch.
pub(super) struct Watched {
    inner: Box<dyn Transport>,
    activity: Arc<Activity>,
    frames: Frames,
    /// Gone once the preface and the first frame's header are there.
    silence: Option<Pin<Box<Sleep>>>,
    /// A write that waits, and when it has waited for too long.
    stalled: Option<Pin<Box<Sleep>>>,
    stall_timeout: Duration,
    written: u64,
    /// Bytes written when `stalled` was last set.
    mark: u64,
}

impl Watched {
    /// The preface and the first SETTINGS frame must be there at `deadline`; a write may wait for `stall_timeout`.
    pub(super) fn new(inner: Box<dyn Transport>, deadline: Instant, stall_timeout: Duration) -> Watched {
        Watched {
            inner,
            activity: Arc::default(),
            frames: Frames::new(Instant::now()),
            silence: Some(Box::pin(tokio::time::sleep_until(deadline))),
            stalled: None,
            stall_timeout,
            written: 0,
            mark: 0,
        }
    }

    pub(super) fn activity(&self) -> Arc<Activity> {
        self.activity.clone()
    }

    /// Passes on what a write says. One that waits is an error once nothing was taken for too long.
    fn progress<T>(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            return poll;
        }
        let deadline = || Instant::now() + self.stall_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline())));
        while stalled.as_mut().poll(context).is_ready() {
            if self.written < self.mark + PROGRESS as u64 {
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")));
            }
            self.mark = self.written;
            stalled.as_mut().reset(deadline());
        }
        Poll::Pending
    }

    fn wrote(&mut self, poll: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(bytes)) = poll {
            self.written += *bytes as u64;
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if read.is_pending() {
            if let Some(silence) = &mut self.silence
                && silence.as_mut().poll(context).is_ready()
            {
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "no HTTP/2 preface came")));
            }
            return read;
        }
        let work = Work { bytes: self.written, pieces: self.activity.pieces.load(Ordering::Relaxed) };
        let seen = self.frames.read(&buffer.filled()[before..], work, Instant::now);
        if self.frames.count > 0 {
            self.silence = None;
        }
        self.activity.frames.store(self.frames.count, Ordering::Relaxed);
        if seen.is_err() {
            self.activity.is_flooded.store(true, Ordering::Relaxed);
            return Poll::Ready(Err(io::Error::other("too many frames that carry neither a call nor data")));
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.wrote(&wrote);
        self.progress(context, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(context, bytes);
        self.wrote(&wrote);
        self.progress(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        if flushed.is_ready() {
            self.stalled = None;
            self.mark = self.written;
        }
        self.progress(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.progress(context, shut)
    }
}

/// Follows the frames of a connection by their headers.
struct Frames {
    /// Bytes of the preface or of a payload that are still to come.
    skip: usize,
    header: [u8; FRAME_HEADER],
    /// How much of the header is there.
    filled: usize,
    count: u64,
    /// What is left of the credit that comes with time.
    timed: i64,
    /// What is left of the credit that comes with work; it does not run out.
    earned: i64,
    /// When, and at how much work, credit was last added.
    added: (Instant, Work),
}

/// What was sent to the peer.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    bytes: u64,
    pieces: u64,
}

/// The peer sent more frames that do no work than it may.
#[derive(Debug, PartialEq, Eq)]
struct Flooded;

impl Frames {
    fn new(now: Instant) -> Frames {
        Frames {
            skip: PREFACE,
            header: [0; FRAME_HEADER],
            filled: 0,
            count: 0,
            timed: CREDIT,
            earned: 0,
            added: (now, Work::default()),
        }
    }

    /// Takes in what was read, when so much had been sent.
    fn read(&mut self, mut bytes: &[u8], work: Work, now: impl Fn() -> Instant) -> Result<(), Flooded> {
        loop {
            let skipped = self.skip.min(bytes.len());
            self.skip -= skipped;
            bytes = &bytes[skipped..];
            if bytes.is_empty() {
                return Ok(());
            }
            let taken = (FRAME_HEADER - self.filled).min(bytes.len());
            self.header[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
            self.filled += taken;
            bytes = &bytes[taken..];
            if self.filled < FRAME_HEADER {
                return Ok(());
            }
            self.filled = 0;
            self.count += 1;
            let [high, middle, low, kind, ..] = self.header;
            self.skip = u32::from_be_bytes([0, high, middle, low]) as usize;
            match kind {
                DATA if self.skip > 0 => self.earned += CREDIT_PER_FRAME,
                HEADERS => self.earned += CREDIT_PER_FRAME,
                _ if self.spend() => {}
                _ => {
                    self.add_credit(work, now());
                    if !self.spend() {
                        return Err(Flooded);
                    }
                }
            }
        }
    }

    /// Pays for a frame that does no work, if there is credit left.
    fn spend(&mut self) -> bool {
        let credit = if self.earned > 0 { &mut self.earned } else { &mut self.timed };
        *credit -= 1;
        *credit >= 0
    }

    fn add_credit(&mut self, work: Work, now: Instant) {
        let (then, before) = std::mem::replace(&mut self.added, (now, work));
        let seconds = now.duration_since(then).as_secs_f64();
        self.timed = (self.timed.max(0) + (seconds * CREDIT_PER_SECOND as f64) as i64).min(CREDIT);
        let bytes = (work.bytes - before.bytes) / BYTES_PER_CREDIT;
        let pieces = work.pieces - before.pieces;
        self.earned += i64::try_from(bytes).unwrap_or(i64::MAX) + CREDIT_PER_FRAME * pieces as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING: u8 = 6;
    const WINDOW_UPDATE: u8 = 8;

    fn frame(kind: u8, length: usize) -> Vec<u8> {
        let [_, high, middle, low] = (length as u32).to_be_bytes();
        let mut bytes = vec![high, middle, low, kind, 0, 0, 0, 0, 1];
        bytes.resize(bytes.len() + length, 0);
        bytes
    }

    /// How many of `count` frames pass, of which each comes after so much time and so much work.
    fn passed(count: usize, frames: &[u8], every: Duration, each: Work) -> usize {
        let begun = Instant::now();
        let mut follower = Frames::new(begun);
        follower.read(&[0; PREFACE], Work::default(), || begun).unwrap();
        (0..count)
            .take_while(|&turn| {
                let now = begun + every * turn as u32;
                let work = Work { bytes: each.bytes * turn as u64, pieces: each.pieces * turn as u64 };
                follower.read(frames, work, || now).is_ok()
            })
            .count()
    }

    #[test]
    fn frames_are_followed_however_the_bytes_are_cut() {
        let frames = [frame(4, 6), frame(DATA, 0), frame(DATA, 300), frame(HEADERS, 5), frame(PING, 8)].concat();
        let bytes = [&[0; PREFACE][..], &frames].concat();
        for size in [1, 2, 7, 9, 100, bytes.len()] {
            let now = Instant::now();
            let mut follower = Frames::new(now);
            for part in bytes.chunks(size) {
                follower.read(part, Work::default(), || now).unwrap();
            }
            assert_eq!((follower.count, follower.skip, follower.filled), (5, 0, 0), "{size}");
        }
    }

    #[test]
    fn frames_that_do_no_work_are_a_flood_unless_they_are_few_or_go_with_work() {
        let (at_once, none) = (Duration::ZERO, Work::default());
        for kind in [2, 3, 4, PING, WINDOW_UPDATE, 9, 77] {
            assert_eq!(passed(10_000, &frame(kind, 8), at_once, none), CREDIT as usize, "{kind}");
            assert_eq!(passed(10_000, &frame(kind, 8), Duration::from_millis(5), none), 10_000, "{kind}: 200 a second");
        }
        assert_eq!(passed(10_000, &frame(DATA, 0), at_once, none), CREDIT as usize);
        assert_eq!(passed(100_000, &frame(DATA, 1), at_once, none), 100_000);
        // Two updates for each 16 KiB of answers, as bulk clients send them, or for each of many small answers.
        let updates = [frame(WINDOW_UPDATE, 4), frame(WINDOW_UPDATE, 4)].concat();
        assert_eq!(passed(100_000, &updates, at_once, Work { bytes: 16 * 1024, pieces: 0 }), 100_000);
        assert_eq!(passed(100_000, &updates, at_once, Work { bytes: 20, pieces: 1 }), 100_000);
        let call = [frame(HEADERS, 30), frame(DATA, 20), frame(PING, 8), frame(WINDOW_UPDATE, 4)].concat();
        assert_eq!(passed(100_000, &call, at_once, none), 100_000);
    }

    #[test]
    fn what_was_earned_is_there_however_late_it_is_spent() {
        let begun = Instant::now();
        let mut follower = Frames::new(begun);
        follower.read(&[0; PREFACE], Work::default(), || begun).unwrap();
        let work = Work { bytes: 400_000, pieces: 20_000 };
        // A client that uploads first and takes its small answers afterwards.
        for _ in 0..40_000 {
            follower.read(&frame(WINDOW_UPDATE, 4), work, || begun).unwrap();
        }
    }
}
