//! End-Nim on the wire.

use prost::encoding::encoded_len_varint;

use super::bulk::{Packing, delimited};
use super::error::Reason;
use super::incoming::{Fields, Malformed, Value};
use super::{ENTRY_BYTES, v1};
use crate::explain::end_nim::Position;
use crate::explain::reason::LISTED;
use crate::games::end_nim::{Board, End, Fault, Move, Size, Solution};

/// The number of the field of a board.
pub(super) const FIELD: u32 = 3;
/// The number of the field of the piles.
const PILES: u32 = 1;

/// Why a board is not taken that is over the limits.
pub(super) const TOO_LARGE: Reason = Reason::TooManyPiles;

pub(super) fn pack(board: Board) -> v1::EndNim {
    v1::EndNim { piles: board.into_piles() }
}

pub(super) fn size(message: &v1::EndNim) -> Size {
    Size { piles: message.piles.len() as u64 }
}

pub(super) fn unpack(message: v1::EndNim) -> Result<Board, Fault> {
    Board::new(message.piles)
}

/// Counts the piles: one byte of the message may be a pile of eight bytes.
pub(super) fn count(message: &[u8], size: &mut Size) -> Result<(), Malformed> {
    for found in Fields(message) {
        size.piles += match found? {
            (PILES, Value::Number(_)) => 1,
            // Packed: the last byte of each number has its highest bit clear.
            (PILES, Value::Bytes(packed)) => packed.iter().map(|byte| u64::from(*byte < 0x80)).sum(),
            _ => 0,
        };
    }
    Ok(())
}

pub(super) fn most(board: &Board) -> usize {
    // A varint takes at most 10 bytes.
    10 * board.piles().len()
}

pub(super) fn push(board: &Board, packing: &mut Packing) {
    let packed = board.piles().iter().map(|&pile| encoded_len_varint(pile)).sum();
    // An empty list is left out.
    packing.board(FIELD, if packed == 0 { 0 } else { delimited(packed) });
    if packed > 0 {
        packing.delimiter(PILES, packed);
        board.piles().iter().for_each(|&pile| packing.number(pile));
    }
}

pub(super) fn reason(fault: &Fault) -> (Reason, Option<u32>) {
    match fault {
        Fault::PileZero { at } => (Reason::PileZero, Some(*at)),
    }
}

pub(super) fn pack_solution(solution: Solution, message: &mut v1::Solution) {
    message.winning_ends = solution.winning_ends.into_iter().map(Into::into).collect();
    message.set_value_kind(v1::ValueKind::NotKnown);
}

pub(super) fn unpack_solution(message: v1::Solution) -> Option<Solution> {
    if message.value_kind() != v1::ValueKind::NotKnown {
        return None;
    }
    let winning_ends = message.winning_ends.into_iter().map(|end| end.try_into().ok()).collect::<Option<_>>()?;
    Some(Solution { winning_ends })
}

pub(super) fn info(size: Size) -> v1::GameInfo {
    v1::GameInfo { max_piles: size.piles, ..Default::default() }
}

pub(super) fn limit(info: &v1::GameInfo) -> Size {
    Size { piles: info.max_piles }
}

pub(super) fn pack_position(position: Position) -> v1::EndNim {
    v1::EndNim { piles: position.piles }
}

pub(super) fn unpack_position(message: v1::EndNim) -> Option<Position> {
    Some(Position { piles: message.piles })
}

pub(super) fn unpacked_bytes(board: &Board) -> u64 {
    size_of_val(board.piles()) as u64
}

/// There are two moves at most.
pub(super) fn answer_bytes(_board: &Board) -> u64 {
    0
}

pub(super) fn explanation_bytes(_board: &Board) -> u64 {
    2 * ENTRY_BYTES * LISTED as u64
}

impl From<Move> for v1::EndNimMove {
    fn from(taken: Move) -> v1::EndNimMove {
        let end = match taken.end {
            End::Left => v1::End::Left,
            End::Right => v1::End::Right,
        };
        v1::EndNimMove { end: end.into(), take: taken.take }
    }
}

impl TryFrom<v1::EndNimMove> for Move {
    type Error = ();

    /// Fails without an end.
    fn try_from(message: v1::EndNimMove) -> Result<Move, ()> {
        let end = match message.end() {
            v1::End::Left => End::Left,
            v1::End::Right => End::Right,
            v1::End::Unspecified => return Err(()),
        };
        Ok(Move { end, take: message.take })
    }
}
