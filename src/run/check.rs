//! Somebody's answer file against the right answers: a case at a time, in flat memory, with the move that shows a fault.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

use super::Job;
use super::error::{self, Error};
use super::feed::{self, Meter};
use super::right::{Entry, Right};
use crate::client::Pool;
use crate::explain::Wants;
use crate::games::{Answer, Board};
use crate::judge::check::{Checker, LOOK_AHEAD};
use crate::judge::diagnostic::{Diagnostic, Kind, Place, ReadError};

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Cases looked at.
    pub cases: u64,
    /// Wrong answers.
    pub wrong: u64,
    /// Answers that are right and laid out wrong.
    pub presentation: u64,
}

/// Checks an answer file. `report` hears of every fault, in order; unless the job keeps going the check ends at the first
/// wrong answer. Whoever polls this reads the answer file, so it is for `block_on`, not for a task.
///
/// An answer file that is no text, as its reader says by `InvalidData`, is a wrong answer.
///
/// # Errors
/// Whatever of the input or the servers comes first in file order; a bad case ends the check.
pub async fn check(
    client: &Pool,
    job: Job,
    input: impl Read + Send + 'static,
    answers: impl Read,
    meter: &Arc<Meter>,
    report: &mut dyn FnMut(Diagnostic),
) -> Result<Report, Error> {
    let (boards, right) = client.solve(job.format.outcome_only());
    let reading = Job { keep_going: false, ..job };
    feed::start(reading, client.sizes(), input, meter, Board::clone, boards).map_err(Error::Read)?;
    let (answers, right) = (Checker::new(job.format, answers), Right::new(right, meter.clone()));
    let mut check = Check { client, keep_going: job.keep_going, answers, right, report, done: Report::default() };
    match check.run().await {
        Err(Error::Answers(error)) if error.kind() == io::ErrorKind::InvalidData => {
            check.found(Diagnostic::new(Kind::WrongAnswer, Place::line(1), error.to_string()));
        }
        done => done?,
    }
    Ok(check.done)
}

struct Check<'a, R> {
    client: &'a Pool,
    keep_going: bool,
    answers: Checker<R>,
    right: Right,
    report: &'a mut dyn FnMut(Diagnostic),
    done: Report,
}

impl<R: Read> Check<'_, R> {
    async fn run(&mut self) -> Result<(), Error> {
        while let Some(Entry { tag, answer }) = self.right.next().await? {
            match (tag, answer) {
                (Ok(case), Some(Ok(answer))) => {
                    if !self.case(case.number, &case.kept, &answer).await? {
                        return Ok(());
                    }
                }
                (Ok(case), lost) => return Err(Error::Bad(error::of_board(&case, lost.and_then(Result::err)))),
                (Err(ReadError::Input(fault)), _) => return Err(Error::Bad(fault)),
                (Err(ReadError::Io(error)), _) => return Err(Error::Read(error)),
            }
        }
        if let Some(found) = self.answers.rest().map_err(Error::Answers)? {
            self.found(found);
        }
        Ok(())
    }

    /// Checks one case; false when the check is over.
    async fn case(&mut self, number: u64, board: &Board, answer: &Answer) -> Result<bool, Error> {
        self.done.cases += 1;
        if self.answers.is_right(number, answer).map_err(Error::Answers)? {
            return Ok(true);
        }
        let following = match self.answers.looks_ahead(number, board).map_err(Error::Answers)? {
            true => self.right.ahead(LOOK_AHEAD).await,
            false => (Vec::new(), false),
        };
        let mistake = self.answers.mistake(number, board, answer, &following).map_err(Error::Answers)?;
        let Some(mistake) = mistake else { return Ok(true) };
        let found = match mistake.asks() {
            None => mistake.found,
            Some(moves) => {
                let told = self.client.explain(board, &moves, Wants::default()).await.map_err(Error::Client)?;
                mistake.explained(told.as_ref().map_err(|error| error as &dyn fmt::Display))
            }
        };
        let goes_on = found.kind == Kind::Presentation || (self.keep_going && !found.is_last);
        self.found(found);
        Ok(goes_on)
    }

    fn found(&mut self, found: Diagnostic) {
        *if found.kind == Kind::Presentation { &mut self.done.presentation } else { &mut self.done.wrong } += 1;
        (self.report)(found);
    }
}
