//! Treblecross on the wire.

use super::bulk::{Packing, delimited};
use super::error::Reason;
use super::incoming::Malformed;
use super::{ENTRY_BYTES, v1};
use crate::explain::reason::LISTED;
use crate::explain::treblecross::Position;
use crate::games::treblecross::{Board, Fault, Size, Solution, Value};

/// The number of the field of a board.
pub(super) const FIELD: u32 = 1;
/// The number of the field of the cells.
const CELLS: u32 = 1;

/// Why a board is not taken that is over the limits.
pub(super) const TOO_LARGE: Reason = Reason::TooManyCells;

pub(super) fn pack(board: Board) -> v1::Treblecross {
    v1::Treblecross { cells: board.cells().clone() }
}

pub(super) fn size(message: &v1::Treblecross) -> Size {
    Size { cells: message.cells.len() as u64 }
}

pub(super) fn unpack(message: v1::Treblecross) -> Result<Board, Fault> {
    Board::new(message.cells)
}

/// Counts nothing: unpacked, cells are a part of the message.
pub(super) fn count(_message: &[u8], _size: &mut Size) -> Result<(), Malformed> {
    Ok(())
}

pub(super) fn most(board: &Board) -> usize {
    board.cells().len()
}

pub(super) fn push(board: &Board, packing: &mut Packing) {
    packing.board(FIELD, delimited(board.cells().len()));
    packing.bytes_field(CELLS, board.cells());
}

pub(super) fn reason(fault: &Fault) -> (Reason, Option<u32>) {
    match fault {
        Fault::TooShort { .. } => (Reason::TooShort, None),
        Fault::BadCell { at, .. } => (Reason::BadCell, Some(*at)),
        Fault::AlreadyWon { at } => (Reason::AlreadyWon, Some(*at)),
    }
}

pub(super) fn pack_solution(solution: Solution, message: &mut v1::Solution) {
    message.winning_cells = solution.winning_cells;
    match solution.value {
        Value::Nimber(value) => {
            message.set_value_kind(v1::ValueKind::Nimber);
            message.nim_value = value;
        }
        Value::ImmediateWin => message.set_value_kind(v1::ValueKind::ImmediateWin),
    }
}

pub(super) fn unpack_solution(message: v1::Solution) -> Option<Solution> {
    let value = match message.value_kind() {
        v1::ValueKind::Nimber => Value::Nimber(message.nim_value),
        v1::ValueKind::ImmediateWin => Value::ImmediateWin,
        _ => return None,
    };
    Some(Solution { winning_cells: message.winning_cells, value })
}

pub(super) fn info(size: Size) -> v1::GameInfo {
    v1::GameInfo { max_cells: size.cells, ..Default::default() }
}

pub(super) fn limit(info: &v1::GameInfo) -> Size {
    Size { cells: info.max_cells }
}

pub(super) fn pack_position(position: Position) -> v1::Treblecross {
    v1::Treblecross { cells: position.cells }
}

pub(super) fn unpack_position(message: v1::Treblecross) -> Option<Position> {
    Some(Position { cells: message.cells })
}

pub(super) fn unpacked_bytes(_board: &Board) -> u64 {
    0
}

pub(super) fn answer_bytes(board: &Board) -> u64 {
    (size_of::<u32>() * board.cells().len()) as u64
}

pub(super) fn explanation_bytes(board: &Board) -> u64 {
    2 * ENTRY_BYTES * board.cells().len().min(LISTED) as u64
}
