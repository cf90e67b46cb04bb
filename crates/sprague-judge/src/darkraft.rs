//! Darkraft in judge text: `n m`, then n rows of m letters; which letter kills along which diagonal is the judge's.

use std::io::Read;

use super::limit::Limit;
use super::text::{self, ParseError, Place, Stop, Text, Word};
use sprague_games::games::Outcome;
use sprague_games::games::darkraft::Board;
use sprague_games::message;

/// How much of a word in a row's place is held at least, for messages.
const SHOWN: u64 = 32;

/// A judge's letters: the cell that each byte stands for, `NONE` for a byte that is no letter. A table, because the
/// letters of a grid follow no pattern that a branch could foresee.
#[derive(Debug)]
pub(super) struct Letters([u8; 256]);

/// Codeforces: `L` runs through down-left and up-right.
pub(super) static CODEFORCES_LETTERS: Letters = Letters::new(b'/', b'\\');
/// gdoi2016: exactly the reverse.
pub(super) static GDOI_LETTERS: Letters = Letters::new(b'\\', b'/');

impl Letters {
    const NONE: u8 = 0;

    const fn new(left: u8, right: u8) -> Letters {
        let mut cells = [Letters::NONE; 256];
        cells[b'L' as usize] = left;
        cells[b'R' as usize] = right;
        cells[b'X' as usize] = b'X';
        Letters(cells)
    }

    /// The letter that stands for a cell.
    fn letter(&self, cell: u8) -> u8 {
        [b'L', b'R'].into_iter().find(|&letter| self.0[usize::from(letter)] == cell).unwrap_or(b'X')
    }
}

/// The largest grid that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// n.
    pub rows: Limit,
    /// m.
    pub columns: Limit,
}

/// Reads a grid, where it begins and where its rows do; none at the end of the text.
///
/// After a bad row the others are still read, so that the next case can be; a row whose place is taken by a number, or
/// by the end, is missing, and then nobody knows where the next case begins.
pub(super) fn read<R: Read>(
    text: &mut Text<R>,
    letters: &Letters,
    limits: Limits,
) -> Result<Option<(Place, Board, Vec<Place>)>, Stop> {
    let Some(rows) = text.number()? else { return Ok(None) };
    let place = text.place();
    let rows = count(place, rows, "n, the number of rows")?;
    let columns = text.number()?.unwrap_or_else(|| Err("the file ends".into()));
    let columns = count(text.place(), columns, "m, the number of columns")?;
    if rows == 0 || columns == 0 {
        let message = format!("a grid of {rows} x {columns}: the grid has no cells");
        return Err(ParseError { place, message, is_last: false }.into());
    }
    let size_fault = limits.rows.check(rows, "row").and_then(|()| limits.columns.check(columns, "column")).err();
    let mut fault = size_fault.map(|message| ParseError { place, message, is_last: false });
    let mut grid = Grid { rows, columns, cells: Vec::new(), starts: Vec::new() };
    for number in 1..=rows {
        let found = text.word(columns.min(limits.columns.largest()).max(SHOWN))?;
        let place = text.place();
        match found {
            Some(row) if !is_count(&row) => fault = fault.or_else(|| grid.add(number, &row, place, letters).err()),
            _ => {
                let missing = || missing(number, rows, place, found);
                return Err(fault.map_or_else(missing, |fault| ParseError { is_last: true, ..fault }).into());
            }
        }
    }
    match fault {
        Some(fault) => Err(fault.into()),
        None => {
            let board = Board::new(columns as u32, grid.cells.into());
            let board = board.map_err(|found| ParseError { place, message: found.to_string(), is_last: false })?;
            Ok(Some((place, board, grid.starts)))
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
    fn add(&mut self, number: u64, row: &Word, place: Place, letters: &Letters) -> Result<(), ParseError> {
        let fault = |place, message| Err(ParseError { place, message, is_last: false });
        let (rows, columns) = (self.rows, self.columns);
        if row.length != columns {
            return fault(place, bad_length(&format!("row {number} of {rows}"), row.length, columns));
        }
        if self.starts.is_empty() {
            self.cells.reserve_exact((rows * columns) as usize);
            self.starts.reserve_exact(rows as usize);
        }
        let before = self.cells.len();
        self.cells.extend(row.head.iter().map(|&letter| letters.0[usize::from(letter)]));
        self.starts.push(place);
        let bad = self.cells[before..].iter().position(|&cell| cell == Letters::NONE);
        let Some(at) = bad else { return Ok(()) };
        fault(place.right(at as u64), bad_letter(&format!("row {number} of {rows}"), &row.head, at, columns))
    }
}

/// What is wrong with a row, which is named, of a length that is not the grid's.
pub(super) fn bad_length(row: &str, found: u64, expected: u64) -> String {
    let how = if found < expected { "too short" } else { "too long" };
    format!("{row} is {how}: expected {}, found {found}", message::count(expected, "letter"))
}

/// What is wrong with a row, which is named, of `length` letters of which that at `at` is none.
pub(super) fn bad_letter(row: &str, letters: &[u8], at: usize, length: u64) -> String {
    let (shown, instead) = (message::character(letters, at), message::instead(letters[at], &['L', 'R', 'X']));
    format!("{row} has {shown} as letter {} of {length}: {instead}", at + 1)
}

fn count(place: Place, found: Result<u64, String>, expected: &str) -> Result<u64, ParseError> {
    found.map_err(|found| ParseError { place, message: format!("{found}: expected {expected}"), is_last: true })
}

/// A word that can only be the n of the next case.
fn is_count(word: &Word) -> bool {
    let digits = word.head.strip_prefix(b"+").unwrap_or(&word.head);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn missing(number: u64, rows: u64, place: Place, found: Option<Word>) -> ParseError {
    let found = found.map_or_else(|| "the file ends".into(), |word| format!("found {}", text::quote(&word)));
    ParseError { place, message: format!("row {number} of {rows} is missing: {found}"), is_last: true }
}

/// `n m` and the rows: a grid as `read` takes it.
pub(super) fn write_grid(board: &Board, letters: &Letters, out: &mut Vec<u8>) {
    text::write_numbers([u64::from(board.rows()), u64::from(board.columns())], out);
    out.push(b'\n');
    for row in board.cells().chunks_exact(board.columns() as usize) {
        out.extend(row.iter().map(|&cell| letters.letter(cell)));
        out.push(b'\n');
    }
}

/// `WIN` or `LOSE`: what comes of the player to move.
pub(super) fn write(outcome: Outcome, out: &mut Vec<u8>) {
    out.extend_from_slice(match outcome {
        Outcome::FirstPlayerWins => b"WIN\n",
        Outcome::SecondPlayerWins => b"LOSE\n",
    });
}
