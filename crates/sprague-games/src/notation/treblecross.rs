//! Treblecross as people type it: a board as `..X..`, a move as `7`.

use std::fmt;

use super::{Letters, cells, from_one, value, write_cells};
use crate::explain::Move;
use crate::games::treblecross::{Board, CELLS, Fault, Solution, Value};
use crate::message;

pub(super) const BETWEEN: (&str, &str) = ("without blanks", "");

pub(super) fn board(text: &str, _letters: Letters) -> Result<Board, String> {
    Board::new(text.as_bytes().to_vec().into()).map_err(|fault| match fault {
        // Of the text all of the character is known.
        Fault::BadCell { at, .. } => message::cell(u64::from(at) + 1, text.as_bytes(), at as usize, &CELLS),
        fault => fault.to_string(),
    })
}

pub(super) fn write(board: &Board, _letters: Letters, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    board.cells().utf8_chunks().try_for_each(|cells| f.write_str(cells.valid()))
}

pub(super) fn read_move(_board: &Board, text: &str) -> Result<Move, String> {
    from_one(text).map(Move::Cell).ok_or_else(|| format!("{text:?} is no move: write the cell, as 7"))
}

pub(super) fn write_solution(solution: &Solution, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match solution.value {
        Value::Nimber(value) => write!(f, "nim-value {value}, ")?,
        Value::ImmediateWin => f.write_str("immediate win, ")?,
    }
    write_cells(&solution.winning_cells, f)
}

pub(super) fn solution(text: &str) -> Option<Solution> {
    let (before, moves) = text.split_once(", ")?;
    let winning_cells = cells(moves)?;
    let value = match before {
        "immediate win" => (!winning_cells.is_empty()).then_some(Value::ImmediateWin)?,
        _ => Value::Nimber(value(before, &winning_cells)?),
    };
    Some(Solution { winning_cells, value })
}
