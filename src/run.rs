//! A judge file through a client into an answer file.

pub mod output;

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::client::lane::Failure;
use crate::client::{self, Answers, Boards, Client, Closed};
use crate::games::Answer;
use crate::judge::{self, Format, InputError, Next, Place, ReadError, Reader};
use crate::wire::{BoardError, Reason};

/// Answers are written out in pieces of about this size.
const PIECE: usize = 64 * 1024;

/// What is to be done with a file.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// The words it is written in.
    pub format: Format,
    /// Hold it to the statement's limits.
    pub strict: bool,
    /// Go on behind a bad case.
    pub keep_going: bool,
}

/// How far a run is, for whoever watches it.
#[derive(Debug, Default)]
pub struct Meter {
    bytes: AtomicU64,
    cases: AtomicU64,
}

impl Meter {
    /// Bytes of the input that are read.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Cases that are over.
    pub fn cases(&self) -> u64 {
        self.cases.load(Ordering::Relaxed)
    }
}

/// What a run came to that reached the end of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Cases, good and bad.
    pub cases: u64,
    /// Faults of the input.
    pub bad: u64,
    /// Cases lost by a fault of the server's own.
    pub internal: u64,
}

/// What is wrong with a case, or with the file: `LINE:COLUMN: case K: what is wrong`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Where.
    pub place: Place,
    /// Which case; none for a fault of the file.
    pub case: Option<u64>,
    /// What is wrong.
    pub message: String,
    /// The fault is the server's own.
    pub is_internal: bool,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if let Some(case) = self.case {
            write!(f, "case {case}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Why a run did not reach the end of its file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The answers cannot be written.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// A bad case, or a fault of the file.
    #[error("{0}")]
    Bad(Complaint),
    /// The servers failed; with the batch at fault, if one is known.
    #[error("{}{error}", blamed.map(|blamed| blamed.to_string()).unwrap_or_default())]
    Client {
        /// How.
        error: client::fault::Error,
        /// The cases that were being answered.
        blamed: Option<Blamed>,
    },
}

/// The cases of a batch that brings down servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blamed {
    /// The place of the first.
    pub place: Place,
    /// Its number.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
}

impl fmt::Display for Blamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blamed { place, first, last } if first == last => write!(f, "{place}: case {first}: "),
            Blamed { place, first, last } => write!(f, "{place}: cases {first} to {last}: "),
        }
    }
}

impl From<Failure<Tag>> for Error {
    fn from(failure: Failure<Tag>) -> Error {
        let mut cases = failure.tags.iter().filter_map(|tag| match *tag {
            Tag::Case { number, place } => Some((number, place)),
            Tag::Bad(_) | Tag::Unread(_) => None,
        });
        let blamed = cases.next().map(|(first, place)| {
            let last = cases.next_back().map_or(first, |(last, _)| last);
            Blamed { place, first, last }
        });
        Error::Client { error: failure.error, blamed }
    }
}

/// What travels with a board, or in the place of one.
#[derive(Debug)]
enum Tag {
    Case { number: u64, place: Place },
    Bad(Box<InputError>),
    Unread(Box<io::Error>),
}

/// Answers a file. `complain` hears of every bad case that does not end the run, in file order. The calling thread
/// writes, so it must not be an async one.
///
/// # Errors
/// Whatever comes first in file order; the answers before it are written.
pub fn solve(
    client: &Client,
    job: Job,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    meter: &Arc<Meter>,
    complain: &mut dyn FnMut(&Complaint),
) -> Result<Report, Error> {
    let options = judge::Options { strict: job.strict, sizes: client.sizes() };
    let (boards, answers) = client.solve(job.format.outcome_only());
    let reader = Reader::new(job.format, options, Metered { input, meter: meter.clone() });
    // Not joined: a reader that waits for a pipe must not hold up the end of a run that failed.
    thread::Builder::new()
        .name("reader".into())
        .spawn(move || feed(reader, job.keep_going, boards))
        .map_err(Error::Read)?;
    Writer { job, output, buffer: Vec::with_capacity(2 * PIECE), meter, complain, report: Report::default() }
        .run(answers)
}

