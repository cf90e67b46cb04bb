//! Reads the cases of a judge file as a stream.

use std::io::{self, Read};

use sprague_games::games::{Board, Sizes};
use sprague_games::message::count;

use super::darkraft;
use super::end_nim;
use super::format::{Cases, Format};
use super::limit::Limit;
use super::text::{self, ParseError, Place, Stop, Text};
use super::treblecross;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Hold the file to the limits of the statement.
    pub strict: bool,
    /// The largest boards: what is larger is refused without being held in memory.
    pub sizes: Sizes,
}

/// One case of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Which one, from 1.
    pub number: u64,
    /// Where it begins.
    pub place: Place,
    /// Its board.
    pub board: Board,
    spots: Spots,
}

/// Where the cells of a board stand.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Spots {
    /// One after the other from the case's place on.
    Run,
    /// The rows of a grid begin here.
    Rows(Vec<Place>),
    /// Not kept: the case's place stands for all.
    Whole,
}

impl Case {
    /// The place of the cell at an offset into the board (a `BoardError`'s); the case's place where cells are not
    /// written one by one: a board given by its length, a row of piles.
    pub fn place_of(&self, offset: u32) -> Place {
        match (&self.spots, &self.board) {
            (Spots::Run, _) => self.place.right(offset.into()),
            (Spots::Rows(rows), Board::Darkraft(board)) => {
                let row = rows.get((offset / board.columns()) as usize);
                row.map_or(self.place, |row| row.right((offset % board.columns()).into()))
            }
            _ => self.place,
        }
    }
}

/// What a reader comes upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A case.
    Case(Case),
    /// Nothing yet: the next call may wait for the source, so what is in hand is better sent off first.
    Starved,
    /// The end of a file whose cases are all there.
    End,
}

/// Why a reader has no case to give.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source failed; nothing follows.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is at fault.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A fault of the input: `LINE:COLUMN: case K: what is wrong`, without `case K: ` when it is one of the whole file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{message}", case.map(|case| format!("case {case}: ")).unwrap_or_default())]
pub struct InputError {
    /// Where.
    pub place: Place,
    /// The case whose answer is lost; none for a fault of the file (a bad T, too few cases, text after the last).
    pub case: Option<u64>,
    /// What is wrong and what to do.
    pub message: String,
    /// Nothing follows; otherwise the reader goes on behind the fault.
    pub is_last: bool,
}

/// Reads the cases of a file as a stream, in flat memory.
#[derive(Debug)]
pub struct Reader<R> {
    format: Format,
    options: Options,
    text: Text<R>,
    stage: Stage,
    /// Cases that are over, good or bad.
    done: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Cases { total: Option<u64> },
    Over,
}

impl<R: Read> Reader<R> {
    /// A reader at the beginning of `source`; nothing is read yet.
    pub fn new(format: Format, options: Options, source: R) -> Reader<R> {
        Reader { format, options, text: Text::new(source), stage: Stage::Start, done: 0 }
    }

    /// The next case, fault or end. After the end, and after a fault that is the last, always `End`.
    ///
    /// # Errors
    /// The source's, or a fault of the input. One fault a case at most; a case with a fault is over.
    pub fn next_case(&mut self) -> Result<Next, ReadError> {
        let (case, found) = self.step();
        let error = match found {
            Ok(Next::End) => {
                self.stage = Stage::Over;
                return Ok(Next::End);
            }
            Ok(next) => return Ok(next),
            Err(Stop::Starved) => return Ok(Next::Starved),
            Err(Stop::Io(error)) => {
                self.stage = Stage::Over;
                return Err(error.into());
            }
            Err(Stop::Fault(error)) => error,
        };
        let ParseError { place, mut message, is_last } = error;
        if is_last {
            self.stage = Stage::Over;
        } else if case.is_some() {
            self.done += 1;
        }
        if is_last && case.is_some() {
            message += "; no case after this one can be read";
        }
        Err(InputError { place, case, message, is_last }.into())
    }

