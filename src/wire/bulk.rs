//! Streams: boards packed into batches of known size, answers taken apart, and the Summary that both sides count.

use bytes::Bytes;
use prost::Message as _;

use super::v1;
use crate::games::Board;

/// A batch in the making, whose size on the wire is known at any time.
#[derive(Debug, Default)]
pub struct Packing {
    boards: Vec<v1::Board>,
    bytes: usize,
}

/// Tag and length in front of a board, and the fields of the batch itself, are never longer than this.
const FRAME: usize = 32;

impl Packing {
    /// An upper bound of what `push` adds to the size, in bytes.
    pub fn most(board: &Board) -> usize {
        FRAME
            + match board {
                Board::Treblecross(board) => board.cells().len(),
                Board::Darkraft(board) => board.cells().len(),
                // A varint takes at most 10 bytes.
                Board::EndNim(board) => 10 * board.piles().len(),
            }
    }

    /// Adds a board and returns its place in the batch's order of boards.
    pub fn push(&mut self, board: Board) {
        let board = v1::Board::from(board);
        let body = board.encoded_len();
        self.bytes += 1 + prost::length_delimiter_len(body) + body;
        self.boards.push(board);
    }

    /// Boards packed so far.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }

    /// The size of the message so far, but for its id: an upper bound is `FRAME` bytes more.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The request message, encoded once however often it is sent. Leaves the packing empty.
    pub fn finish(&mut self, batch_id: u64, outcome_only: bool) -> Bytes {
        self.bytes = 0;
        let boards = std::mem::take(&mut self.boards);
        let room = boards.len();
        let message = v1::SolveStreamRequest { batch_id, boards, outcome_only }.encode_to_vec().into();
        self.boards.reserve(room);
        message
    }
}

/// What a stream says it answered, or what somebody counted of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Request messages answered.
    pub batches: u64,
    /// Boards in them.
    pub boards: u64,
    /// Boards answered with a solution.
    pub solved: u64,
    /// Boards answered with an error.
    pub failed: u64,
}

impl Summary {
    /// Counts a batch's answer; a summary counts for nothing.
    pub fn add(&mut self, message: &v1::SolveStreamResponse) {
        if let Some(v1::solve_stream_response::Message::Batch(batch)) = &message.message {
            let is_error =
                |result: &&v1::BoardResult| matches!(result.result, Some(v1::board_result::Result::Error(_)));
            let failed = batch.results.iter().filter(is_error).count() as u64;
            let boards = batch.results.len() as u64;
            self.batches += 1;
            self.boards += boards;
            self.failed += failed;
            self.solved += boards - failed;
        }
    }
}

impl From<Summary> for v1::SolveStreamResponse {
    fn from(summary: Summary) -> v1::SolveStreamResponse {
        let Summary { batches, boards, solved, failed } = summary;
        let summary = v1::Summary { batches, boards, solved, failed };
        v1::SolveStreamResponse { message: Some(v1::solve_stream_response::Message::Summary(summary)) }
    }
}

/// One message of the answering stream.
#[derive(Debug)]
pub enum Streamed {
    /// The answers to one batch.
    Batch {
        /// The id that the batch was sent with.
        batch_id: u64,
        /// One result a board, to be given to `answer`.
        results: Vec<v1::BoardResult>,
    },
    /// The last message.
    Summary(Summary),
}

/// Takes apart a message of the answering stream; none if it holds nothing that this version knows.
pub fn streamed(message: v1::SolveStreamResponse) -> Option<Streamed> {
    Some(match message.message? {
        v1::solve_stream_response::Message::Batch(batch) => {
            Streamed::Batch { batch_id: batch.batch_id, results: batch.results }
        }
        v1::solve_stream_response::Message::Summary(summary) => Streamed::Summary(Summary {
            batches: summary.batches,
            boards: summary.boards,
            solved: summary.solved,
            failed: summary.failed,
        }),
    })
}
