//! Requests as bytes: no more is built from them than the limits allow, whatever they count.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use prost::Message as _;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use super::error::BoardError;
use super::explain::{self, too_many_moves};
use super::v1;
use crate::explain::{MOST_MOVES, Move, Wants};
use crate::games::{Board, Game, Sizes};

/// Bytes that are no message of the kind that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a valid request of this call: {0}")]
pub struct Malformed(Cow<'static, str>);

impl From<prost::DecodeError> for Malformed {
    fn from(error: prost::DecodeError) -> Malformed {
        Malformed(error.to_string().into())
    }
}

/// A board that came, or what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// The game, if one is set that this version knows.
    pub game: Option<Game>,
    /// The board, checked.
    pub board: Result<Board, BoardError>,
}

/// Numbers of the fields that are looked at here (proto/sprague/v1/sprague.proto).
mod field {
    pub(super) const SOLVE_BOARD: u32 = 1;
    pub(super) const SOLVE_OUTCOME_ONLY: u32 = 2;
    pub(super) const BATCH_ID: u32 = 1;
    pub(super) const BATCH_BOARDS: u32 = 2;
    pub(super) const BATCH_OUTCOME_ONLY: u32 = 3;
    pub(super) const EXPLAIN_BOARD: u32 = 1;
    pub(super) const EXPLAIN_MOVES: u32 = 2;
}

/// What one request message of a stream says besides its boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Batch {
    /// The id that the client gave it.
    pub id: u64,
    /// How many boards it has.
    pub boards: usize,
    /// Whether the outcomes alone are asked for.
    pub outcome_only: bool,
}

/// Reads one request message of a stream in one pass. `take` gets the first `most` boards in their order, held to the
/// sizes, each with the bytes of its message, which are a part of `message`; further boards are counted and nothing is
/// built from them.
///
/// # Errors
/// Bytes that are no such message; `take` may have had boards by then.
pub fn batch(
    message: &Bytes,
    sizes: &Sizes,
    most: usize,
    mut take: impl FnMut(Incoming, &[u8]),
) -> Result<Batch, Malformed> {
    let mut batch = Batch::default();
    for found in Fields(message) {
        match found? {
            (field::BATCH_BOARDS, Value::Bytes(bytes)) => {
                batch.boards += 1;
                if batch.boards <= most {
                    take(board(message.slice_ref(bytes), sizes)?, bytes);
                }
            }
            (field::BATCH_ID, Value::Number(number)) => batch.id = number,
            (field::BATCH_OUTCOME_ONLY, Value::Number(number)) => batch.outcome_only = number != 0,
            (field::BATCH_ID | field::BATCH_OUTCOME_ONLY | field::BATCH_BOARDS, _) => return Err(wrong_type()),
            _ => {}
        }
    }
    Ok(batch)
}

/// Reads the bytes of one board and holds it to the sizes.
///
/// # Errors
/// Bytes that are no board.
pub fn board(message: Bytes, sizes: &Sizes) -> Result<Incoming, Malformed> {
    if let Err((game, error)) = super::packed_within(&message, sizes)? {
        return Ok(Incoming { game: Some(game), board: Err(error) });
    }
    let message = v1::Board::decode(message)?;
    Ok(Incoming { game: super::game(Some(&message)), board: super::board(Some(message), sizes) })
}

/// The parts of a unary request: the board, and whether the outcome alone is asked for.
///
/// # Errors
/// Bytes that are no such message.
pub fn solve(message: &Bytes, sizes: &Sizes) -> Result<(Incoming, bool), Malformed> {
    let mut outcome_only = false;
    for found in Fields(message) {
        match found? {
            (field::SOLVE_OUTCOME_ONLY, Value::Number(number)) => outcome_only = number != 0,
            (field::SOLVE_OUTCOME_ONLY, _) => return Err(wrong_type()),
            _ => {}
        }
    }
    let incoming = match submessage(message, field::SOLVE_BOARD)? {
        Some(bytes) => board(bytes, sizes)?,
        None => Incoming { game: None, board: super::board(None, sizes) },
    };
    Ok((incoming, outcome_only))
}

/// A request for the server's facts, which has no parts.
///
/// # Errors
/// Bytes that are no such message.
pub fn server_info(message: Bytes) -> Result<(), Malformed> {
    v1::GetServerInfoRequest::decode(message)?;
    Ok(())
}