/// Counts what is read.
struct Metered<R> {
    input: R,
    meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.meter.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Reads cases and sends their boards; faults travel in their places.
fn feed<R: Read>(mut reader: Reader<R>, keep_going: bool, mut boards: Boards<Tag>) -> Result<(), Closed> {
    loop {
        match reader.next_case() {
            Ok(Next::Case(case)) => boards.push(case.board, Tag::Case { number: case.number, place: case.place })?,
            Ok(Next::Starved) => boards.flush()?,
            Ok(Next::End) => return boards.finish(),
            Err(ReadError::Input(fault)) => {
                boards.note(Tag::Bad(Box::new(fault)))?;
                if !keep_going {
                    return boards.finish();
                }
            }
            Err(ReadError::Io(error)) => {
                boards.note(Tag::Unread(Box::new(error)))?;
                return boards.finish();
            }
        }
    }
}

struct Writer<'a> {
    job: Job,
    output: &'a mut dyn Write,
    buffer: Vec<u8>,
    meter: &'a Meter,
    complain: &'a mut dyn FnMut(&Complaint),
    report: Report,
}

impl Writer<'_> {
    fn run(mut self, mut answers: Answers<Tag>) -> Result<Report, Error> {
        let verdict = self.write_all(&mut answers);
        // The answers before a fault stand, whatever the fault.
        let flushed = self.flush();
        verdict?;
        flushed?;
        Ok(self.report)
    }

    fn write_all(&mut self, answers: &mut Answers<Tag>) -> Result<(), Error> {
        loop {
            let answered = match answers.ready()? {
                Some(answered) => answered,
                None => {
                    // Whoever waits at the other end of a pipe gets what there is.
                    self.flush()?;
                    match answers.wait()? {
                        Some(answered) => answered,
                        None => return Ok(()),
                    }
                }
            };
            let cases = answered.len() as u64;
            for entry in answered {
                match entry.tag {
                    Tag::Case { number, place } => self.case(number, place, entry.answer)?,
                    Tag::Bad(fault) => self.bad(Complaint {
                        place: fault.place,
                        case: fault.case,
                        message: fault.message,
                        is_internal: false,
                    })?,
                    Tag::Unread(error) => return Err(Error::Read(*error)),
                }
                if self.buffer.len() >= PIECE {
                    self.flush()?;
                }
            }
            self.meter.cases.fetch_add(cases, Ordering::Relaxed);
        }
    }

    fn case(&mut self, number: u64, place: Place, answer: Option<Result<Answer, BoardError>>) -> Result<(), Error> {
        let lost = || BoardError::new(Reason::Internal, "the answer was lost on its way");
        match answer.unwrap_or_else(|| Err(lost())) {
            Ok(answer) => {
                self.report.cases += 1;
                judge::write_answer(
                    self.job.format,
                    number,
                    answer.outcome(),
                    answer.winning_cells(),
                    &mut self.buffer,
                );
                Ok(())
            }
            Err(error) => self.bad(Complaint {
                place,
                case: Some(number),
                is_internal: error.reason == Reason::Internal,
                message: error.message.into_owned(),
            }),
        }
    }

    fn bad(&mut self, complaint: Complaint) -> Result<(), Error> {
        if !self.job.keep_going {
            return Err(Error::Bad(complaint));
        }
        if complaint.case.is_some() {
            self.report.cases += 1;
            judge::write_error_line(&mut self.buffer);
        }
        if complaint.is_internal {
            self.report.internal += 1;
        } else {
            self.report.bad += 1;
        }
        (self.complain)(&complaint);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let written = self.output.write_all(&self.buffer).and_then(|()| self.output.flush());
        self.buffer.clear();
        written.map_err(Error::Write)
    }
}
