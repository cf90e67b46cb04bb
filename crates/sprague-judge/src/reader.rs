//! Reads the cases of a judge file as a stream.

use std::io::Read;
use std::ops::RangeInclusive;

use sprague_games::games::{Board, Sizes};
use sprague_games::message::count;

use super::darkraft;
use super::description::{BoardWords, Cases, Description, Element, Number, Unit, line_in_words};
use super::diagnostic::{Diagnostic, Kind, Place, ReadError};
use super::end_nim;
use super::format::Format;
use super::limit::Limit;
use super::text::{self, Text};
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
    /// One after the other from here on.
    Run(Place),
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
            (Spots::Run(first), _) => first.right(offset.into()),
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

/// Reads the cases of a file as a stream, in flat memory.
#[derive(Debug)]
pub struct Reader<R> {
    format: &'static Description,
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
        Reader { format: format.0, options, text: Text::new(source), stage: Stage::Start, done: 0 }
    }

    /// The next case, fault or end. After the end, and after a fault that is the last, always `End`.
    ///
    /// # Errors
    /// The source's, or a fault of the input. One fault a case at most; a case with a fault is over.
    pub fn next_case(&mut self) -> Result<Next, ReadError> {
        let (case, found) = self.step();
        match found {
            Err(_) if self.text.is_starved() => Ok(Next::Starved),
            Err(ReadError::Input(mut fault)) => {
                fault.case = case;
                if fault.is_last {
                    self.stage = Stage::Over;
                } else if case.is_some() {
                    self.done += 1;
                }
                Err(ReadError::Input(fault))
            }
            Ok(Next::End) | Err(ReadError::Io(_)) => {
                self.stage = Stage::Over;
                found
            }
            Ok(Next::Case(_) | Next::Starved) => found,
        }
    }

    /// What comes next, and the case that a fault is laid to.
    fn step(&mut self) -> (Option<u64>, Result<Next, ReadError>) {
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
    fn start(&mut self) -> Result<(), ReadError> {
        let limits = match &self.format.cases {
            Cases::Count(limits) => limits,
            Cases::One { .. } => {
                self.stage = Stage::Cases { total: Some(1) };
                return Ok(());
            }
            Cases::End => {
                self.stage = Stage::Cases { total: None };
                return Ok(());
            }
        };
        let total = self.text.number()?.unwrap_or_else(|| Err("the file is empty".into()));
        let place = self.text.place();
        let unread = |found| Diagnostic::input(place, format!("{found}: expected T, the number of cases")).last();
        let total = total.map_err(unread)?;
        self.stage = Stage::Cases { total: Some(total) };
        if self.options.strict && !limits.contains(&total) {
            let (least, most) = (limits.start(), limits.end());
            let message = format!("T is {total}: the statement allows {least} to {most}");
            return Err(Diagnostic::new(Kind::Limit, place, message).into());
        }
        Ok(())
    }

    /// The end, where only white space may follow the last case.
    fn end(&mut self, total: u64) -> Result<Next, ReadError> {
        let Some(word) = self.text.word(32)? else { return Ok(Next::End) };
        let found = text::quote(&word);
        let message = match (&self.format.cases, total) {
            (Cases::One { several }, _) => {
                let advice = several.map(|advice| format!("; {advice}")).unwrap_or_default();
                format!("found {found} after the one case of {}{advice}", self.format.name)
            }
            (Cases::Count(_) | Cases::End, 0) => format!("found {found} after T, which is 0"),
            (Cases::Count(_) | Cases::End, _) => format!("found {found} after case {total}, the last by T"),
        };
        Err(Diagnostic::input(self.text.place(), message).last().into())
    }

    /// What the end of the text means where a case could begin.
    fn too_short(&mut self, total: Option<u64>) -> Result<Next, ReadError> {
        let message = match (&self.format.cases, total) {
            (_, None) => return Ok(Next::End),
            (Cases::One { .. }, _) => format!("the file is empty: expected {}", self.format.case_in_words()),
            (_, Some(total)) => format!("T is {total}, but the file ends after {}", count(self.done, "case")),
        };
        Err(Diagnostic::input(self.text.place(), message).last().into())
    }

    /// Reads a case; none at the end of the text.
    fn case(&mut self, number: u64) -> Result<Option<Case>, ReadError> {
        let mut begun = Begun { place: None, numbers: Vec::new() };
        let mut found = None;
        for element in self.format.case {
            match element {
                Element::LineEnd => {}
                Element::Number(number) => {
                    let value = match self.text.number()? {
                        None if begun.place.is_none() => return Ok(None),
                        found => found.unwrap_or_else(|| Err("the file ends".into())),
                    };
                    let place = self.text.place();
                    let value = value.map_err(|found| {
                        Diagnostic::input(place, format!("{found}: expected {}", self.format.named(number))).last()
                    })?;
                    begun.place.get_or_insert(place);
                    begun.numbers.push((number, value));
                }
                Element::Board(words) => match self.board(words, &begun)? {
                    None if begun.place.is_none() => return Ok(None),
                    None => {
                        let message =
                            format!("the file ends: expected {}", line_in_words(std::slice::from_ref(element)));
                        return Err(Diagnostic::input(self.text.place(), message).last().into());
                    }
                    board => {
                        begun.place.get_or_insert(self.text.place());
                        found = board;
                    }
                },
            }
        }
        let place = begun.place;
        Ok(found.zip(place).map(|((board, spots), place)| Case { number, place, board, spots }))
    }

    /// Reads a board; none at the end of the text.
    #[inline]
    fn board(&mut self, words: &BoardWords, begun: &Begun) -> Result<Option<(Board, Spots)>, ReadError> {
        let Options { strict, sizes } = self.options;
        let limit = |limits: &RangeInclusive<u64>, unit: Unit| Limit {
            statement: strict.then_some(*limits.end()),
            server: unit.limit(&sizes),
        };
        let text = &mut self.text;
        Ok(match words {
            BoardWords::Cells { letters, limits } => {
                let board = treblecross::read_cells(text, letters, limit(limits, Unit::Cell))?;
                board.map(|board| (Board::Treblecross(board), Spots::Run(text.place())))
            }
            BoardWords::Length(length) => {
                let named = || self.format.named(length);
                let board = treblecross::read_length(text, named, limit(&length.limits, Unit::Cell))?;
                board.map(|board| (Board::Treblecross(board), Spots::Whole))
            }
            BoardWords::Grid { rows, columns, letters } => {
                let (place, rows, columns) =
                    (begun.place.unwrap_or(text.place()), begun.number(rows), begun.number(columns));
                let size = darkraft::Size {
                    rows: (rows.1, limit(&rows.0.limits, Unit::Row)),
                    columns: (columns.1, limit(&columns.0.limits, Unit::Column)),
                };
                let (board, rows) = darkraft::read(text, letters, size, place)?;
                Some((Board::Darkraft(board), Spots::Rows(rows)))
            }
            BoardWords::Piles { count, limits } => {
                let (place, count) = (begun.place.unwrap_or(text.place()), begun.number(count));
                let most = limit(&count.0.limits, Unit::Pile);
                let board = end_nim::read(text, count, most, strict.then_some(limits), place)?;
                Some((Board::EndNim(board), Spots::Whole))
            }
        })
    }
}

/// What stands in a case before its board.
struct Begun {
    /// Where the case begins; none as long as nothing is read.
    place: Option<Place>,
    numbers: Vec<(&'static Number, u64)>,
}

impl Begun {
    fn number(&self, name: &str) -> (&'static Number, u64) {
        *self.numbers.iter().find(|(number, _)| number.name == name).expect("a description that is checked")
    }
}
