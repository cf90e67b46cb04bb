//! Somebody's answer file against the right answers, a case at a time, in flat memory. Which answers are right, and why, the
//! caller knows.

mod answers;
mod align;
mod verdict;

use std::fmt::{self, Display};
use std::io::{self, Read};

use sprague_games::explain::{Explanation, Move};
use sprague_games::games::{Answer, Board};

use self::align::Belongs;
use self::answers::{AnswerText, Chunk, Says};
use self::verdict::{Fault, Refutation};
use super::diagnostic::{Diagnostic, Kind, Place};
use super::format::Format;
use super::writer::write_answer;

/// How many of the cases that follow are worth knowing, see `Checker::mistake`.
pub const LOOK_AHEAD: usize = align::LOOK_AHEAD;

/// Bytes that belong to no case, after which a case's answer is no longer looked for.
const MOST_BETWEEN: usize = 64 * 1024;

/// An answer file, as far as it is not yet compared.
pub struct Checker<R> {
    format: Format,
    text: AnswerText<R>,
    /// The right answer of the case, as it is written.
    right: Vec<u8>,
    /// Something that is no answer was taken to stand between two, and may have stood in a case's place: every answer may
    /// still come a case early.
    is_unclear: bool,
}

impl<R> fmt::Debug for Checker<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

/// The cases that follow, as far as they are known: boards and right answers, and whether there are no more.
pub type Following<'a> = (Vec<(&'a Board, &'a Answer)>, bool);

impl<R: Read> Checker<R> {
    /// A checker at the beginning of `source`; nothing is read yet.
    pub fn new(format: Format, source: R) -> Checker<R> {
        Checker { format, text: AnswerText::new(format, source), right: Vec::new(), is_unclear: false }
    }

    /// Begins a case, and takes its answer if that is right to the byte. If not, `mistake` is to be called.
    ///
    /// # Errors
    /// The source's.
    pub fn is_right(&mut self, number: u64, answer: &Answer) -> io::Result<bool> {
        self.right.clear();
        write_answer(self.format, number, answer.outcome(), answer.winning_cells(), &mut self.right);
        Ok(!self.is_unclear && self.text.take(&self.right)?)
    }

    /// Whether the cases that follow are needed to tell what is wrong.
    ///
    /// # Errors
    /// The source's.
    pub fn looks_ahead(&mut self, number: u64, board: &Board) -> io::Result<bool> {
        let piece = self.text.next(cells(board))?;
        Ok(self.is_unclear || !self.is_clear(number, &piece))
    }

    fn is_clear(&self, number: u64, piece: &Chunk) -> bool {
        match (self.format.numbers_answers(), &piece.says) {
            (_, Says::Nothing | Says::TooLong) => true,
            (true, _) => piece.label == Some(number),
            (false, says) => !matches!(says, Says::Unreadable(_)),
        }
    }

