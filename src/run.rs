//! A judge file through a client into an answer file.

mod feed;
mod error;
mod right;
pub mod check;

use std::io::{Read, Write};
use std::sync::Arc;

use crate::client::{Answers, Pool};
use crate::games::Answer;
use crate::judge::diagnostic::{Diagnostic, Kind, ReadError};
use crate::judge::{self, Format};
use crate::wire::BoardError;
use feed::{Read as Tagged, Tag};

pub use self::error::Error;
pub use self::feed::Meter;

/// Answers are written out in pieces of about this size.
const PIECE: usize = 64 * 1024;

/// What is to be done with a file.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// The words it is written in.
    pub format: Format,
    /// Hold the input to the statement's limits.
    pub strict: bool,
    /// Go on behind a bad case, or a wrong answer.
    pub keep_going: bool,
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

/// Answers a file. `report` hears of every bad case that does not end the run, in file order. Whoever polls this
/// writes, so it is for `block_on`, not for a task.
///
/// # Errors
/// Whatever comes first in file order; the answers before it are written.
pub async fn solve(
    client: &Pool,
    job: Job,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    meter: &Arc<Meter>,
    report: &mut dyn FnMut(Diagnostic),
) -> Result<Report, Error> {
    let (boards, answers) = client.solve(job.format.outcome_only());
    feed::start(job, client.sizes(), input, meter, |_| (), boards).map_err(Error::Read)?;
    Writer { job, output, buffer: Vec::with_capacity(2 * PIECE), meter, report, done: Report::default() }
        .run(answers)
        .await
}

struct Writer<'a> {
    job: Job,
    output: &'a mut dyn Write,
    buffer: Vec<u8>,
    meter: &'a Meter,
    report: &'a mut dyn FnMut(Diagnostic),
    done: Report,
}

impl Writer<'_> {
    async fn run(mut self, mut answers: Answers<Tagged<()>>) -> Result<Report, Error> {
        let verdict = self.write_all(&mut answers).await;
        // The answers before a fault stand, whatever the fault.
        let flushed = self.flush();
        verdict?;
        flushed?;
        Ok(self.done)
    }

    async fn write_all(&mut self, answers: &mut Answers<Tagged<()>>) -> Result<(), Error> {
        loop {
            let answered = match answers.ready()? {
                Some(answered) => answered,
                None => {
                    // Whoever waits at the other end of a pipe gets what there is.
                    self.flush()?;
                    match answers.wait().await? {
                        Some(answered) => answered,
                        None => return Ok(()),
                    }
                }
            };
            let cases = answered.len() as u64;
            for entry in answered {
                match entry.tag {
                    Ok(case) => self.case(&case, entry.answer)?,
                    Err(ReadError::Input(fault)) => self.bad(fault)?,
                    Err(ReadError::Io(error)) => return Err(Error::Read(error)),
                }
                if self.buffer.len() >= PIECE {
                    self.flush()?;
                }
            }
            self.meter.add_cases(cases);
        }
    }

    fn case(&mut self, case: &Tag<()>, answer: Option<Result<Answer, BoardError>>) -> Result<(), Error> {
        match answer {
            Some(Ok(answer)) => {
                self.done.cases += 1;
                judge::write_answer(
                    self.job.format,
                    case.number,
                    answer.outcome(),
                    answer.winning_cells(),
                    &mut self.buffer,
                );
                Ok(())
            }
            lost => self.bad(error::of_board(case, lost.and_then(Result::err))),
        }
    }

    fn bad(&mut self, fault: Box<Diagnostic>) -> Result<(), Error> {
        if !self.job.keep_going {
            return Err(Error::Bad(fault));
        }
        if fault.case.is_some() {
            self.done.cases += 1;
            judge::write_error_line(&mut self.buffer);
        }
        *if fault.kind == Kind::Internal { &mut self.done.internal } else { &mut self.done.bad } += 1;
        (self.report)(*fault);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let written = self.output.write_all(&self.buffer).and_then(|()| self.output.flush());
        self.buffer.clear();
        written.map_err(Error::Write)
    }
}
