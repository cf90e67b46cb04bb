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
            treblecross_within(row.cells.len(), sizes)?;
            Ok(Board::Treblecross(treblecross::Board::new(row.cells).map_err(Fault::from)?))
        }
        Some(v1::board::Game::Darkraft(grid)) => {
            darkraft_within(grid.columns, grid.cells.len(), sizes)?;
            Ok(Board::Darkraft(darkraft::Board::new(grid.columns, grid.cells).map_err(Fault::from)?))
        }
        Some(v1::board::Game::EndNim(row)) => {
            end_nim_within(row.piles.len() as u64, sizes)?;
            Ok(Board::EndNim(end_nim::Board::new(row.piles).map_err(Fault::from)?))
        }
        None => Err(BoardError::new(Reason::NoGame, "no game is set, or one that this server does not know")),
    }
}

/// Holds a board that is there already to the sizes that are taken.
///
/// # Errors
/// The board is too large.
pub fn within_sizes(board: &Board, sizes: &Sizes) -> Result<(), BoardError> {
    match board {
        Board::Treblecross(board) => treblecross_within(board.cells().len(), sizes),
        Board::Darkraft(board) => darkraft_within(board.columns(), board.cells().len(), sizes),
        Board::EndNim(board) => end_nim_within(board.piles().len() as u64, sizes),
    }
}

fn treblecross_within(cells: usize, sizes: &Sizes) -> Result<(), BoardError> {
    within(cells as u64, sizes.treblecross.cells, "cell", Reason::TooManyCells)
}

fn darkraft_within(columns: u32, cells: usize, sizes: &Sizes) -> Result<(), BoardError> {
    within(columns.into(), sizes.darkraft.columns, "column", Reason::TooManyCells)?;
    let rows = (cells as u64).div_ceil(u64::from(columns.max(1)));
    within(rows, sizes.darkraft.rows, "row", Reason::TooManyCells)
}

pub(super) fn end_nim_within(piles: u64, sizes: &Sizes) -> Result<(), BoardError> {
    within(piles, sizes.end_nim.piles, "pile", Reason::TooManyPiles)
}

fn within(size: u64, limit: u64, one: &str, reason: Reason) -> Result<(), BoardError> {
    if size <= limit {
        return Ok(());
    }
    let are = if size == 1 { "is" } else { "are" };
    let message = format!("{} {are} more than the server's limit of {}", count(size, one), count(limit, one));
    Err(BoardError::new(reason, message))
}