    /// What is wrong with the answer of the case that `is_right` began: nothing, if it is right after all. `following` are
    /// `LOOK_AHEAD` cases, or none if the checker does not look ahead.
    ///
    /// # Errors
    /// The source's.
    pub fn mistake(
        &mut self,
        number: u64,
        board: &Board,
        answer: &Answer,
        following: &Following<'_>,
    ) -> io::Result<Option<Mistake>> {
        let expected = verdict::expected(self.format, number);
        // Something before the answer that is none: its line, and its first word.
        let mut between: Option<(u64, String)> = None;
        let wrong = |line, message| Diagnostic {
            case: Some(number),
            ..Diagnostic::new(Kind::WrongAnswer, Place::line(line), message)
        };
        let mut passed = 0;
        while !self.text.take(&self.right)? {
            let piece = self.text.next(cells(board))?;
            if self.is_unclear && between.is_none() {
                let is_next = match following.0.first() {
                    Some((_, next)) => align::agrees(&piece.says, next),
                    None => piece.says == Says::Nothing && following.1,
                };
                let is_here = align::agrees(&piece.says, answer);
                self.is_unclear = is_here && is_next;
                if is_next && !is_here {
                    // What was no answer stood in a case's place, and that was told: now it is clear.
                    return Ok(None);
                }
            }
            let given = match self.belongs(number, board, answer, following, &piece)? {
                Belongs::Here => self.text.given(piece, number),
                Belongs::Later => self.text.left(&piece),
                Belongs::Between { perhaps_here } => {
                    self.is_unclear = perhaps_here;
                    let mut given = self.text.given(piece, number);
                    passed += given.text.len();
                    if passed <= MOST_BETWEEN {
                        between.get_or_insert((given.line_of_word(0), given.head));
                        continue;
                    }
                    given.says = Says::TooLong;
                    given
                }
            };
            let fault = verdict::fault(self.format, number, board, answer, &given, &self.right);
            let line = verdict::line(&fault, &given, &self.right);
            let claim = || verdict::claim(self.format, &given, answer);
            let (kind, message, refutation) = match fault {
                Fault::Presentation(message) => (Kind::Presentation, message, None),
                Fault::Plain(message, _) => (Kind::WrongAnswer, format!("{message}; {}", claim()), None),
                Fault::Refuted(refutation, _) => (Kind::WrongAnswer, claim(), Some(refutation)),
            };
            let found = match between {
                None => Diagnostic { kind, ..wrong(line, message) },
                Some((at, head)) => {
                    wrong(at, format!("{head} is no answer: expected {expected}; behind it, on line {line}: {message}"))
                }
            };
            let is_last = matches!(given.says, Says::TooLong | Says::Nothing);
            return Ok(Some(Mistake { found: Diagnostic { is_last, ..found }, refutation }));
        }
        let is_same =
            |next: &Answer| (next.outcome(), next.winning_cells()) == (answer.outcome(), answer.winning_cells());
        self.is_unclear &= following.0.first().is_some_and(|(_, next)| is_same(next));
        Ok(between.map(|(line, head)| {
            let message = format!("{head} is no answer: expected {expected}; the answer behind it is right");
            Mistake { found: wrong(line, message), refutation: None }
        }))
    }

    fn belongs(
        &mut self,
        number: u64,
        board: &Board,
        answer: &Answer,
        (following, is_end): &Following<'_>,
        piece: &Chunk,
    ) -> io::Result<Belongs> {
        if self.is_clear(number, piece) {
            return Ok(Belongs::Here);
        }
        let widest = following.iter().map(|(board, _)| cells(board)).fold(cells(board), usize::max);
        let most = if *is_end { LOOK_AHEAD } else { following.len() + 1 };
        let (pieces, pieces_end) = self.text.ahead(widest, most, align::MOST_UNREADABLE)?;
        if self.format.numbers_answers() {
            return Ok(align::of_numbered(number, &pieces, is_end.then_some(following.len())));
        }
        let answers: Vec<&Answer> = [answer].into_iter().chain(following.iter().map(|(_, answer)| *answer)).collect();
        Ok(align::of_unreadable((&pieces, pieces_end), (&answers, *is_end)))
    }

    /// What stands behind the last answer, if anything.
    ///
    /// # Errors
    /// The source's.
    pub fn rest(&mut self) -> io::Result<Option<Diagnostic>> {
        let (line, word, is_there) = self.text.rest()?;
        let (kind, message) = match word {
            Some(word) => (Kind::WrongAnswer, format!("found {word} behind the answer of the last case")),
            None if is_there => (Kind::Presentation, "there are empty lines or blanks behind the last answer".into()),
            None => return Ok(None),
        };
        Ok(Some(Diagnostic::new(kind, Place::line(line), message)))
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// It, without the reason.
    pub found: Diagnostic,
    refutation: Option<Refutation>,
}

impl Mistake {
    /// The moves that the explanation is to be of which shows the mistake; none if it needs no explanation.
    pub fn asks(&self) -> Option<Vec<Move>> {
        self.refutation.map(Refutation::asks)
    }

    /// What is wrong, with the reason by the explanation that was asked for, or what is the matter with that.
    pub fn explained(self, told: Result<&Explanation, &dyn Display>) -> Diagnostic {
        let Mistake { mut found, refutation } = self;
        let reason = match (refutation, told) {
            (None, _) => return found,
            // A board that can be solved and is too much to explain.
            (Some(_), Err(error)) => format!("no reason can be given: {error}"),
            (Some(refutation), Ok(told)) => {
                if refutation == Refutation::WrongWin {
                    found.kind = Kind::NoWinningMove;
                }
                refutation.reason(told)
            }
        };
        found.message += "; ";
        found.message += &reason;
        found
    }
}

/// Cells of a board of a format that lists positions.
fn cells(board: &Board) -> usize {
    if let Board::Treblecross(strip) = board { strip.cells().len() } else { 0 }
}
