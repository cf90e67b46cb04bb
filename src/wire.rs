//! Domain to protobuf and back: the only room that builds messages or takes them apart.

pub mod v1;
pub mod facts;
pub mod bulk;
mod error;
mod boards;
pub mod explain;
pub mod incoming;

use crate::games::{Answer, Board, Game, Outcome, Solution, darkraft, end_nim, treblecross};

pub use self::boards::{board, game, within_sizes};
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

/// Packs the answer to a unary request: the one result there is.
pub fn solve_response(results: Vec<v1::BoardResult>) -> v1::SolveResponse {
    v1::SolveResponse { result: results.into_iter().next() }
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

/// What a board costs in a batch at most when its answer is too long: the error in its place, packed.
pub const LONGEST_TOO_LONG: u64 = 128;

/// Room for the answers of one batch in one message. Each board that is still to come keeps enough for an error.
#[derive(Debug)]
pub struct AnswerRoom {
    message_bytes: u64,
    left: u64,
    boards_left: u64,
    is_alone: bool,
}

impl AnswerRoom {
    /// Room for the answers to so many boards in a message of so many bytes.
    pub fn new(boards: usize, message_bytes: u64) -> AnswerRoom {
        // The fields around the results: tags, lengths and the batch's id.
        let left = message_bytes.saturating_sub(32);
        AnswerRoom { message_bytes, left, boards_left: boards as u64, is_alone: boards == 1 }
    }

    /// The next board's result, or `TooLong` in its place where it does not fit.
    pub fn fit(&mut self, result: v1::BoardResult) -> v1::BoardResult {
        self.boards_left = self.boards_left.saturating_sub(1);
        let kept = self.boards_left * LONGEST_TOO_LONG;
        let length = packed_len(&result);
        let result = if length + kept <= self.left { result } else { board_result(Err(self.too_long(length)), false) };
        self.left = self.left.saturating_sub(packed_len(&result));
        result
    }

    fn too_long(&self, length: u64) -> BoardError {
        let message = match self.is_alone {
            true => format!("the answer takes {length} bytes, more than message_bytes = {}", self.message_bytes).into(),
            false => "the answer does not fit beside its neighbours: send this board alone".into(),
        };
        BoardError { reason: Reason::TooLong, message, offset: None }
    }
}

/// A result as one of a batch, in bytes.
fn packed_len(result: &v1::BoardResult) -> u64 {
    let length = prost::Message::encoded_len(result);
    (1 + prost::length_delimiter_len(length) + length) as u64
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

/// Unpacks the answer to a unary request.
///
/// # Errors
/// As for `answer`.
pub fn solved(game: Game, response: v1::SolveResponse) -> Result<Answer, BoardError> {
    answer(game, response.result.unwrap_or_default())
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
