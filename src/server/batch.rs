//! Boards that were admitted together, what they take, and the tasks that they are cut into.

use bytes::Bytes;

use crate::games::{Board, Game};
use crate::wire::{self, BoardError, v1};

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
#[derive(Default)]
pub(super) struct Batch {
    pub(super) id: u64,
    pub(super) outcome_only: bool,
    pub(super) boards: usize,
    /// The boards in their order, cut into tasks as they came.
    pub(super) tasks: Vec<Task>,
    /// What is kept unpacked takes, in bytes.
    unpacked: u64,
    /// What the lists of moves in the answers may take, in bytes.
    move_bytes: u64,
}

/// Piles of one batch that are kept unpacked, in bytes: a pile is one byte on the wire and eight in memory.
const UNPACKED: u64 = 1 << 20;

/// What a board and its result take in a batch, in bytes, besides cells, piles and moves.
const BOARD_BYTES: u64 = (size_of::<Admitted>() + size_of::<v1::BoardResult>()) as u64;

impl Batch {
    /// Adds a board with its price, or what is wrong with it. `packed` gives it as it came.
    pub(super) fn push_packed(
        &mut self,
        game: Option<Game>,
        priced: Result<(Board, u64), BoardError>,
        packed: impl FnOnce() -> Bytes,
    ) {
        match priced {
            Ok((board, cost)) if self.boards > 0 && !self.has_room_for(wire::unpacked_bytes(&board)) => {
                self.add(Admitted { board: Ok(Position::Packed(packed())), game, cost });
            }
            _ => self.push(game, priced),
        }
    }

    /// Whether one more board may be kept unpacked that then takes so many bytes; one that takes none always.
    fn has_room_for(&self, bytes: u64) -> bool {
        bytes == 0 || self.unpacked + bytes <= UNPACKED
    }

    /// Adds a board with its price, or what is wrong with it.
    pub(super) fn push(&mut self, game: Option<Game>, priced: Result<(Board, u64), BoardError>) {
        let (board, cost) = match priced {
            Ok((board, cost)) => {
                self.unpacked += wire::unpacked_bytes(&board);
                self.move_bytes += wire::answer_bytes(&board);
                (Ok(Position::Ready(board)), cost)
            }
            Err(error) => (Err(error), 0),
        };
        self.add(Admitted { board, game, cost });
    }

    /// The batch whose last board has come.
    pub(super) fn finish(mut self, id: u64, outcome_only: bool) -> Batch {
        if let Some(task) = self.tasks.last_mut() {
            task.boards.shrink_to_fit();
        }
        self.tasks.shrink_to_fit();
        Batch { id, outcome_only, ..self }
    }

    fn add(&mut self, board: Admitted) {
        self.boards += 1;
        match self.tasks.last_mut() {
            Some(task) if task.has_room_for(&board) => {
                task.cost += board.cost;
                task.boards.push(board);
            }
            last => {
                if let Some(task) = last {
                    task.boards.shrink_to_fit();
                }
                self.tasks.push(Task { cost: board.cost, boards: vec![board] });
            }
        }
    }

    /// What the answers may take, in bytes.
    pub(super) fn answer_bytes(&self) -> u64 {
        if self.outcome_only { 0 } else { self.move_bytes }
    }

    /// The memory that the boards take now, in bytes, besides the message that they came in.
    pub(super) fn held(&self) -> u64 {
        self.boards as u64 * BOARD_BYTES + size_of_val(&self.tasks[..]) as u64 + self.unpacked
    }

    /// The memory that the boards and their answers take at most: answers that do not fit into one message are not kept.
    pub(super) fn most(&self, message_bytes: u64) -> u64 {
        self.held() + self.answer_bytes().min(2 * message_bytes)
    }
}

/// Boards that one pool thread answers in one go: one heavy board, or light ones up to `TASK`.
#[derive(Default)]
pub(super) struct Task {
    pub(super) boards: Vec<Admitted>,
    /// Of all its boards.
    pub(super) cost: u64,
}

impl Task {
    /// Whether it is one heavy board.
    pub(super) fn is_heavy(&self) -> bool {
        self.cost > HEAVY
    }

    fn has_room_for(&self, board: &Admitted) -> bool {
        !self.is_heavy() && board.cost <= TASK.saturating_sub(self.cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::end_nim;
    use crate::wire::Reason;

    fn of_costs(costs: &[u64]) -> Batch {
        let board = |cost| Admitted { board: Err(BoardError::new(Reason::NoGame, "")), game: None, cost };
        let mut batch = Batch::default();
        costs.iter().for_each(|&cost| batch.add(board(cost)));
        batch
    }

    #[test]
    fn piles_are_counted_where_they_are_kept_unpacked() {
        let row = |piles| Ok((Board::EndNim(end_nim::Board::new(vec![1; piles]).unwrap()), 1));
        let piles = |batch: &Batch| {
            let held = batch.held() - batch.boards as u64 * BOARD_BYTES;
            (held - size_of_val(&batch.tasks[..]) as u64) / 8
        };
        // One board is kept unpacked, however large it is.
        let mut batch = Batch::default();
        batch.push(None, row(1_000_000));
        assert_eq!(piles(&batch), 1_000_000);
        let mut batch = Batch::default();
        for (count, all) in [(1_000_000, 1_000_000), (1, 1_000_000)] {
            batch.push_packed(None, row(count), Bytes::new);
            assert_eq!(piles(&batch), all);
        }
        let mut batch = Batch::default();
        for (count, all) in [(100_000, 100_000), (100_000, 100_000), (10_000, 110_000)] {
            batch.push_packed(None, row(count), Bytes::new);
            assert_eq!(piles(&batch), all);
        }
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
            (&[HEAVY, 0, 1, HEAVY + 1, 0], &[(2, false), (1, false), (1, true), (1, false)]),
        ] {
            let tasks = of_costs(costs).tasks;
            let tasks: Vec<_> = tasks.iter().map(|task| (task.boards.len(), task.is_heavy())).collect();
            assert_eq!(tasks, expected, "{costs:?}");
        }
    }
}
