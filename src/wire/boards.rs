//! Boards on the wire, both ways.

use super::error::{BoardError, Reason};
use super::v1;
use crate::games::{Board, Fault, Game, Sizes, darkraft, end_nim, treblecross};
use crate::message::count;

impl From<Board> for v1::Board {
    fn from(board: Board) -> v1::Board {
        let game = match board {
            Board::Treblecross(board) => v1::board::Game::Treblecross(v1::Treblecross { cells: board.cells().clone() }),
            Board::Darkraft(board) => {
                v1::board::Game::Darkraft(v1::Darkraft { columns: board.columns(), cells: board.cells().clone() })
            }
            Board::EndNim(board) => v1::board::Game::EndNim(v1::EndNim { piles: board.into_piles() }),
        };
        v1::Board { game: Some(game) }
    }
}

/// The game of a board, well-formed or not.
pub fn game(message: Option<&v1::Board>) -> Option<Game> {
    match message?.game.as_ref()? {
        v1::board::Game::Treblecross(_) => Some(Game::Treblecross),
        v1::board::Game::Darkraft(_) => Some(Game::Darkraft),
        v1::board::Game::EndNim(_) => Some(Game::EndNim),
    }
}

/// Unpacks a board and holds it to the sizes that the server takes, before anything is built from it.
///
/// # Errors
/// The fault of the board: too large, no game, or no position of its game.
pub fn board(message: Option<v1::Board>, sizes: &Sizes) -> Result<Board, BoardError> {
    match message.and_then(|board| board.game) {
        Some(v1::board::Game::Treblecross(row)) => {
            within(row.cells.len() as u64, sizes.treblecross_cells, "cell", Reason::TooManyCells)?;
            Ok(Board::Treblecross(treblecross::Board::new(row.cells).map_err(Fault::from)?))
        }
        Some(v1::board::Game::Darkraft(grid)) => {
            within(grid.columns.into(), sizes.darkraft_columns.into(), "column", Reason::TooManyCells)?;
            let rows = (grid.cells.len() as u64).div_ceil(u64::from(grid.columns.max(1)));
            within(rows, sizes.darkraft_rows.into(), "row", Reason::TooManyCells)?;
            Ok(Board::Darkraft(darkraft::Board::new(grid.columns, grid.cells).map_err(Fault::from)?))
        }
        Some(v1::board::Game::EndNim(row)) => {
            within(row.piles.len() as u64, sizes.end_nim_piles, "pile", Reason::TooManyPiles)?;
            Ok(Board::EndNim(end_nim::Board::new(row.piles).map_err(Fault::from)?))
        }
        None => Err(BoardError::new(Reason::NoGame, "no game is set, or one that this server does not know")),
    }
}

pub(super) fn within(size: u64, limit: u64, one: &str, reason: Reason) -> Result<(), BoardError> {
    if size <= limit {
        return Ok(());
    }
    let are = if size == 1 { "is" } else { "are" };
    let message = format!("{} {are} more than the server's limit of {}", count(size, one), count(limit, one));
    Err(BoardError::new(reason, message))
}
