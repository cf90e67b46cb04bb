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
use crate::judge::check::align::{self, Belongs};
use crate::judge::check::answers::{AnswerText, Chunk, Given, Says};
use crate::judge::check::verdict::{self, Fault};
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
    let (text, right) = (AnswerText::new(job.format, answers), Right::new(right, meter.clone()));
    let mut checker =
        Checker { client, job, text, right, tell, report: Report::default(), line: Vec::new(), unclear: None };
    while let Some(Entry { tag, answer }) = checker.right.next().await? {
        match (tag, answer) {
            (Tag::Case { number, kept, .. }, Some(Ok(answer))) => {
                if !checker.case(number, &kept, &answer).await? {
                    return Ok(checker.report);
                }
            }
            (Tag::Case { number, place, .. }, lost) => {
                return Err(Error::Bad(Complaint::of_board(number, place, lost.and_then(Result::err))).into());
            }
            (Tag::Bad(fault), _) => return Err(Error::Bad((*fault).into()).into()),
            (Tag::Unread(error), _) => return Err(Error::Read(*error).into()),
        }
    }
    checker.rest()?;
    Ok(checker.report)
}

struct Checker<'a, R> {
    client: &'a Pool,
    job: &'a Job,
    text: AnswerText<R>,
    right: Right,
    tell: &'a mut dyn FnMut(&Finding),
    report: Report,
    line: Vec<u8>,
    /// The right answer of the case before, as long as it is not clear whether something that is no answer stood in a
    /// case's place, as was taken for granted, or between: then every answer is still to be had one case earlier.
    unclear: Option<Answer>,
}

