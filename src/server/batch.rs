//! Boards that were admitted together, what they take, and the tasks that they are cut into.

use bytes::Bytes;

use crate::games::{Board, Game};
use crate::wire::{BoardError, v1};

/// Light boards share a task up to this much work (about 1 ms), so that tasks of other streams get their turn between.
pub(super) const TASK: u64 = 1_000_000;

/// A board above this much work (about 20 ms) is heavy.
pub(super) const HEAVY: u64 = 20_000_000;

/// A board as admitted: too large, faulty or too costly ones have their error already.
pub(super) struct Admitted {
    pub(super) board: Result<Position, BoardError>,
    pub(super) game: Option<Game>,
    pub(super) cost: u64,
}

/// A board that waits to be solved.
pub(super) enum Position {
    Ready(Board),
    /// As it came: unpacked it takes much more memory. It was unpacked once, and found good.
    Packed(Bytes),
}

/// Boards that were admitted together and are answered in one message.
pub(super) struct Batch {
    pub(super) id: u64,
    pub(super) boards: Vec<Admitted>,
    pub(super) outcome_only: bool,
    /// What the piles that are kept unpacked take, in bytes.
    unpacked: u64,
    /// What the answers may take, in bytes.
    pub(super) answer_bytes: u64,
}

/// Piles of one batch that are kept unpacked, in bytes: a pile is one byte on the wire and eight in memory.
const UNPACKED: u64 = 1 << 20;

/// What a board and its result take in a batch, in bytes, besides cells, piles and moves.
const BOARD_BYTES: u64 = (size_of::<Admitted>() + size_of::<v1::BoardResult>()) as u64;

impl Batch {
    /// A batch for so many boards.
    pub(super) fn new(id: u64, boards: usize, outcome_only: bool) -> Batch {
        Batch { id, boards: Vec::with_capacity(boards), outcome_only, unpacked: 0, answer_bytes: 0 }
    }

    /// Adds a board with its price, or what is wrong with it; `bytes` is how it came.
    pub(super) fn push(&mut self, game: Option<Game>, priced: Result<(Board, u64), BoardError>, bytes: Bytes) {
        let (board, cost) = match priced {
            Err(error) => (Err(error), 0),
            Ok((Board::EndNim(row), cost)) => {
                let unpacked = self.unpacked + size_of_val(row.piles()) as u64;
                let position = if unpacked <= UNPACKED || self.boards.is_empty() {
                    self.unpacked = unpacked;
                    Position::Ready(Board::EndNim(row))
                } else {
                    Position::Packed(bytes)
                };
                (Ok(position), cost)
            }
            Ok((board, cost)) => {
                let cells = match &board {
                    _ if self.outcome_only => 0,
                    Board::Treblecross(board) => board.cells().len(),
                    Board::Darkraft(board) => board.cells().len(),
                    Board::EndNim(_) => 0,
                };
                self.answer_bytes += (size_of::<u32>() * cells) as u64;
                (Ok(Position::Ready(board)), cost)
            }
        };
        self.boards.push(Admitted { board, game, cost });
    }

    /// The memory that the boards take now, in bytes, besides the message that they came in.
    pub(super) fn held(&self) -> u64 {
        self.boards.len() as u64 * BOARD_BYTES + self.unpacked
    }

    /// The memory that the boards and their answers take at most: answers that do not fit into one message are not kept.
    pub(super) fn most(&self, message_bytes: u64) -> u64 {
        self.held() + self.answer_bytes.min(2 * message_bytes)
    }
}

/// Boards that one pool thread answers in one go: one heavy board, or light ones up to `TASK`.
pub(super) struct Task {
    pub(super) boards: Vec<Admitted>,
    pub(super) heavy: bool,
}

/// Cuts boards into tasks, in their order.
pub(super) fn split(boards: Vec<Admitted>) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut room = 0;
    for board in boards {
        let heavy = board.cost > HEAVY;
        match tasks.last_mut() {
            Some(task) if !heavy && !task.heavy && board.cost <= room => {
                room -= board.cost;
                task.boards.push(board);
            }
            _ => {
                room = TASK.saturating_sub(board.cost);
                tasks.push(Task { boards: vec![board], heavy });
            }
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Reason;

    fn of_costs(costs: &[u64]) -> Vec<Admitted> {
        let board = |cost| Admitted { board: Err(BoardError::new(Reason::NoGame, "")), game: None, cost };
        costs.iter().map(|&cost| board(cost)).collect()
    }

    #[test]
    fn heavy_boards_stand_alone_and_light_ones_share_a_task() {
        for (costs, expected) in [
            (&[][..], &[][..]),
            (&[1, 2, 3], &[(3, false)]),
            (&[TASK, 1], &[(1, false), (1, false)]),
            (&[TASK - 1, 1, 1], &[(2, false), (1, false)]),
            (&[1, HEAVY + 1, 1, 1], &[(1, false), (1, true), (2, false)]),
            (&[HEAVY, HEAVY + 1, HEAVY + 1], &[(1, false), (1, true), (1, true)]),
        ] {
            let tasks: Vec<_> = split(of_costs(costs)).iter().map(|task| (task.boards.len(), task.heavy)).collect();
            assert_eq!(tasks, expected, "{costs:?}");
        }
    }
}