    /// What comes next, and the case that a fault is laid to.
    fn step(&mut self) -> (Option<u64>, Result<Next, Stop>) {
        if self.stage == Stage::Start
            && let Err(stop) = self.start()
        {
            return (None, Err(stop));
        }
        let Stage::Cases { total } = self.stage else { return (None, Ok(Next::End)) };
        self.text.begin();
        if total == Some(self.done) {
            return (None, self.end(self.done));
        }
        let number = self.done + 1;
        match self.case(number) {
            Ok(Some(case)) => {
                self.done = number;
                (None, Ok(Next::Case(case)))
            }
            Ok(None) => (None, self.too_short(total)),
            Err(stop) => (Some(number), Err(stop)),
        }
    }

    /// Reads T, in the formats that have it.
    fn start(&mut self) -> Result<(), Stop> {
        let at_most = match self.format.cases() {
            Cases::Counted { at_most } => at_most,
            Cases::One => {
                self.stage = Stage::Cases { total: Some(1) };
                return Ok(());
            }
            Cases::UntilTheEnd => {
                self.stage = Stage::Cases { total: None };
                return Ok(());
            }
        };
        let total = self.text.number()?.unwrap_or_else(|| Err("the file is empty".into()));
        let place = self.text.place();
        let fault = |message, is_last| ParseError { place, message, is_last };
        let total = total.map_err(|found| fault(format!("{found}: expected T, the number of cases"), true))?;
        self.stage = Stage::Cases { total: Some(total) };
        if self.options.strict && !(1..=at_most).contains(&total) {
            let message = format!("T is {total}: the statement allows 1 to {at_most} (--strict)");
            return Err(fault(message, false).into());
        }
        Ok(())
    }

    /// The end, where only white space may follow the last case.
    fn end(&mut self, total: u64) -> Result<Next, Stop> {
        let Some(word) = self.text.word(32)? else { return Ok(Next::End) };
        let found = text::quote(&word);
        let message = match (self.format, total) {
            (Format::Codeforces138d, _) => format!(
                "found {found} after the one case of codeforces138d; for several cases use gdoi2016, whose letters differ"
            ),
            (_, 0) => format!("found {found} after T, which is 0"),
            _ => format!("found {found} after case {total}, the last by T"),
        };
        Err(ParseError { place: self.text.place(), message, is_last: true }.into())
    }

    /// What the end of the text means where a case could begin.
    fn too_short(&mut self, total: Option<u64>) -> Result<Next, Stop> {
        let message = match (self.format, total) {
            (_, None) => return Ok(Next::End),
            (Format::Codeforces138d, _) => "the file is empty: expected n and m, and n rows of m letters".into(),
            (_, Some(total)) => format!("T is {total}, but the file ends after {}", count(self.done, "case")),
        };
        Err(ParseError { place: self.text.place(), message, is_last: true }.into())
    }

    /// Reads a case; none at the end of the text.
    fn case(&mut self, number: u64) -> Result<Option<Case>, Stop> {
        let Options { strict, sizes } = self.options;
        let statement = strict.then(|| self.format.largest_board());
        let limit = |server| Limit { statement, server };
        let text = &mut self.text;
        let found = match self.format {
            Format::Uva10561 | Format::Lightoj1229 => {
                let board = treblecross::read_cells(text, limit(sizes.treblecross_cells))?;
                board.map(|board| (text.place(), Board::Treblecross(board), Spots::Run))
            }
            Format::Poj3537 => {
                let board = treblecross::read_length(text, limit(sizes.treblecross_cells))?;
                board.map(|board| (text.place(), Board::Treblecross(board), Spots::Whole))
            }
            Format::Codeforces138d | Format::Gdoi2016 => {
                let limits = darkraft::Limits {
                    rows: limit(sizes.darkraft_rows.into()),
                    columns: limit(sizes.darkraft_columns.into()),
                };
                let letters = if self.format == Format::Gdoi2016 {
                    &darkraft::GDOI_LETTERS
                } else {
                    &darkraft::CODEFORCES_LETTERS
                };
                let grid = darkraft::read(text, letters, limits)?;
                grid.map(|(place, board, rows)| (place, Board::Darkraft(board), Spots::Rows(rows)))
            }
            Format::LuoguP2599 => {
                let row = end_nim::read(text, limit(sizes.end_nim_piles), strict.then_some(end_nim::LARGEST_PILE))?;
                row.map(|(place, board)| (place, Board::EndNim(board), Spots::Whole))
            }
        };
        Ok(found.map(|(place, board, spots)| Case { number, place, board, spots }))
    }
}