/// The parts of a request for an explanation: the board, the moves, and what is wanted.
///
/// # Errors
/// Bytes that are no such message; within, a board or moves that cannot be.
#[expect(clippy::type_complexity, reason = "three parts that are used at once")]
pub fn explain(message: Bytes, sizes: &Sizes) -> Result<Result<(Board, Vec<Move>, Wants), BoardError>, Malformed> {
    let mut moves = 0;
    for found in Fields(&message) {
        moves += usize::from(found?.0 == field::EXPLAIN_MOVES);
    }
    if moves > MOST_MOVES {
        return Ok(Err(too_many_moves(moves)));
    }
    if let Some(bytes) = submessage(&message, field::EXPLAIN_BOARD)?
        && let Err((_, error)) = super::packed_within(&bytes, sizes)?
    {
        return Ok(Err(error));
    }
    let (board, moves, wants) = match explain::parts(v1::ExplainRequest::decode(message)?) {
        Ok(parts) => parts,
        Err(error) => return Ok(Err(error)),
    };
    Ok(super::board(board, sizes).map(|board| (board, moves, wants)))
}

/// A message within a message; one that comes in several pieces is one message all the same.
fn submessage(message: &Bytes, number: u32) -> Result<Option<Bytes>, Malformed> {
    let mut pieces = Fields(message).filter_map(|found| match found {
        Err(malformed) => Some(Err(malformed)),
        Ok((found, Value::Bytes(bytes))) if found == number => Some(Ok(bytes)),
        Ok((found, _)) if found == number => Some(Err(wrong_type())),
        Ok(_) => None,
    });
    let Some(first) = pieces.next().transpose()? else { return Ok(None) };
    let Some(second) = pieces.next().transpose()? else { return Ok(Some(message.slice_ref(first))) };
    let mut whole = BytesMut::from(first);
    whole.extend_from_slice(second);
    for piece in pieces {
        whole.extend_from_slice(piece?);
    }
    Ok(Some(whole.freeze()))
}

fn wrong_type() -> Malformed {
    Malformed("a field has another wire type".into())
}

/// The value of a field, as far as it is looked at.
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

/// The fields of a message, one after another. Ends after an error.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn read(&mut self) -> Result<(u32, Value<'a>), Malformed> {
        let (number, kind) = decode_key(&mut self.0)?;
        let value = match kind {
            WireType::Varint => Value::Number(decode_varint(&mut self.0)?),
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(&mut self.0)?).unwrap_or(usize::MAX);
                let split = self.0.split_at_checked(length);
                let (bytes, rest) = split.ok_or(Malformed("a field ends after the message".into()))?;
                self.0 = rest;
                Value::Bytes(bytes)
            }
            _ => {
                skip_field(kind, number, &mut self.0, DecodeContext::default())?;
                Value::Other
            }
        };
        Ok((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let found = self.read();
        if found.is_err() {
            self.0 = &[];
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(cells: &str) -> v1::Board {
        let cells = cells.as_bytes().to_vec().into();
        v1::Board { game: Some(v1::board::Game::Treblecross(v1::Treblecross { cells })) }
    }

    #[test]
    fn boards_above_the_limit_are_counted_and_not_taken() {
        let boards = ["...", "..", "....", "XXX"].map(board).to_vec();
        let message = v1::SolveStreamRequest { batch_id: 7, boards, outcome_only: true };
        let message = Bytes::from(message.encode_to_vec());
        for most in 0..=5 {
            let mut taken = Vec::new();
            let read = batch(&message, &Sizes::default(), most, |incoming, bytes| {
                taken.push(incoming.board.is_ok());
                assert!(message.slice_ref(bytes).len() == bytes.len(), "a part of the message");
            });
            assert_eq!(read, Ok(Batch { id: 7, boards: 4, outcome_only: true }));
            assert_eq!(taken, [true, false, true, false][..most.min(4)]);
        }
    }

    #[test]
    fn a_message_that_is_cut_off_is_malformed_whatever_the_limit() {
        let message = v1::SolveStreamRequest { boards: vec![board("....."); 3], ..Default::default() };
        let message = Bytes::from(message.encode_to_vec());
        for most in [0, 1, 3] {
            let cut = message.slice(..message.len() - 1);
            assert!(batch(&cut, &Sizes::default(), most, |_, _| {}).is_err(), "{most}");
        }
    }
}