impl<R: Read> Checker<'_, R> {
    /// Checks one case; false when the check is over.
    async fn case(&mut self, number: u64, board: &Board, answer: &Answer) -> Result<bool, CheckError> {
        self.report.cases += 1;
        self.line.clear();
        judge::write_answer(self.job.format, number, answer.outcome(), answer.winning_cells(), &mut self.line);
        if self.unclear.is_none() && self.text.take(&self.line).map_err(CheckError::Answers)? {
            return Ok(true);
        }
        let (stray, given) = self.find(number, board, answer).await?;
        let mut goes_on = true;
        let mut found = None;
        if let Some(given) = given {
            let fault = verdict::fault(self.job.format, number, board, answer, &given, &self.line);
            goes_on = !matches!(given.says, Says::TooLong | Says::Nothing);
            found = Some(Finding {
                line: verdict::line(&fault, &given, &self.line),
                case: Some(number),
                is_presentation: matches!(fault, Fault::Presentation(_)),
                message: self.message(number, board, answer, &given, &fault).await?,
            });
        }
        if let Some(stray) = stray {
            let behind = found.map_or_else(
                || "the answer behind it is right".into(),
                |found| format!("behind it, on line {}: {}", found.line, found.message),
            );
            let expected = verdict::expected(self.job.format, number);
            found = Some(Finding {
                line: stray.line_of_word(0),
                case: Some(number),
                is_presentation: false,
                message: format!("{} is no answer: expected {expected}; {behind}", stray.head),
            });
        }
        let Some(found) = found else { return Ok(true) };
        let is_presentation = found.is_presentation;
        self.found(found);
        Ok(is_presentation || (self.job.all && goes_on))
    }

    /// What stands in a case's place, if it is not what is right to the byte; before it the first chunk that is in nobody's.
    async fn find(
        &mut self,
        number: u64,
        board: &Board,
        answer: &Answer,
    ) -> Result<(Option<Given>, Option<Given>), CheckError> {
        let (mut before, mut stray, mut passed) = (self.unclear.take(), None, 0);
        while !self.text.take(&self.line).map_err(CheckError::Answers)? {
            let chunk = self.text.next(cells(board)).map_err(CheckError::Answers)?;
            let is_before = before.as_ref().is_some_and(|before| align::agrees(&chunk.says, before));
            match self.belongs(number, board, answer, &chunk, is_before).await.map_err(CheckError::Answers)? {
                Belongs::Ahead => return Ok((stray, Some(self.text.left(&chunk)))),
                Belongs::Nowhere => {
                    let mut given = self.text.given(chunk, number);
                    if passed > align::PASSED {
                        given.says = Says::TooLong;
                        return Ok((stray, Some(given)));
                    }
                    passed += given.text.len();
                    // The answer of the case before: what put it here was told, and now it is clear.
                    if is_before {
                        before = None;
                    } else {
                        stray.get_or_insert(given);
                    }
                }
                belongs => {
                    let stays = is_before || (before.is_some() && !align::agrees(&chunk.says, answer));
                    self.unclear = (stays || belongs == Belongs::Unclear).then(|| answer.clone());
                    return Ok((stray, Some(self.text.given(chunk, number))));
                }
            }
        }
        let is_same =
            |before: &Answer| (before.outcome(), before.winning_cells()) == (answer.outcome(), answer.winning_cells());
        self.unclear = before.filter(is_same);
        Ok((stray, None))
    }

    /// Where a chunk belongs; `is_before`: perhaps to the case before.
    async fn belongs(
        &mut self,
        number: u64,
        board: &Board,
        answer: &Answer,
        chunk: &Chunk,
        is_before: bool,
    ) -> io::Result<Belongs> {
        let format = self.job.format;
        let is_clear = match format.numbers_answers() {
            true => chunk.label == Some(number) || matches!(chunk.says, Says::Nothing | Says::TooLong),
            false => !is_before && !matches!(chunk.says, Says::Unreadable(_)),
        };
        if is_clear {
            return Ok(Belongs::Here);
        }
        let (right, is_end) = self.right.ahead(align::SIGHT).await;
        let widest = right.iter().map(|(board, _)| cells(board)).fold(cells(board), usize::max);
        if format.numbers_answers() {
            let (chunks, _) = self.text.ahead(widest, align::UNREADABLE + 1, align::UNREADABLE)?;
            return Ok(align::of_numbered(number, &chunks, is_end.then_some(right.len())));
        }
        let most = if is_end { align::SIGHT } else { right.len() + 1 };
        let chunks = self.text.ahead(widest, most, align::UNREADABLE)?;
        let answers: Vec<&Answer> = [answer].into_iter().chain(right.iter().map(|(_, answer)| *answer)).collect();
        Ok(align::of_stray((&chunks.0, chunks.1), (&answers, is_end)))
    }

    /// What stands behind the last answer.
    fn rest(&mut self) -> Result<(), CheckError> {
        if let Some(before) = self.unclear.take() {
            let chunk = self.text.next(before.winning_cells().len()).map_err(CheckError::Answers)?;
            if align::agrees(&chunk.says, &before) {
                self.text.given(chunk, self.report.cases);
            }
        }
        let (line, word, is_there) = self.text.rest().map_err(CheckError::Answers)?;
        let (is_presentation, message) = match word {
            Some(word) => (false, format!("found {word} behind the answer of the last case")),
            None if is_there => (true, "there are empty lines or blanks behind the last answer".into()),
            None => return Ok(()),
        };
        self.found(Finding { line, case: None, is_presentation, message });
        Ok(())
    }

    fn found(&mut self, finding: Finding) {
        *if finding.is_presentation { &mut self.report.presentation } else { &mut self.report.wrong } += 1;
        (self.tell)(&finding);
    }

    /// What is wrong, with the move that shows it.
    async fn message(
        &self,
        number: u64,
        board: &Board,
        answer: &Answer,
        given: &Given,
        fault: &Fault,
    ) -> Result<String, CheckError> {
        let format = self.job.format;
        let claim = verdict::claim(format, given, answer);
        match fault {
            Fault::Presentation(message) => return Ok(message.clone()),
            Fault::Plain(message, _) => return Ok(format!("{message}; {claim}")),
            _ => {}
        }
        let columns = match board {
            Board::Darkraft(grid) => Some(grid.columns()),
            Board::Treblecross(_) | Board::EndNim(_) => None,
        };
        let told = self
            .client
            .explain(board, &verdict::asked(fault), Wants::default())
            .await
            .map_err(|error| Error::Client { error, blamed: None })?;
        let reason = match told {
            Ok(told) => match fault {
                Fault::WrongLoss => verdict::winning_move(columns, &told),
                Fault::WrongWin => {
                    let why = verdict::lost(&told);
                    let job = &self.job;
                    format!(
                        "the first player loses: {why}; try any move: sprague explain -f {format} {} --case {number} \
                         --move MOVE",
                        argument(&job.input)
                    )
                }
                Fault::LosingMove(..) => verdict::losing_move(columns, &told),
                _ => verdict::missing_move(columns, &told),
            },
            // A board that can be solved and is too much to explain.
            Err(error) => format!("no reason can be given: {error}"),
        };
        Ok(format!("{claim}; {reason}"))
    }
}

/// Cells of a board of a format that lists positions.
fn cells(board: &Board) -> usize {
    match board {
        Board::Treblecross(strip) => strip.cells().len(),
        Board::Darkraft(_) | Board::EndNim(_) => 0,
    }
}
