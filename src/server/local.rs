//! Boards solved in this process without gRPC: on the pools and within the limits of a server.

use std::convert::identity;
use std::fmt;
use std::io;
use std::sync::Arc;

use super::batch::Batch;
use super::quota::PeerId;
use super::settings::Settings;
use super::workers::{Solver, StopOnDrop, Workers, solver_failed};
use crate::games::{Board, Solution};
use crate::wire::BoardError;

/// So many boards are checked and priced, in some 0.1 ms, before other tasks of the async thread have their turn.
const ADMITTED_IN_ONE_GO: usize = 256;

/// Solves boards on threads of this process, for callers that need no network. Clones share the threads, which end with the
/// last of them.
///
/// ```
/// use std::sync::Arc;
///
/// use sprague::games::{Board, treblecross};
/// use sprague::server::local::LocalSolver;
/// use sprague::server::settings::Settings;
/// use sprague::server::workers::Games;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let solver = LocalSolver::start(Settings::default(), Arc::new(Games::ready()))?;
/// let board = Board::Treblecross(treblecross::Board::new("....".into())?);
/// let answers = solver.solve_many([board]).await;
/// assert_eq!(answers[0].as_ref().unwrap().winning_cells(), [1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalSolver(Arc<Workers>);

impl fmt::Debug for LocalSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LocalSolver").field(&self.0.settings).finish()
    }
}

impl LocalSolver {
    /// Starts the threads: those of `settings`, of which `workers`, `heavy_in_background`, `sizes` and `cost_per_board` are in
    /// force here; the other limits are about what comes over a network. Where somebody waits for the answers,
    /// [`Settings::embedded`] is the choice.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn start(settings: Settings, solver: Arc<dyn Solver>) -> io::Result<LocalSolver> {
        Workers::new(solver, Arc::new(settings), Arc::default()).map(LocalSolver)
    }

    /// Solves boards side by side; the answers are in the order of the boards. Runs on any async runtime, which it keeps
    /// busy for no more than some 0.1 ms in a row where no board is very large, unless `workers` is 0. Boards and answers are all in memory at once.
    ///
    /// Dropping the future stops the work: boards that have not begun never do, and those that have end within about a
    /// millisecond.
    ///
    /// # Errors
    /// Of one board each: too large for the settings, over the budget of `cost_per_board`, or a solver that panicked.
    pub async fn solve_many(&self, boards: impl IntoIterator<Item = Board>) -> Vec<Result<Solution, BoardError>> {
        let mut batch = Batch::default();
        for board in boards {
            self.0.add(&mut batch, board);
            if batch.boards % ADMITTED_IN_ONE_GO == 0 {
                tokio::task::yield_now().await;
            }
        }
        let count = batch.boards;
        let stop = StopOnDrop::default();
        let share = self.0.share(PeerId::Unlimited);
        let answers = self.0.solve_tasks(batch.tasks, &share, &stop.0, identity).await;
        // Nobody but a drop of this future cancels, unless a solver does so by itself.
        answers.unwrap_or_else(|_cancelled| (0..count).map(|_| Err(solver_failed())).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::games::{darkraft, treblecross};
    use crate::theory::{Control, Stopped};
    use crate::wire::Reason;

    /// A board of this many cells has the solver panic.
    const PANICS: usize = 13;
    /// A board of this many cells is solved until it is stopped.
    const ENDLESS: usize = 14;

    /// Answers with a board's number of cells.
    #[derive(Default)]
    struct Cells {
        begun: AtomicUsize,
        stopped: AtomicUsize,
    }

    fn cells(board: &Board) -> usize {
        match board {
            Board::Treblecross(board) => board.cells().len(),
            _ => 0,
        }
    }

    impl Solver for Cells {
        fn cost(&self, board: &Board) -> u64 {
            match cells(board) {
                ENDLESS => 100_000_000,
                cells => 1000 * cells as u64,
            }
        }

        fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped> {
            self.begun.fetch_add(1, Ordering::SeqCst);
            match cells(board) {
                PANICS => panic!("a solver of a test"),
                ENDLESS => loop {
                    std::thread::sleep(Duration::from_millis(1));
                    if let Err(stopped) = control.spend(1) {
                        self.stopped.fetch_add(1, Ordering::SeqCst);
                        return Err(stopped);
                    }
                },
                cells => {
                    control.spend(cells as u64)?;
                    Ok(Solution::Darkraft(darkraft::Solution { winning_cells: vec![], nim_value: cells as u32 }))
                }
            }
        }
    }

    fn board(cells: usize) -> Board {
        Board::Treblecross(treblecross::Board::new(".".repeat(cells).into()).unwrap())
    }

    fn solver(workers: usize, cost_per_board: u64) -> (LocalSolver, Arc<Cells>) {
        let mut settings = Settings { workers, ..Settings::default() };
        settings.sizes.treblecross.cells = 1000;
        settings.limits.cost_per_board = cost_per_board;
        let cells = Arc::new(Cells::default());
        (LocalSolver::start(settings, cells.clone()).unwrap(), cells)
    }

    /// The numbers of cells, or why there is none.
    async fn answers(solver: &LocalSolver, sizes: impl IntoIterator<Item = usize>) -> Vec<Result<u32, Reason>> {
        let answers = solver.solve_many(sizes.into_iter().map(board)).await;
        let shown = answers.into_iter().map(|answer| match answer {
            Ok(Solution::Darkraft(solution)) => Ok(solution.nim_value),
            Ok(_) => panic!("the answer of another solver"),
            Err(error) => Err(error.reason),
        });
        shown.collect()
    }

    #[tokio::test]
    async fn answers_are_in_the_order_of_the_boards_whatever_they_cost() {
        for workers in [0, 2] {
            let (solver, _) = solver(workers, u64::MAX);
            let sizes = || (0..5000).map(|number| 15 + number * 7 % 900);
            let expected: Vec<_> = sizes().map(|size| Ok(size as u32)).collect();
            assert!(answers(&solver, sizes()).await == expected, "{workers} workers");
            assert!(answers(&solver, []).await.is_empty());
        }
    }

    #[tokio::test]
    async fn a_bad_board_costs_no_other_its_answer() {
        let (solver, _) = solver(2, 500_000);
        let found = answers(&solver, [3, 1001, PANICS, 501, 500, 4]).await;
        let reasons = [Reason::TooManyCells, Reason::Internal, Reason::OverBudget].map(Err);
        assert_eq!(found, [Ok(3), reasons[0], reasons[1], reasons[2], Ok(500), Ok(4)]);
    }

    #[tokio::test]
    async fn a_dropped_call_stops_what_has_begun_and_begins_nothing_more() {
        let (solver, cells) = solver(1, u64::MAX);
        let begun = async {
            while cells.begun.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            _ = answers(&solver, [ENDLESS; 3]) => panic!("endless boards were answered"),
            () = begun => {}
        }
        // The pool is free again once the board in work has stopped.
        assert_eq!(answers(&solver, [3; 10_000]).await.len(), 10_000);
        let stopped = async {
            while cells.stopped.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), stopped).await.expect("the board in work is stopped");
        assert_eq!(cells.begun.load(Ordering::SeqCst), 1 + 10_000);
    }
}
