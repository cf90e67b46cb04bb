//! Domain to protobuf and back: the only room that builds messages or takes them apart.

pub mod v1;
pub mod facts;
pub mod bulk;
mod error;
pub mod explain;

use crate::games::{Answer, Board, Fault, Game, Outcome, Sizes, Solution, darkraft, end_nim, treblecross};
use crate::units::count;

pub use self::error::{BoardError, Reason};

/// The published descriptor set, comments and all, for server reflection.
pub const DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("sprague_descriptor");

/// Packs boards into one request message of a stream.
pub fn batch(batch_id: u64, boards: impl IntoIterator<Item = Board>, outcome_only: bool) -> v1::SolveStreamRequest {
    v1::SolveStreamRequest { batch_id, boards: boards.into_iter().map(Into::into).collect(), outcome_only }
}

/// Packs one board into a unary request.
pub fn solve_request(board: Board, outcome_only: bool) -> v1::SolveRequest {
    v1::SolveRequest { board: Some(board.into()), outcome_only }
}

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

/// What a unary request consists of: the board, if any, and whether the outcome alone is asked for.
pub fn solve_parts(request: v1::SolveRequest) -> (Option<v1::Board>, bool) {
    (request.board, request.outcome_only)
}

/// Packs the answer to a unary request: the one result there is.
pub fn solve_response(results: Vec<v1::BoardResult>) -> v1::SolveResponse {
    v1::SolveResponse { result: results.into_iter().next() }
}

/// What a stream's request consists of: the id, the boards, whether the outcomes alone are asked for.
pub fn batch_parts(request: v1::SolveStreamRequest) -> (u64, Vec<v1::Board>, bool) {
    (request.batch_id, request.boards, request.outcome_only)
}

/// The memory that a request holds, in bytes, to a few per cent.
pub fn held_by_request(request: &v1::SolveStreamRequest) -> u64 {
    let board = |board: &v1::Board| match &board.game {
        Some(v1::board::Game::Treblecross(row)) => row.cells.len(),
        Some(v1::board::Game::Darkraft(grid)) => grid.cells.len(),
        Some(v1::board::Game::EndNim(row)) => size_of_val(&row.piles[..]),
        None => 0,
    };
    (request.boards.iter().map(board).sum::<usize>() + size_of_val(&request.boards[..])) as u64
}

/// The memory that results hold, in bytes, to a few per cent.
pub fn held_by_results(results: &[v1::BoardResult]) -> u64 {
    let result = |result: &v1::BoardResult| match &result.result {
        Some(v1::board_result::Result::Solution(solution)) => {
            size_of_val(&solution.winning_cells[..]) + size_of_val(&solution.winning_ends[..])
        }
        Some(v1::board_result::Result::Error(error)) => error.message.len(),
        None => 0,
    };
    (results.iter().map(result).sum::<usize>() + size_of_val(results)) as u64
}

