//! Darkraft on the wire.

use prost::encoding::encoded_len_varint;

use super::bulk::{Packing, delimited};
use super::error::Reason;
use super::incoming::Malformed;
use super::{ENTRY_BYTES, v1};
use crate::explain::darkraft::Position;
use crate::games::darkraft::{Board, Fault, Size, Solution};

/// The number of the field of a board.
pub(super) const FIELD: u32 = 2;
/// The number of the field of the columns.
const COLUMNS: u32 = 1;
/// The number of the field of the cells.
const CELLS: u32 = 2;

/// Why a board is not taken that is over the limits.
pub(super) const TOO_LARGE: Reason = Reason::TooManyCells;

pub(super) fn pack(board: Board) -> v1::Darkraft {
    v1::Darkraft { columns: board.columns(), cells: board.cells().clone() }
}

pub(super) fn size(message: &v1::Darkraft) -> Size {
    let columns = u64::from(message.columns);
    Size { rows: (message.cells.len() as u64).div_ceil(columns.max(1)), columns }
}

pub(super) fn unpack(message: v1::Darkraft) -> Result<Board, Fault> {
    Board::new(message.columns, message.cells)
}

/// Counts nothing: unpacked, cells are a part of the message.
pub(super) fn count(_message: &[u8], _size: &mut Size) -> Result<(), Malformed> {
    Ok(())
}

pub(super) fn most(board: &Board) -> usize {
    board.cells().len()
}

pub(super) fn push(board: &Board, packing: &mut Packing) {
    let (columns, cells) = (u64::from(board.columns()), board.cells());
    packing.board(FIELD, 1 + encoded_len_varint(columns) + delimited(cells.len()));
    packing.number_field(COLUMNS, columns);
    packing.bytes_field(CELLS, cells);
}

pub(super) fn reason(fault: &Fault) -> (Reason, Option<u32>) {
    match fault {
        Fault::Empty => (Reason::Empty, None),
        Fault::Ragged { .. } => (Reason::Ragged, None),
        Fault::BadCell { at, .. } => (Reason::BadCell, Some(*at)),
    }
}

pub(super) fn pack_solution(solution: Solution, message: &mut v1::Solution) {
    message.winning_cells = solution.winning_cells;
    message.set_value_kind(v1::ValueKind::Nimber);
    message.nim_value = solution.nim_value;
}

pub(super) fn unpack_solution(message: v1::Solution) -> Option<Solution> {
    let is_known = message.value_kind() == v1::ValueKind::Nimber;
    is_known.then_some(Solution { winning_cells: message.winning_cells, nim_value: message.nim_value })
}

pub(super) fn info(size: Size) -> v1::GameInfo {
    let side = |side: u64| u32::try_from(side).unwrap_or(u32::MAX);
    v1::GameInfo {
        max_rows: side(size.rows),
        max_columns: side(size.columns),
        max_cells: size.rows.saturating_mul(size.columns),
        ..Default::default()
    }
}

pub(super) fn limit(info: &v1::GameInfo) -> Size {
    Size { rows: info.max_rows.into(), columns: info.max_columns.into() }
}

pub(super) fn pack_position(position: Position) -> v1::Darkraft {
    v1::Darkraft { columns: position.columns, cells: position.cells }
}

pub(super) fn unpack_position(message: v1::Darkraft) -> Option<Position> {
    (message.columns > 0).then_some(Position { columns: message.columns, cells: message.cells })
}

pub(super) fn unpacked_bytes(_board: &Board) -> u64 {
    0
}

pub(super) fn answer_bytes(board: &Board) -> u64 {
    (size_of::<u32>() * board.cells().len()) as u64
}

/// Each move may name every cell.
pub(super) fn explanation_bytes(board: &Board) -> u64 {
    (2 * size_of::<u32>() as u64 * (board.cells().len() as u64).pow(2)).max(ENTRY_BYTES)
}
