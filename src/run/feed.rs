//! The reading end of a run: cases of a judge file become boards on their way to the servers.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::client::{Boards, Closed};
use crate::games::Board;
use crate::judge::{Format, InputError, Next, Options, Place, ReadError, Reader};

/// How far a run is, for whoever watches it.
#[derive(Debug, Default)]
pub struct Meter {
    read_bytes: AtomicU64,
    read_cases: AtomicU64,
    cases: AtomicU64,
}

impl Meter {
    /// Bytes of the input whose cases are over, as if all that are read were equally long.
    pub fn bytes(&self) -> u64 {
        let [bytes, read, over] =
            [&self.read_bytes, &self.read_cases, &self.cases].map(|it| it.load(Ordering::Relaxed));
        (u128::from(bytes) * u128::from(over.min(read)) / u128::from(read.max(1))) as u64
    }

    /// So many more cases are over.
    pub(super) fn add_cases(&self, cases: u64) {
        self.cases.fetch_add(cases, Ordering::Relaxed);
    }

    /// Cases that are over.
    pub fn cases(&self) -> u64 {
        self.cases.load(Ordering::Relaxed)
    }
}

/// What travels with a board, or in the place of one.
#[derive(Debug)]
pub(super) enum Tag<T> {
    /// A case.
    Case {
        /// Its number.
        number: u64,
        /// Where it begins.
        place: Place,
        /// What is kept of its board.
        kept: T,
    },
    /// A fault in a case's place.
    Bad(Box<InputError>),
    /// The file could not be read further.
    Unread(Box<io::Error>),
}

/// Reads a file and sends its boards, each with what is kept of it: in a thread of its own, or on the current runtime where
/// that has one thread alone.
///
/// # Errors
/// The thread cannot be started.
pub(super) fn start<R: Read + Send + 'static, T: Send + 'static>(
    reading: Reading,
    input: R,
    meter: &Arc<Meter>,
    keep: impl Fn(&Board) -> T + Send + 'static,
    boards: Boards<Tag<T>>,
) -> io::Result<()> {
    let Reading { format, options, keep_going } = reading;
    let meter = meter.clone();
    let reader = Reader::new(format, options, Metered { input, meter: meter.clone() });
    let runtime = Handle::current();
    let in_place = runtime.runtime_flavor() == RuntimeFlavor::CurrentThread;
    let feeding = async move { feed(reader, &meter, keep_going, in_place, keep, boards).await };
    if in_place {
        runtime.spawn(feeding);
        return Ok(());
    }
    // Not joined: a reader that waits for a pipe must not hold up the end of a run that failed.
    thread::Builder::new().name("reader".into()).spawn(move || runtime.block_on(feeding))?;
    Ok(())
}

/// How a file is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) format: Format,
    pub(super) options: Options,
    pub(super) keep_going: bool,
}

/// Counts what is read.
struct Metered<R> {
    input: R,
    meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.meter.read_bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Reads cases and sends their boards; faults travel in their places, and what is kept of a board with it.
async fn feed<R: Read, T>(
    mut reader: Reader<R>,
    meter: &Meter,
    keep_going: bool,
    in_place: bool,
    keep: impl Fn(&Board) -> T,
    mut boards: Boards<Tag<T>>,
) -> Result<(), Closed> {
    loop {
        match reader.next_case() {
            Ok(Next::Case(case)) => {
                meter.read_cases.store(case.number, Ordering::Relaxed);
                let tag = Tag::Case { number: case.number, place: case.place, kept: keep(&case.board) };
                boards.push(case.board, tag).await?;
            }
            Ok(Next::Starved) => {
                boards.flush().await?;
                // The next read may wait, and nothing else is done meanwhile.
                if in_place {
                    boards.answered().await?;
                }
            }
            Ok(Next::End) => return boards.finish().await,
            Err(ReadError::Input(fault)) => {
                boards.note(Tag::Bad(Box::new(fault))).await?;
                if !keep_going {
                    return boards.finish().await;
                }
            }
            Err(ReadError::Io(error)) => {
                boards.note(Tag::Unread(Box::new(error))).await?;
                return boards.finish().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_ahead_does_not_count_as_done() {
        let meter = Meter { read_bytes: 1000.into(), read_cases: 10.into(), cases: 0.into() };
        assert_eq!(meter.bytes(), 0);
        meter.add_cases(5);
        assert_eq!(meter.bytes(), 500);
        // A fault behind the last case is over, too.
        meter.add_cases(6);
        assert_eq!((meter.bytes(), meter.cases()), (1000, 11));
        assert_eq!(Meter::default().bytes(), 0);
    }
}
