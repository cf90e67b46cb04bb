//! Treblecross in judge text: a word of cells, or the length of an empty board; positions counted from 1.

use std::io::Read;

use bytes::Bytes;

use super::limit::Limit;
use super::text::{self, ParseError, Place, Stop, Text};
use sprague_games::games::Outcome;
use sprague_games::games::treblecross::{Board, CELLS, Fault};
use sprague_games::message;

/// Reads a board written as cells; none at the end of the text. The board is a slice of the input.
pub(super) fn read_cells<R: Read>(text: &mut Text<R>, limit: Limit) -> Result<Option<Board>, Stop> {
    let Some(word) = text.word(limit.largest())? else { return Ok(None) };
    limit.check(word.length, "cell").map_err(|message| fault(text.place(), message))?;
    Board::new(word.head).map(Some).map_err(|found| cell_fault(text.place(), text.last_word(), &found).into())
}

/// Reads an empty board written as its length; none at the end of the text. A huge one is refused before it is built.
pub(super) fn read_length<R: Read>(text: &mut Text<R>, limit: Limit) -> Result<Option<Board>, Stop> {
    static EMPTY: [u8; 4096] = [b'.'; 4096];
    let Some(length) = text.number()? else { return Ok(None) };
    let place = text.place();
    let length = length.map_err(|message| fault(place, format!("{message}: expected n, the number of cells")))?;
    limit.check(length, "cell").map_err(|message| fault(place, message))?;
    let length = length as usize;
    let cells = EMPTY.get(..length).map_or_else(|| vec![b'.'; length].into(), Bytes::from_static);
    Board::new(cells).map(Some).map_err(|found| fault(place, found.to_string()).into())
}

fn fault(place: Place, message: String) -> ParseError {
    ParseError { place, message, is_last: false }
}

fn cell_fault(place: Place, cells: &[u8], fault_of: &Fault) -> ParseError {
    match *fault_of {
        Fault::BadCell { at, .. } => {
            fault(place.right(at.into()), message::cell(u64::from(at) + 1, cells, at as usize, &CELLS))
        }
        Fault::AlreadyWon { at } => fault(place.right(at.into()), fault_of.to_string()),
        Fault::TooShort { .. } => fault(place, fault_of.to_string()),
    }
}

/// A board written as cells, a line of its own.
pub(super) fn write_cells(board: &Board, out: &mut Vec<u8>) {
    out.extend_from_slice(board.cells());
    out.push(b'\n');
}

/// The length of a board, which is an empty one.
pub(super) fn write_length(board: &Board, out: &mut Vec<u8>) {
    text::write_numbers([board.cells().len() as u64], out);
    out.push(b'\n');
}

/// `WINNING` and a line of positions, or `LOSING` and an empty line.
pub(super) fn write_uva10561(winning_cells: &[u32], out: &mut Vec<u8>) {
    out.extend_from_slice(if winning_cells.is_empty() { b"LOSING\n" } else { b"WINNING\n" });
    write_positions(winning_cells, out);
    out.push(b'\n');
}

/// `Case k: ` and the positions, or 0 when there is none.
pub(super) fn write_lightoj1229(number: u64, winning_cells: &[u32], out: &mut Vec<u8>) {
    out.extend_from_slice(b"Case ");
    text::write_numbers([number], out);
    out.extend_from_slice(b": ");
    match winning_cells {
        [] => out.push(b'0'),
        _ => write_positions(winning_cells, out),
    }
    out.push(b'\n');
}

/// `1` or `2`: the player who wins.
pub(super) fn write_poj3537(outcome: Outcome, out: &mut Vec<u8>) {
    out.extend_from_slice(match outcome {
        Outcome::FirstPlayerWins => b"1\n",
        Outcome::SecondPlayerWins => b"2\n",
    });
}

fn write_positions(cells: &[u32], out: &mut Vec<u8>) {
    text::write_numbers(cells.iter().map(|&cell| u64::from(cell) + 1), out);
}
