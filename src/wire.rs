//! Domain to protobuf and back: the only room that builds messages or takes them apart.

pub mod v1;
pub mod facts;
pub mod bulk;
mod error;
mod boards;
pub mod explain;
pub mod incoming;

use crate::explain::Position;
use crate::games::{self, Answer, Board, Fault, Game, Outcome, Sizes, Solution};

use self::boards::within;
use self::bulk::Packing;
pub use self::error::{BoardError, Reason};
use self::incoming::{Fields, Malformed, Value};

macro_rules! messages {
    ($($game:ident: $module:ident,)+) => {
        $(mod $module;)+

        impl From<Board> for v1::Board {
            fn from(board: Board) -> v1::Board {
                let game = match board {
                    $(Board::$game(board) => v1::board::Game::$game($module::pack(board)),)+
                };
                v1::Board { game: Some(game) }
            }
        }

        /// The game of a board, well-formed or not.
        pub fn game(message: Option<&v1::Board>) -> Option<Game> {
            match message?.game.as_ref()? {
                $(v1::board::Game::$game(_) => Some(Game::$game),)+
            }
        }

        /// Unpacks a board and holds it to the sizes that the server takes, before anything is built from it.
        ///
        /// # Errors
        /// The fault of the board: too large, no game, or no position of its game.
        pub fn board(message: Option<v1::Board>, sizes: &Sizes) -> Result<Board, BoardError> {
            match message.and_then(|board| board.game) {
                $(Some(v1::board::Game::$game(message)) => {
                    within($module::size(&message).units(), sizes.$module.units(), $module::TOO_LARGE)?;
                    Ok($module::unpack(message).map_err(Fault::from)?.into())
                })+
                None => Err(BoardError::new(Reason::NoGame, "no game is set, or one that this server does not know")),
            }
        }

        /// Holds a board that is there already to the sizes that are taken.
        ///
        /// # Errors
        /// The board is too large.
        pub fn within_sizes(board: &Board, sizes: &Sizes) -> Result<(), BoardError> {
            match board {
                $(Board::$game(board) => within(board.size().units(), sizes.$module.units(), $module::TOO_LARGE),)+
            }
        }

        /// Holds the bytes of a board to the sizes, as far as it would grow when it is unpacked.
        fn packed_within(board: &[u8], sizes: &Sizes) -> Result<Result<(), (Game, BoardError)>, Malformed> {
            $(let mut $module = games::$module::Size::ZERO;)+
            for found in Fields(board) {
                match found? {
                    $(($module::FIELD, Value::Bytes(message)) => $module::count(message, &mut $module)?,)+
                    _ => {}
                }
            }
            $(
                if let Err(error) = within($module.units(), sizes.$module.units(), $module::TOO_LARGE) {
                    return Ok(Err((Game::$game, error)));
                }
            )+
            Ok(Ok(()))
        }

        impl Packing {
            /// An upper bound of what `push` adds to the size, in bytes.
            pub fn most(board: &Board) -> usize {
                bulk::FRAME
                    + match board {
                        $(Board::$game(board) => $module::most(board),)+
                    }
            }

            /// Adds a board: one pass over it, two over piles, whose numbers differ in length.
            pub fn push(&mut self, board: &Board) {
                self.begin();
                match board {
                    $(Board::$game(board) => $module::push(board, self),)+
                }
            }
        }

        impl From<Fault> for BoardError {
            fn from(fault: Fault) -> BoardError {
                let (reason, offset) = match &fault {
                    $(Fault::$game(fault) => $module::reason(fault),)+
                };
                BoardError { reason, message: fault.to_string().into(), offset }
            }
        }

        /// Packs the winning moves of a solution and its value.
        fn pack_solution(solution: Solution, message: &mut v1::Solution) {
            match solution {
                $(Solution::$game(solution) => $module::pack_solution(solution, message),)+
            }
        }

        /// Unpacks a solution; none where value and moves are no solution of the game.
        fn unpack_solution(game: Game, message: v1::Solution) -> Option<Solution> {
            match game {
                $(Game::$game => $module::unpack_solution(message).map(Solution::$game),)+
            }
        }

        /// What a server says of the sizes that it takes.
        fn game_infos(sizes: Sizes) -> Vec<v1::GameInfo> {
            vec![$(v1::GameInfo { name: Game::$game.name().into(), ..$module::info(sizes.$module) }),+]
        }

        /// The sizes that a server says it takes; 0 for a game that it does not name.
        fn sizes(infos: &[v1::GameInfo]) -> Sizes {
            let info = |game: Game| infos.iter().find(|info| info.name == game.name()).cloned().unwrap_or_default();
            Sizes { $($module: $module::limit(&info(Game::$game))),+ }
        }

        impl From<Position> for v1::Position {
            fn from(position: Position) -> v1::Position {
                let position = match position {
                    $(Position::$game(position) => v1::position::Position::$game($module::pack_position(position)),)+
                };
                v1::Position { position: Some(position) }
            }
        }

        fn unpack_position(message: v1::Position) -> Option<Position> {
            match message.position? {
                $(v1::position::Position::$game(message) => $module::unpack_position(message).map(Position::$game),)+
            }
        }

        /// The memory that a board takes beside the message that it came in, in bytes.
        pub fn unpacked_bytes(board: &Board) -> u64 {
            match board {
                $(Board::$game(board) => $module::unpacked_bytes(board),)+
            }
        }

        /// The memory that the list of moves in the answer to a board may take, in bytes; 0 where it is never long.
        pub fn answer_bytes(board: &Board) -> u64 {
            match board {
                $(Board::$game(board) => $module::answer_bytes(board),)+
            }
        }

        /// The memory that the lists of an explanation may take, in bytes, packed or not.
        pub fn explanation_bytes(board: &Board) -> u64 {
            match board {
                $(Board::$game(board) => $module::explanation_bytes(board),)+
            }
        }
    };
}

sprague_games::for_each_game!(messages);

/// An entry of a list of moves, with what it leaves, takes about this many bytes, packed or not.
const ENTRY_BYTES: u64 = 128;

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
            let v1::Solution { winning_cells, winning_ends, outcome: _, value_kind: _, nim_value: _ } = solution;
            size_of_val(&winning_cells[..]) + size_of_val(&winning_ends[..])
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
    pack_solution(solution, &mut message);
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
    let outcome = outcome(message.outcome())?;
    if message.value_kind() == v1::ValueKind::NotAsked {
        return Some(Answer::Outcome(outcome));
    }
    let solution = unpack_solution(game, message)?;
    (solution.outcome() == outcome).then_some(Answer::Solution(solution))
}

fn outcome(message: v1::Outcome) -> Option<Outcome> {
    match message {
        v1::Outcome::FirstPlayerWins => Some(Outcome::FirstPlayerWins),
        v1::Outcome::SecondPlayerWins => Some(Outcome::SecondPlayerWins),
        v1::Outcome::Unspecified => None,
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
