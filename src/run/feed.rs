//! The reading end of a run: cases of a judge file become boards on their way to the servers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tokio::runtime::{Handle, RuntimeFlavor};

use super::Job;
use crate::client::{Boards, Closed};
use crate::games::{Board, Sizes};
use crate::judge::{Next, Options, Place, ReadError, Reader};

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

/// What travels with the board of a case.
#[derive(Debug)]
pub(super) struct Tag<T> {
    /// The case's number.
    pub(super) number: u64,
    /// Where it begins.
    pub(super) place: Place,
    /// What is kept of its board.
    pub(super) kept: T,
}

/// A case, or why there is none in its place.
pub(super) type Read<T> = Result<Tag<T>, ReadError>;

/// Reads a file and sends its boards, each with what is kept of it: in a thread of its own, or on the current runtime where
/// that has one thread alone.
///
/// # Errors
/// The thread cannot be started.
pub(super) fn start<R: io::Read + Send + 'static, T: Send + 'static>(
    Job { format, strict, keep_going }: Job,
    sizes: Sizes,
    input: R,
    meter: &Arc<Meter>,
    keep: impl Fn(&Board) -> T + Send + 'static,
    boards: Boards<Read<T>>,
) -> io::Result<()> {
    let meter = meter.clone();
    let reader = Reader::new(format, Options { strict, sizes }, Metered { input, meter: meter.clone() });
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

/// Counts what is read.
struct Metered<R> {
    input: R,
    meter: Arc<Meter>,
}

impl<R: io::Read> io::Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.meter.read_bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Reads cases and sends their boards; faults travel in their places, and what is kept of a board with it.
async fn feed<R: io::Read, T>(
    mut reader: Reader<R>,
    meter: &Meter,
    keep_going: bool,
    in_place: bool,
    keep: impl Fn(&Board) -> T,
    mut boards: Boards<Read<T>>,
) -> Result<(), Closed> {
    loop {
        match reader.next_case() {
            Ok(Next::Case(case)) => {
                meter.read_cases.store(case.number, Ordering::Relaxed);
                let tag = Tag { number: case.number, place: case.place, kept: keep(&case.board) };
                boards.push(case.board, Ok(tag)).await?;
            }
            Ok(Next::Starved) => {
                boards.flush().await?;
                // The next read may wait, and nothing else is done meanwhile.
                if in_place {
                    boards.answered().await?;
                }
            }
            Ok(Next::End) => return boards.finish().await,
            Err(error) => {
                let is_over = !keep_going || matches!(error, ReadError::Io(_));
                boards.note(Err(error)).await?;
                if is_over {
                    return boards.finish().await;
                }
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
