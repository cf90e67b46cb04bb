//! Somebody's answer file against the right answers: a case at a time, in flat memory, with the move that shows a fault.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use super::fault::{Complaint, Error};
use super::feed::{self, Meter, Reading, Tag};
use super::right::{Entry, Right};
use crate::client::Pool;
use crate::explain::Wants;
use crate::games::{Answer, Board};
use crate::judge::check::{Checker, LOOK_AHEAD};
use crate::judge::{self, Format};
use crate::notation::argument;

/// What is to be checked.
#[derive(Debug, Clone)]
pub struct Job {
    /// The words both files are written in.
    pub format: Format,
    /// Hold the input to the statement's limits.
    pub strict: bool,
    /// Go on behind a wrong answer.
    pub all: bool,
    /// The input's path, for the command that shows more.
    pub input: PathBuf,
}

/// A fault of an answer file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line of the answer file.
    pub line: u64,
    /// The case; none for what stands behind the last.
    pub case: Option<u64>,
    /// What is said is right, and laid out wrong.
    pub is_presentation: bool,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.line)?;
        if let Some(case) = self.case {
            write!(f, "case {case}: ")?;
        }
        write!(f, "{}: {}", if self.is_presentation { "presentation" } else { "wrong answer" }, self.message)
    }
}

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

/// Why a check did not reach its end.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The input, or the servers.
    #[error(transparent)]
    Run(#[from] Error),
    /// The answer file cannot be read.
    #[error("cannot be read: {0}")]
    Answers(io::Error),
}

/// Checks an answer file. `tell` hears of every fault, in order; without `all` the check ends at the first wrong answer.
/// Whoever polls this reads the answer file, so it is for `block_on`, not for a task.
///
/// An answer file that is no text, as its reader says by `InvalidData`, is a wrong answer.
///
/// # Errors
/// Whatever of the input or the servers comes first in file order.
pub async fn check(
    client: &Pool,
    job: &Job,
    input: impl Read + Send + 'static,
    answers: impl Read,
    meter: &Arc<Meter>,
    tell: &mut dyn FnMut(&Finding),
) -> Result<Report, CheckError> {
    let options = judge::Options { strict: job.strict, sizes: client.sizes() };
    let (boards, right) = client.solve(job.format.outcome_only());
    let reading = Reading { format: job.format, options, keep_going: false };
    feed::start(reading, input, meter, Board::clone, boards).map_err(Error::Read)?;
    let (answers, right) = (Checker::new(job.format, answers), Right::new(right, meter.clone()));
    let mut check = Check { client, job, answers, right, tell, report: Report::default() };
    match check.run().await {
        Err(CheckError::Answers(error)) if error.kind() == io::ErrorKind::InvalidData => {
            check.found(Finding { line: 1, case: None, is_presentation: false, message: error.to_string() });
        }
        done => done?,
    }
    Ok(check.report)
}

struct Check<'a, R> {
    client: &'a Pool,
    job: &'a Job,
    answers: Checker<R>,
    right: Right,
    tell: &'a mut dyn FnMut(&Finding),
    report: Report,
}

impl<R: Read> Check<'_, R> {
    async fn run(&mut self) -> Result<(), CheckError> {
        while let Some(Entry { tag, answer }) = self.right.next().await? {
            match (tag, answer) {
                (Tag::Case { number, kept, .. }, Some(Ok(answer))) => {
                    if !self.case(number, &kept, &answer).await? {
                        return Ok(());
                    }
                }
                (Tag::Case { number, place, .. }, lost) => {
                    return Err(Error::Bad(Complaint::of_board(number, place, lost.and_then(Result::err))).into());
                }
                (Tag::Bad(fault), _) => return Err(Error::Bad((*fault).into()).into()),
                (Tag::Unread(error), _) => return Err(Error::Read(*error).into()),
            }
        }
        if let Some((line, is_presentation, message)) = self.answers.rest().map_err(CheckError::Answers)? {
            self.found(Finding { line, case: None, is_presentation, message });
        }
        Ok(())
    }

    /// Checks one case; false when the check is over.
    async fn case(&mut self, number: u64, board: &Board, answer: &Answer) -> Result<bool, CheckError> {
        self.report.cases += 1;
        if self.answers.is_right(number, answer).map_err(CheckError::Answers)? {
            return Ok(true);
        }
        let following = match self.answers.looks_ahead(number, board).map_err(CheckError::Answers)? {
            true => self.right.ahead(LOOK_AHEAD).await,
            false => (Vec::new(), false),
        };
        let mistake = self.answers.mistake(number, board, answer, &following).map_err(CheckError::Answers)?;
        let Some(mistake) = mistake else { return Ok(true) };
        let told = match mistake.asks() {
            None => None,
            Some(moves) => {
                let told = self.client.explain(board, &moves, Wants::default()).await;
                Some(told.map_err(|error| Error::Client { error, blamed: None })?)
            }
        };
        let told = told.as_ref().map(|told| told.as_ref().map_err(|error| error as &dyn fmt::Display));
        let Job { format, input, all, .. } = self.job;
        let try_moves = format!("sprague explain -f {format} {} --case {number} --move MOVE", argument(input));
        let (line, is_presentation) = (mistake.line(), mistake.is_presentation());
        let message = mistake.message(told, &try_moves);
        self.found(Finding { line, case: Some(number), is_presentation, message });
        Ok(is_presentation || (*all && !mistake.is_last()))
    }

    fn found(&mut self, finding: Finding) {
        *if finding.is_presentation { &mut self.report.presentation } else { &mut self.report.wrong } += 1;
        (self.tell)(&finding);
    }
}
