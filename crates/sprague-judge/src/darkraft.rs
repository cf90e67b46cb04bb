//! Darkraft in judge text: rows of letters; which letter kills along which diagonal is the judge's.

use std::io::Read;

use super::diagnostic::{Diagnostic, Place, ReadError};
use super::letters::GridLetters;
use super::limit::Limit;
use super::text::{self, Text, Word};
use sprague_games::games::darkraft::Board;
use sprague_games::message;

/// How much of a word in a row's place is held at least, for messages.
const SHOWN: u64 = 32;

/// The size of a grid, each side with the largest that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// n.
    pub rows: (u64, Limit),
    /// m.
    pub columns: (u64, Limit),
}

/// Reads the rows of the grid of a case that begins at `place`, and where they begin.
///
/// After a bad row the others are still read, so that the next case can be; a row whose place is taken by a number, or
/// by the end, is missing, and then nobody knows where the next case begins.
pub(super) fn read<R: Read>(
    text: &mut Text<R>,
    letters: &GridLetters,
    size: Size,
    place: Place,
) -> Result<(Board, Vec<Place>), ReadError> {
    let Size { rows: (rows, most_rows), columns: (columns, most_columns) } = size;
    if rows == 0 || columns == 0 {
        return Err(Diagnostic::input(place, format!("a grid of {rows} x {columns}: the grid has no cells")).into());
    }
    let taken = most_rows.check(rows, "row", place).and_then(|()| most_columns.check(columns, "column", place));
    let mut fault = taken.err();
    let mut grid = Grid { rows, columns, cells: Vec::new(), starts: Vec::new() };
    for number in 1..=rows {
        let found = text.word(columns.min(most_columns.largest()).max(SHOWN))?;
        let place = text.place();
        match found {
            Some(row) if !is_count(&row) => fault = fault.or_else(|| grid.add(number, &row, place, letters).err()),
            _ => {
                return Err(fault.unwrap_or_else(|| missing(number, rows, place, found)).last().into());
            }
        }
    }
    match fault {
        Some(fault) => Err(fault.into()),
        None => {
            let board = Board::new(columns as u32, grid.cells.into());
            let board = board.map_err(|found| Diagnostic::input(place, found.to_string()))?;
            Ok((board, grid.starts))
        }
    }
}

/// A grid as far as it is read.
struct Grid {
    rows: u64,
    columns: u64,
    cells: Vec<u8>,
    starts: Vec<Place>,
}

impl Grid {
    fn add(&mut self, number: u64, row: &Word, place: Place, letters: &GridLetters) -> Result<(), Diagnostic> {
        let fault = |place, message| Err(Diagnostic::input(place, message));
        let (rows, columns) = (self.rows, self.columns);
        if row.length != columns {
            return fault(place, bad_length(&format!("row {number} of {rows}"), row.length, columns));
        }
        if self.starts.is_empty() {
            self.cells.reserve_exact((rows * columns) as usize);
            self.starts.reserve_exact(rows as usize);
        }
        let before = self.cells.len();
        self.cells.extend(row.head.iter().map(|&letter| letters.cell(letter)));
        self.starts.push(place);
        let bad = self.cells[before..].iter().position(|&cell| cell == GridLetters::NONE);
        let Some(at) = bad else { return Ok(()) };
        fault(place.right(at as u64), bad_letter(&format!("row {number} of {rows}"), letters, &row.head, at, columns))
    }
}

/// What is wrong with a row, which is named, of a length that is not the grid's.
pub(super) fn bad_length(row: &str, found: u64, expected: u64) -> String {
    let how = if found < expected { "too short" } else { "too long" };
    format!("{row} is {how}: expected {}, found {found}", message::count(expected, "letter"))
}

/// What is wrong with a row, which is named, of `length` letters of which that at `at` is none.
pub(super) fn bad_letter(row: &str, letters: &GridLetters, bytes: &[u8], at: usize, length: u64) -> String {
    let (shown, instead) = (message::character(bytes, at), message::instead(bytes[at], &letters.all()));
    format!("{row} has {shown} as letter {} of {length}: {instead}", at + 1)
}

/// A word that can only be the n of the next case.
fn is_count(word: &Word) -> bool {
    let digits = word.head.strip_prefix(b"+").unwrap_or(&word.head);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn missing(number: u64, rows: u64, place: Place, found: Option<Word>) -> Diagnostic {
    let found = found.map_or_else(|| "the file ends".into(), |word| format!("found {}", text::quote(&word)));
    Diagnostic::input(place, format!("row {number} of {rows} is missing: {found}"))
}
