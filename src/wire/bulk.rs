//! Streams: boards packed into batches of known size, answers taken apart, and the Summary that both sides count.

use bytes::Bytes;
use prost::encoding::{WireType, encode_key, encode_varint};
use prost::length_delimiter_len;

use super::v1;

/// A batch in the making: the request message itself, written board by board, so its size is known at any time.
#[derive(Debug, Default)]
pub struct Packing {
    message: Vec<u8>,
    boards: usize,
}

/// Tag and length in front of a board, and the fields of the batch itself, are never longer than this.
pub(super) const FRAME: usize = 32;

/// Numbers of the fields that are written here (proto/sprague/v1/sprague.proto). None is over 15, so each tag is one byte.
mod field {
    pub(super) const BATCH_ID: u32 = 1;
    pub(super) const BATCH_BOARDS: u32 = 2;
    pub(super) const BATCH_OUTCOME_ONLY: u32 = 3;
}

impl Packing {
    /// Counts a board whose message follows.
    pub(super) fn begin(&mut self) {
        self.boards += 1;
    }

    /// Boards packed so far.
    pub fn boards(&self) -> usize {
        self.boards
    }

    /// The size of the message so far, but for its id: an upper bound is `FRAME` bytes more.
    pub fn bytes(&self) -> usize {
        self.message.len()
    }

    /// The request message, however often it is sent. Leaves the packing empty.
    pub fn finish(&mut self, batch_id: u64, outcome_only: bool) -> Bytes {
        if batch_id > 0 {
            self.number_field(field::BATCH_ID, batch_id);
        }
        if outcome_only {
            self.number_field(field::BATCH_OUTCOME_ONLY, 1);
        }
        self.boards = 0;
        // The next batch will be about as large.
        let next = Vec::with_capacity(self.message.len() + FRAME);
        std::mem::replace(&mut self.message, next).into()
    }

    /// Begins a board whose game's message has `length` bytes.
    pub(super) fn board(&mut self, game: u32, length: usize) {
        self.delimiter(field::BATCH_BOARDS, delimited(length));
        self.delimiter(game, length);
    }

    pub(super) fn delimiter(&mut self, number: u32, length: usize) {
        encode_key(number, WireType::LengthDelimited, &mut self.message);
        encode_varint(length as u64, &mut self.message);
    }

    pub(super) fn bytes_field(&mut self, number: u32, bytes: &[u8]) {
        self.delimiter(number, bytes.len());
        self.message.extend_from_slice(bytes);
    }

    pub(super) fn number(&mut self, value: u64) {
        encode_varint(value, &mut self.message);
    }

    pub(super) fn number_field(&mut self, number: u32, value: u64) {
        encode_key(number, WireType::Varint, &mut self.message);
        encode_varint(value, &mut self.message);
    }
}

/// The size of a field that is `length` bytes behind its tag and length.
pub(super) fn delimited(length: usize) -> usize {
    1 + length_delimiter_len(length) + length
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
            let failed = batch.results.iter().filter(|result| is_error(result)).count() as u64;
            self.add_batch(batch.results.len() as u64, failed);
        }
    }

    /// Counts a batch of so many boards, of which so many were answered with an error.
    pub fn add_batch(&mut self, boards: u64, failed: u64) {
        self.batches += 1;
        self.boards += boards;
        self.failed += failed;
        self.solved += boards - failed;
    }
}

/// Whether a result counts as failed in a Summary: it is an error that the server sent.
pub fn is_error(result: &v1::BoardResult) -> bool {
    matches!(result.result, Some(v1::board_result::Result::Error(_)))
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

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::games::{Board, darkraft, end_nim, treblecross};

    /// Boards of each game, with lengths on both sides of where a varint grows.
    fn boards() -> Vec<Board> {
        let lengths = [3, 4, 123, 124, 125, 126, 127, 128, 129, 16_380, 16_384, 2_097_152];
        let rows = lengths.map(|cells| treblecross::Board::empty(cells).expect("an empty row").into());
        let grid = |columns: u32, rows: u32| {
            let cells = vec![b'X'; (columns * rows) as usize].into();
            darkraft::Board::new(columns, cells).expect("a full grid").into()
        };
        let grids = [(1, 1), (1, 127), (127, 1), (128, 1), (300, 60)].map(|(columns, rows)| grid(columns, rows));
        let ends = [0, 1, 2, 60, 64, 127, 128, 5_000].map(|piles| {
            let pile = |n: u32| u64::MAX >> (n % 64);
            end_nim::Board::new((0..piles).map(pile).collect()).expect("no empty pile").into()
        });
        rows.into_iter().chain(grids).chain(ends).collect()
    }

    #[test]
    fn a_packed_batch_is_the_message_that_prost_would_write() {
        let all = boards();
        let single = all.iter().map(|board| vec![board.clone()]);
        for (boards, id, outcome_only) in single.map(|one| (one, 0, false)).chain([
            (all.clone(), 0, false),
            (all.clone(), 1, true),
            (all.clone(), u64::MAX, false),
            (Vec::new(), 7, true),
        ]) {
            let mut packing = Packing::default();
            for board in &boards {
                let before = packing.bytes();
                packing.push(board);
                let message = v1::Board::from(board.clone());
                assert_eq!(packing.bytes() - before, delimited(message.encoded_len()), "{message:?}");
                assert!(packing.bytes() - before <= Packing::most(board), "{message:?}");
            }
            assert_eq!(packing.boards(), boards.len());
            let expected = crate::wire::batch(id, boards, outcome_only);
            let packed = packing.finish(id, outcome_only);
            assert_eq!(packed.len(), expected.encoded_len());
            assert_eq!(v1::SolveStreamRequest::decode(packed), Ok(expected));
            assert_eq!((packing.boards(), packing.bytes()), (0, 0));
        }
    }
}
