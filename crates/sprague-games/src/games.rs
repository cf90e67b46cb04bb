//! Every game behind one door: `Board` and `Solution` over all games, and the one `solve`.

pub mod treblecross;
pub mod darkraft;
pub mod end_nim;

use crate::theory::{Control, Stopped};

/// The games, in the order in which they are listed to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Game {
    /// A row of cells; three X in a row win.
    Treblecross,
    /// The grid whose cells kill along diagonals.
    Darkraft,
    /// A row of piles taken from at its ends.
    EndNim,
}

impl Game {
    /// Every game, in listing order.
    pub const ALL: [Game; 3] = [Game::Treblecross, Game::Darkraft, Game::EndNim];

    /// The game's name on the wire and the command line.
    pub fn name(self) -> &'static str {
        match self {
            Game::Treblecross => "treblecross",
            Game::Darkraft => "darkraft",
            Game::EndNim => "end-nim",
        }
    }
}

/// A position that has an answer, of any game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Board {
    /// A Treblecross board.
    Treblecross(treblecross::Board),
    /// A darkraft board.
    Darkraft(darkraft::Board),
    /// An End-Nim row.
    EndNim(end_nim::Board),
}

/// Why something is no position of its game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A fault of a Treblecross board.
    #[error(transparent)]
    Treblecross(#[from] treblecross::Fault),
    /// A fault of a darkraft board.
    #[error(transparent)]
    Darkraft(#[from] darkraft::Fault),
    /// A fault of an End-Nim row.
    #[error(transparent)]
    EndNim(#[from] end_nim::Fault),
}

/// Who wins with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The player to move wins.
    FirstPlayerWins,
    /// The player to move loses, whatever the move.
    SecondPlayerWins,
}

/// An answer, of any game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solution {
    /// A Treblecross answer.
    Treblecross(treblecross::Solution),
    /// A darkraft answer.
    Darkraft(darkraft::Solution),
    /// An End-Nim answer.
    EndNim(end_nim::Solution),
}

/// An answer as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Who wins, alone.
    Outcome(Outcome),
    /// The whole solution.
    Solution(Solution),
}

impl Answer {
    /// Who wins.
    pub fn outcome(&self) -> Outcome {
        match self {
            Answer::Outcome(outcome) => *outcome,
            Answer::Solution(solution) => solution.outcome(),
        }
    }

    /// Every winning first cell, from 0; none for games without cells, lost boards, and where the outcome alone was asked.
    pub fn winning_cells(&self) -> &[u32] {
        match self {
            Answer::Solution(solution) => solution.winning_cells(),
            Answer::Outcome(_) => &[],
        }
    }
}

/// The largest boards that somebody takes: a server's limits, and what a reader of judge text holds in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Cells of a Treblecross board.
    pub treblecross_cells: u64,
    /// Rows of a darkraft board.
    pub darkraft_rows: u32,
    /// Columns of a darkraft board.
    pub darkraft_columns: u32,
    /// Piles of an End-Nim row.
    pub end_nim_piles: u64,
}

impl Default for Sizes {
    /// The sizes that the games' methods are made for.
    fn default() -> Sizes {
        Sizes {
            treblecross_cells: treblecross::MAX_CELLS,
            darkraft_rows: darkraft::MAX_ROWS,
            darkraft_columns: darkraft::MAX_COLUMNS,
            end_nim_piles: end_nim::MAX_PILES,
        }
    }
}

impl From<treblecross::Board> for Board {
    fn from(board: treblecross::Board) -> Board {
        Board::Treblecross(board)
    }
}

impl From<darkraft::Board> for Board {
    fn from(board: darkraft::Board) -> Board {
        Board::Darkraft(board)
    }
}

impl From<end_nim::Board> for Board {
    fn from(board: end_nim::Board) -> Board {
        Board::EndNim(board)
    }
}

impl From<&Board> for Board {
    fn from(board: &Board) -> Board {
        board.clone()
    }
}

impl From<&treblecross::Board> for Board {
    fn from(board: &treblecross::Board) -> Board {
        board.clone().into()
    }
}

impl From<&darkraft::Board> for Board {
    fn from(board: &darkraft::Board) -> Board {
        board.clone().into()
    }
}

impl From<&end_nim::Board> for Board {
    fn from(board: &end_nim::Board) -> Board {
        board.clone().into()
    }
}

impl Board {
    /// The game this is a position of.
    pub fn game(&self) -> Game {
        match self {
            Board::Treblecross(_) => Game::Treblecross,
            Board::Darkraft(_) => Game::Darkraft,
            Board::EndNim(_) => Game::EndNim,
        }
    }
}

impl Solution {
    /// Who wins: the first player iff some first move wins.
    pub fn outcome(&self) -> Outcome {
        let no_move_wins = match self {
            Solution::Treblecross(solution) => solution.winning_cells.is_empty(),
            Solution::Darkraft(solution) => solution.winning_cells.is_empty(),
            Solution::EndNim(solution) => solution.winning_ends.is_empty(),
        };
        if no_move_wins { Outcome::SecondPlayerWins } else { Outcome::FirstPlayerWins }
    }

    /// Every winning first cell, from 0 and increasing; none for games without cells, and for lost boards.
    pub fn winning_cells(&self) -> &[u32] {
        match self {
            Solution::Treblecross(solution) => &solution.winning_cells,
            Solution::Darkraft(solution) => &solution.winning_cells,
            Solution::EndNim(_) => &[],
        }
    }
}

/// Estimates the work of `solve`, in units of about a nanosecond of one core, in at most one pass over the board.
///
/// The estimate depends on the board alone: the cost of a table counts whole, grown already or not.
pub fn cost(board: &Board) -> u64 {
    match board {
        Board::Treblecross(board) => treblecross::cost(board),
        Board::Darkraft(board) => darkraft::cost(board),
        Board::EndNim(board) => end_nim::cost(board),
    }
}

/// Solves a board: every winning first move, in increasing order, and the value where there is one. Deterministic.
///
/// ```
/// use sprague_games::games::{Outcome, end_nim, solve};
/// use sprague_games::theory::{Control, StopFlag};
///
/// let row = end_nim::Board::new(vec![3, 1, 9, 4])?;
/// // At most about a tenth of a second's work.
/// let solution = solve(&row.into(), &Control::new(100_000_000, StopFlag::default()))?;
/// assert_eq!(solution.outcome(), Outcome::SecondPlayerWins);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `Stopped` when `control` says that the answer is no longer paid for.
pub fn solve(board: &Board, control: &Control) -> Result<Solution, Stopped> {
    match board {
        Board::Treblecross(board) => treblecross::solve(board, control).map(Solution::Treblecross),
        Board::Darkraft(board) => darkraft::solve(board, control).map(Solution::Darkraft),
        Board::EndNim(board) => end_nim::solve(board, control).map(Solution::EndNim),
    }
}