/// Packs the answers to one batch.
pub fn batch_result(batch_id: u64, results: Vec<v1::BoardResult>) -> v1::SolveStreamResponse {
    let batch = v1::BatchResult { batch_id, results };
    v1::SolveStreamResponse { message: Some(v1::solve_stream_response::Message::Batch(batch)) }
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

fn within(size: u64, limit: u64, one: &str, reason: Reason) -> Result<(), BoardError> {
    if size <= limit {
        return Ok(());
    }
    let are = if size == 1 { "is" } else { "are" };
    let message = format!("{} {are} more than the server's limit of {}", count(size, one), count(limit, one));
    Err(BoardError::new(reason, message))
}

/// Packs what became of one board.
pub fn board_result(result: Result<Solution, BoardError>, outcome_only: bool) -> v1::BoardResult {
    let result = match result {
        Ok(solution) => v1::board_result::Result::Solution(self::solution(solution, outcome_only)),
        Err(error) => v1::board_result::Result::Error(error.into()),
    };
    v1::BoardResult { result: Some(result) }
}

fn solution(solution: Solution, outcome_only: bool) -> v1::Solution {
    let mut message = v1::Solution { outcome: v1::Outcome::from(solution.outcome()).into(), ..Default::default() };
    if outcome_only {
        message.set_value_kind(v1::ValueKind::NotAsked);
        return message;
    }
    match solution {
        Solution::Treblecross(solution) => {
            message.winning_cells = solution.winning_cells;
            match solution.value {
                treblecross::Value::Nimber(value) => {
                    message.set_value_kind(v1::ValueKind::Nimber);
                    message.nim_value = value;
                }
                treblecross::Value::ImmediateWin => message.set_value_kind(v1::ValueKind::ImmediateWin),
            }
        }
        Solution::Darkraft(solution) => {
            message.winning_cells = solution.winning_cells;
            message.set_value_kind(v1::ValueKind::Nimber);
            message.nim_value = solution.nim_value;
        }
        Solution::EndNim(solution) => {
            message.winning_ends = solution.winning_ends.into_iter().map(Into::into).collect();
            message.set_value_kind(v1::ValueKind::NotKnown);
        }
    }
    message
}

/// Unpacks what became of one board of `game`.
///
/// # Errors
/// The server's `BoardError`; one with `Reason::Internal` where the message says nothing this version understands.
pub fn answer(game: Game, message: v1::BoardResult) -> Result<Answer, BoardError> {
    match message.result {
        Some(v1::board_result::Result::Solution(solution)) => self::answered(game, solution)
            .ok_or_else(|| BoardError::new(Reason::Internal, "the server's answer makes no sense to this client")),
        Some(v1::board_result::Result::Error(error)) => Err(error.into()),
        None => Err(BoardError::new(Reason::Internal, "the server sent an empty result")),
    }
}

/// None where outcome, value and moves contradict each other or the game.
fn answered(game: Game, message: v1::Solution) -> Option<Answer> {
    let outcome = match message.outcome() {
        v1::Outcome::FirstPlayerWins => Outcome::FirstPlayerWins,
        v1::Outcome::SecondPlayerWins => Outcome::SecondPlayerWins,
        v1::Outcome::Unspecified => return None,
    };
    let nim_value = message.nim_value;
    let solution = match (game, message.value_kind()) {
        (_, v1::ValueKind::NotAsked) => return Some(Answer::Outcome(outcome)),
        (Game::Treblecross, v1::ValueKind::Nimber) => Solution::Treblecross(treblecross::Solution {
            winning_cells: message.winning_cells,
            value: treblecross::Value::Nimber(nim_value),
        }),
        (Game::Treblecross, v1::ValueKind::ImmediateWin) => Solution::Treblecross(treblecross::Solution {
            winning_cells: message.winning_cells,
            value: treblecross::Value::ImmediateWin,
        }),
        (Game::Darkraft, v1::ValueKind::Nimber) => {
            Solution::Darkraft(darkraft::Solution { winning_cells: message.winning_cells, nim_value })
        }
        (Game::EndNim, v1::ValueKind::NotKnown) => Solution::EndNim(end_nim::Solution {
            winning_ends: message.winning_ends.into_iter().map(|end| end.try_into().ok()).collect::<Option<_>>()?,
        }),
        _ => return None,
    };
    (solution.outcome() == outcome).then_some(Answer::Solution(solution))
}

impl From<end_nim::Move> for v1::EndNimMove {
    fn from(taken: end_nim::Move) -> v1::EndNimMove {
        let end = match taken.end {
            end_nim::End::Left => v1::End::Left,
            end_nim::End::Right => v1::End::Right,
        };
        v1::EndNimMove { end: end.into(), take: taken.take }
    }
}

impl TryFrom<v1::EndNimMove> for end_nim::Move {
    type Error = ();

    /// Fails without an end.
    fn try_from(message: v1::EndNimMove) -> Result<end_nim::Move, ()> {
        let end = match message.end() {
            v1::End::Left => end_nim::End::Left,
            v1::End::Right => end_nim::End::Right,
            v1::End::Unspecified => return Err(()),
        };
        Ok(end_nim::Move { end, take: message.take })
    }
}

impl From<Outcome> for v1::Outcome {
    fn from(outcome: Outcome) -> v1::Outcome {
        match outcome {
            Outcome::FirstPlayerWins => v1::Outcome::FirstPlayerWins,
            Outcome::SecondPlayerWins => v1::Outcome::SecondPlayerWins,
        }
    }
}
