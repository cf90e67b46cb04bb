//! Darkraft as people type it: a board as rows with commas between them, a move as row and column, `2,3`.

use std::fmt::{self, Write as _};

use super::{Letters, cells, from_one, value, write_cells};
use crate::explain::Move;
use crate::games::darkraft::{Board, Solution};
use crate::message::{self, count};

pub(super) const BETWEEN: (&str, &str) = ("with commas between its rows", ",");

pub(super) fn board(text: &str, letters: Letters) -> Result<Board, String> {
    let rows: Vec<&str> = text.split(',').collect();
    let columns = rows[0].chars().count();
    let mut cells = Vec::new();
    for (row, number) in rows.iter().zip(1..) {
        let name = format!("row {number} of {}", rows.len());
        let found = row.chars().count();
        if found != columns {
            let how = if found < columns { "too short" } else { "too long" };
            let expected = count(columns as u64, "letter");
            let swallowed = match letters == Letters::DRAWN && !text.contains('\\') {
                true => r"; shells swallow \: quote the board, as in 'X/,\X'",
                false => "",
            };
            return Err(format!(
                "{name} is {how}: expected {expected} as in row 1, found {found}; write rows as XL,LR{swallowed}"
            ));
        }
        for (letter, at) in row.chars().zip(1..) {
            let bad = || match bad_letter(letter, letters) {
                Ok(instead) => format!("{name} has '{}' as letter {at} of {found}: {instead}", letter.escape_debug()),
                Err(message) => message,
            };
            cells.push(letters.read(letter).ok_or_else(bad)?);
        }
    }
    let columns = u32::try_from(columns).unwrap_or(u32::MAX);
    Board::new(columns, cells.into()).map_err(|fault| fault.to_string())
}

/// What to write instead of a letter that stands for no cell, or all there is to say of it.
fn bad_letter(letter: char, letters: Letters) -> Result<String, String> {
    if letters == Letters::DRAWN && matches!(letter, 'L' | 'R') {
        return Err(format!(
            "judges disagree on what {letter} means: say whose letters these are with --letters codeforces138d or \
             --letters gdoi2016, or write \\ and / for L and R"
        ));
    }
    if letter.is_whitespace() {
        return Err("rows have commas between them and no blanks: write rows as XL,LR".into());
    }
    let byte = u8::try_from(letter).unwrap_or(u8::MAX);
    Ok(message::instead(byte, &[letters.backslash, letters.slash, 'X']))
}

pub(super) fn write(board: &Board, letters: Letters, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (row, number) in board.cells().chunks(board.columns() as usize).zip(0..) {
        if number > 0 {
            f.write_char(',')?;
        }
        row.iter().try_for_each(|&cell| f.write_char(letters.write(cell)))?;
    }
    Ok(())
}

pub(super) fn read_move(board: &Board, text: &str) -> Result<Move, String> {
    let place = text.split_once(',').and_then(|(row, column)| Some((from_one(row)?, from_one(column)?)));
    let (row, column) = place.ok_or_else(|| format!("{text:?} is no move: write row and column, as 2,3"))?;
    let (rows, columns) = (board.rows(), board.columns());
    if row >= rows || column >= columns {
        let size = format!("{} and {}", count(rows.into(), "row"), count(columns.into(), "column"));
        return Err(format!("cell {text} is not on the board of {size}"));
    }
    Ok(Move::Cell(row * columns + column))
}

/// Without the board nobody knows the rows, so cells have numbers, row by row.
pub(super) fn write_solution(solution: &Solution, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "nim-value {}, ", solution.nim_value)?;
    write_cells(&solution.winning_cells, f)
}

pub(super) fn solution(text: &str) -> Option<Solution> {
    let (before, moves) = text.split_once(", ")?;
    let winning_cells = cells(moves)?;
    Some(Solution { nim_value: value(before, &winning_cells)?, winning_cells })
}
