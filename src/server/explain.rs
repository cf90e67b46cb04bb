//! The Explain call: a board and its moves are admitted like a board to solve, and the work is done where solving is.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::share::Share;
use super::workers::{Cancelled, Workers};
use crate::explain::{self, Explanation, Fault, Move, Wants};
use crate::games::Board;
use crate::theory::{Control, StopFlag, Stopped};
use crate::wire::{BoardError, Reason};

/// An entry of a list of moves, with what it leaves, takes about this many bytes, packed or not.
const ENTRY: u64 = 128;

/// The memory that an explanation takes at most, in bytes: lists have at most 10,000 entries, of which one in darkraft may
/// name every cell, and what does not fit into a message is not kept.
pub(super) fn most_bytes(board: &Board, message_bytes: u64) -> u64 {
    let lists = match board {
        Board::Treblecross(board) => 2 * ENTRY * board.cells().len().min(10_000) as u64,
        Board::Darkraft(board) => (2 * size_of::<u32>() as u64 * (board.cells().len() as u64).pow(2)).max(ENTRY),
        Board::EndNim(_) => 2 * ENTRY * 10_000,
    };
    lists.min(2 * message_bytes)
}

/// Explains a position within the budget of one board.
///
/// # Errors
/// `Cancelled` when `flag` was set before there was an answer.
pub(super) async fn answer(
    workers: &Workers,
    share: &Share,
    board: Board,
    moves: Vec<Move>,
    wants: Wants,
    flag: &StopFlag,
) -> Result<Result<Explanation, BoardError>, Cancelled> {
    let cost = explain::cost(&board, moves.len(), wants);
    if let Err(error) = workers.within_budget(cost) {
        return Ok(Err(error));
    }
    let budget = workers.settings.limits.cost_per_board;
    let flag = flag.clone();
    let explained = workers
        .run(cost, share, move || {
            let control = Control::new(budget, flag);
            catch_unwind(AssertUnwindSafe(|| explain::explain(&board, &moves, wants, &control)))
        })
        .await?;
    match explained {
        Ok(Ok(explanation)) => Ok(Ok(explanation)),
        Ok(Err(Fault::Stopped(Stopped::Cancelled))) => Err(Cancelled),
        Ok(Err(Fault::Stopped(Stopped::OverBudget))) => Ok(Err(workers.over_budget(""))),
        Ok(Err(fault @ Fault::BadMove { number, .. })) => {
            Ok(Err(BoardError { offset: Some(number), ..BoardError::new(Reason::BadMove, fault.to_string()) }))
        }
        Err(_panic) => {
            tracing::error!("an explanation panicked");
            Ok(Err(BoardError::new(Reason::Internal, "the explanation failed: a fault of the server's own")))
        }
    }
}
