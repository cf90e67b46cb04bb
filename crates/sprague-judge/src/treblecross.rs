//! Treblecross in judge text: a word of cells, or the length of an empty board.

use std::io::Read;

use bytes::Bytes;

use super::diagnostic::{Diagnostic, Place, ReadError};
use super::letters::CellLetters;
use super::limit::Limit;
use super::text::Text;
use sprague_games::games::treblecross::{Board, Fault};
use sprague_games::message;

/// Reads a board written as cells; none at the end of the text. The board is a slice of the input, where the judge's
/// letters are the game's.
pub(super) fn read_cells<R: Read>(
    text: &mut Text<R>,
    letters: &CellLetters,
    limit: Limit,
) -> Result<Option<Board>, ReadError> {
    let Some(word) = text.word(limit.largest())? else { return Ok(None) };
    limit.check(word.length, "cell", text.place())?;
    let cells = letters.cells(word.head);
    Board::new(cells).map(Some).map_err(|found| cell_fault(text.place(), text.last_word(), letters, &found).into())
}

/// Reads an empty board written as its length; none at the end of the text. A huge one is refused before it is built.
pub(super) fn read_length<R: Read>(
    text: &mut Text<R>,
    named: impl Fn() -> String,
    limit: Limit,
) -> Result<Option<Board>, ReadError> {
    static EMPTY: [u8; 4096] = [b'.'; 4096];
    let Some(length) = text.number()? else { return Ok(None) };
    let place = text.place();
    let length = length.map_err(|message| Diagnostic::input(place, format!("{message}: expected {}", named())))?;
    limit.check(length, "cell", place)?;
    let length = length as usize;
    let cells = EMPTY.get(..length).map_or_else(|| vec![b'.'; length].into(), Bytes::from_static);
    Board::new(cells).map(Some).map_err(|found| Diagnostic::input(place, found.to_string()).into())
}

fn cell_fault(place: Place, cells: &[u8], letters: &CellLetters, fault: &Fault) -> Diagnostic {
    match *fault {
        Fault::BadCell { at, .. } => {
            let message = message::cell(u64::from(at) + 1, cells, at as usize, &letters.all());
            Diagnostic::input(place.right(at.into()), message)
        }
        Fault::AlreadyWon { at } => Diagnostic::input(place.right(at.into()), fault.to_string()),
        Fault::TooShort { .. } => Diagnostic::input(place, fault.to_string()),
    }
}
