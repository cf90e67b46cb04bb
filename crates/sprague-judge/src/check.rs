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
use self::verdict::Fault;
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
        let mut mistake = Mistake { between: None, expected: verdict::expected(self.format, number), wrong: None };
        let mut passed = 0;
        while !self.text.take(&self.right)? {
            let piece = self.text.next(cells(board))?;
            if self.is_unclear && mistake.between.is_none() {
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
                        mistake.between.get_or_insert((given.line_of_word(0), given.head));
                        continue;
                    }
                    given.says = Says::TooLong;
                    given
                }
            };
            let fault = verdict::fault(self.format, number, board, answer, &given, &self.right);
            mistake.wrong = Some(Wrong {
                line: verdict::line(&fault, &given, &self.right),
                is_last: matches!(given.says, Says::TooLong | Says::Nothing),
                claim: verdict::claim(self.format, &given, answer),
                fault,
            });
            return Ok(Some(mistake));
        }
        let is_same =
            |next: &Answer| (next.outcome(), next.winning_cells()) == (answer.outcome(), answer.winning_cells());
        self.is_unclear &= following.0.first().is_some_and(|(_, next)| is_same(next));
        Ok(mistake.between.is_some().then_some(mistake))
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

    /// What stands behind the last answer, if anything: its line, whether it is blank, and what is wrong.
    ///
    /// # Errors
    /// The source's.
    pub fn rest(&mut self) -> io::Result<Option<(u64, bool, String)>> {
        let (line, word, is_there) = self.text.rest()?;
        Ok(match word {
            Some(word) => Some((line, false, format!("found {word} behind the answer of the last case"))),
            None if is_there => Some((line, true, "there are empty lines or blanks behind the last answer".into())),
            None => None,
        })
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Something before the answer that is none: its line, and its first word.
    between: Option<(u64, String)>,
    /// What would be an answer.
    expected: String,
    wrong: Option<Wrong>,
}

/// What is wrong with what stands in a case's place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wrong {
    fault: Fault,
    line: u64,
    is_last: bool,
    claim: String,
}

impl Mistake {
    /// The line of the answer file on which it is to be seen.
    pub fn line(&self) -> u64 {
        let line = self.between.as_ref().map(|(line, _)| *line).or(self.wrong.as_ref().map(|wrong| wrong.line));
        line.unwrap_or(1)
    }

    /// Whether what is said is right, and laid out wrong.
    pub fn is_presentation(&self) -> bool {
        let is_presentation = |wrong: &Wrong| matches!(wrong.fault, Fault::Presentation(_));
        self.between.is_none() && self.wrong.as_ref().is_some_and(is_presentation)
    }

    /// Whether nothing behind it can be compared.
    pub fn is_last(&self) -> bool {
        self.wrong.as_ref().is_some_and(|wrong| wrong.is_last)
    }

    /// The moves that the explanation is to be of which shows the mistake; none if it needs no explanation.
    pub fn asks(&self) -> Option<Vec<Move>> {
        self.wrong.as_ref().and_then(|wrong| wrong.fault.asks())
    }

    /// What is wrong, by the explanation that was asked for, or what is the matter with that. `try_moves` is what to type to
    /// see the replies to moves.
    pub fn message(&self, told: Option<Result<&Explanation, &dyn Display>>, try_moves: &str) -> String {
        let wrong = self.wrong.as_ref().map(|Wrong { fault, claim, line, .. }| {
            let message = fault.message(claim, told, try_moves);
            (*line, message)
        });
        match (&self.between, wrong) {
            (None, wrong) => wrong.map(|(_, message)| message).unwrap_or_default(),
            (Some((_, head)), wrong) => {
                let behind = match wrong {
                    None => "the answer behind it is right".into(),
                    Some((line, message)) => format!("behind it, on line {line}: {message}"),
                };
                format!("{head} is no answer: expected {}; {behind}", self.expected)
            }
        }
    }
}

/// Cells of a board of a format that lists positions.
fn cells(board: &Board) -> usize {
    if let Board::Treblecross(strip) = board { strip.cells().len() } else { 0 }
}
