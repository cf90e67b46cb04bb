//! The Explain call: a board and its moves are admitted like a board to solve, and the work is done where solving is.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::share::Share;
use super::workers::{Cancelled, Workers};
use crate::explain::{self, Explanation, Fault, Move, Wants};
use crate::games::Board;
use crate::theory::{Control, StopFlag, Stopped};
use crate::wire::{self, BoardError, Reason};

/// The memory that an explanation takes at most, in bytes: lists have at most 10,000 entries, of which one in darkraft may
/// name every cell, and what does not fit into a message is not kept.
pub(super) fn most_bytes(board: &Board, message_bytes: u64) -> u64 {
    wire::explanation_bytes(board).min(2 * message_bytes)
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
