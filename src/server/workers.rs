//! Where boards are solved: in place when that is quick, on a pool when not, heavy boards apart from light ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::games::{self, Board, Sizes, Solution};
use crate::theory::{Control, StopFlag, Stopped};
use crate::wire::{self, BoardError, Reason, v1};

/// What solves boards: the games of this crate, or what a test or bench puts in their place.
pub trait Solver: Send + Sync + 'static {
    /// Estimated work, in units of about a nanosecond of one core.
    fn cost(&self, board: &Board) -> u64;

    /// Solves one board.
    ///
    /// # Errors
    /// `Stopped` when `control` says that the answer is no longer paid for.
    fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped>;
}

/// The games of this crate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Games;

impl Solver for Games {
    fn cost(&self, board: &Board) -> u64 {
        games::cost(board)
    }

    fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped> {
        games::solve(board, control)
    }
}

/// Up to this much work (about 50 us) is done on the async thread: handing it to a pool and back takes a third of that
/// when the machine is idle, and milliseconds when it is busy.
const IN_PLACE: u64 = 50_000;

/// Light boards share a task up to this much work (about 1 ms), so that tasks of other streams get their turn between.
const TASK: u64 = 1_000_000;

/// A board above this much work (about 20 ms) is heavy.
const HEAVY: u64 = 20_000_000;

/// How far the threads for heavy boards stand back in favour of all others. At 19 a core shared with one of them is
/// left to the other side for 98 % of the time.
#[cfg(target_os = "linux")]
const HEAVY_NICE: i32 = 19;

/// Solves batches. Cheap to clone.
///
/// Heavy boards have a pool of their own, so that light batches never queue behind them; its threads run at the lowest
/// priority, so that they take only the time that nobody else wants.
#[derive(Clone)]
pub(super) struct Workers {
    solver: Arc<dyn Solver>,
    sizes: Sizes,
    cost_per_board: u64,
    light: Arc<ThreadPool>,
    heavy: Arc<ThreadPool>,
    threads: usize,
}

/// One stream's share of the heavy pool: at most as many boards at once as the pool has threads, so that a stream with
/// thousands of heavy boards leaves others their turn.
#[derive(Clone)]
pub(super) struct Share(Arc<Semaphore>);

/// The asker is gone: there is no answer to give.
#[derive(Debug)]
pub(super) struct Cancelled;

/// A board as admitted: too large, faulty or too costly ones have their error already.
struct Admitted {
    board: Result<Board, BoardError>,
    cost: u64,
}

impl Workers {
    /// Two pools of `threads` threads each.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub(super) fn new(
        solver: Arc<dyn Solver>,
        sizes: Sizes,
        cost_per_board: u64,
        threads: usize,
    ) -> std::io::Result<Workers> {
        let pool = |name: &'static str| {
            ThreadPoolBuilder::new().num_threads(threads).thread_name(move |index| format!("{name}-{index}"))
        };
        let light = pool("light").build().map_err(std::io::Error::other)?;
        let heavy = pool("heavy").start_handler(|_| stand_back()).build().map_err(std::io::Error::other)?;
        Ok(Workers { solver, sizes, cost_per_board, light: Arc::new(light), heavy: Arc::new(heavy), threads })
    }

    /// A fresh stream's (or call's) share of the heavy pool.
    pub(super) fn share(&self) -> Share {
        Share(Arc::new(Semaphore::new(self.threads)))
    }

    /// Answers boards in their order. Dropping the future abandons tasks that have not begun; `flag` stops those that have.
    ///
    /// # Errors
    /// `Cancelled` when `flag` was set before all were answered.
    pub(super) async fn solve(
        &self,
        boards: impl IntoIterator<Item = Option<v1::Board>>,
        outcome_only: bool,
        share: &Share,
        flag: &StopFlag,
    ) -> Result<Vec<v1::BoardResult>, Cancelled> {
        let admitted: Vec<Admitted> = boards.into_iter().map(|board| self.admit(board)).collect();
        let total = admitted.iter().fold(0u64, |sum, board| sum.saturating_add(board.cost));
        if total <= IN_PLACE {
            return self.answer_all(admitted, outcome_only, flag);
        }
        let count = admitted.len();
        let mut tasks = Vec::new();
        for task in split(admitted) {
            let permit = match task.heavy {
                true => Some(share.0.clone().acquire_owned().await.map_err(|_| Cancelled)?),
                false => None,
            };
            tasks.push(self.spawn(task, outcome_only, permit, flag.clone()));
        }
        if tasks.len() == 1 {
            return tasks.remove(0).await.map_err(|_| Cancelled)?;
        }
        let mut results = Vec::with_capacity(count);
        for task in tasks {
            results.append(&mut task.await.map_err(|_| Cancelled)??);
        }
        Ok(results)
    }

    /// The task's answers come through the receiver; a dropped receiver keeps a task that has not begun from running.
    fn spawn(
        &self,
        task: Task,
        outcome_only: bool,
        permit: Option<OwnedSemaphorePermit>,
        flag: StopFlag,
    ) -> oneshot::Receiver<Result<Vec<v1::BoardResult>, Cancelled>> {
        let (sender, receiver) = oneshot::channel();
        let workers = self.clone();
        let pool = if task.heavy { &self.heavy } else { &self.light };
        pool.spawn_fifo(move || {
            if !sender.is_closed() {
                let _gone = sender.send(workers.answer_all(task.boards, outcome_only, &flag));
            }
            drop(permit);
        });
        receiver
    }

    fn admit(&self, board: Option<v1::Board>) -> Admitted {
        let mut board = wire::board(board, &self.sizes);
        let mut cost = 0;
        if let Ok(position) = &board {
            cost = self.solver.cost(position);
            if cost > self.cost_per_board {
                board = Err(self.over_budget(&format!("about {cost} units of work, ")));
                cost = 0;
            }
        }
        Admitted { board, cost }
    }

    fn answer_all(
        &self,
        boards: Vec<Admitted>,
        outcome_only: bool,
        flag: &StopFlag,
    ) -> Result<Vec<v1::BoardResult>, Cancelled> {
        let mut results = Vec::with_capacity(boards.len());
        for admitted in boards {
            if flag.is_stopped() {
                return Err(Cancelled);
            }
            let result = match admitted.board {
                Ok(board) => self.answer(&board, flag)?,
                Err(error) => Err(error),
            };
            results.push(wire::board_result(result, outcome_only));
        }
        Ok(results)
    }

    /// A panic of the solver costs this board its answer and nothing else.
    fn answer(&self, board: &Board, flag: &StopFlag) -> Result<Result<Solution, BoardError>, Cancelled> {
        let control = Control::new(self.cost_per_board, flag.clone());
        match catch_unwind(AssertUnwindSafe(|| self.solver.solve(board, &control))) {
            Ok(Ok(solution)) => Ok(Ok(solution)),
            Ok(Err(Stopped::Cancelled)) => Err(Cancelled),
            Ok(Err(Stopped::OverBudget)) => Ok(Err(self.over_budget(""))),
            Err(_panic) => {
                tracing::error!(game = board.game().name(), "the solver panicked");
                Ok(Err(BoardError::new(
                    Reason::Internal,
                    "the solver failed on this board: a fault of the server's own",
                )))
            }
        }
    }

    fn over_budget(&self, needs: &str) -> BoardError {
        let message = format!("the board needs {needs}more than cost_per_board = {} units of work", self.cost_per_board);
        BoardError::new(Reason::OverBudget, message)
    }
}

/// Boards that one pool thread answers in one go: one heavy board, or light ones up to `TASK`.
struct Task {
    boards: Vec<Admitted>,
    heavy: bool,
}

fn split(boards: Vec<Admitted>) -> Vec<Task> {
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

/// Lowers the priority of this thread. Where that is not a thread's own matter (macOS), nothing is done.
fn stand_back() {
    #[cfg(target_os = "linux")]
    {
        let thread = rustix::thread::gettid();
        if let Err(error) = rustix::process::setpriority_process(Some(thread), HEAVY_NICE) {
            tracing::debug!(%error, "heavy boards run at normal priority");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_costs(costs: &[u64]) -> Vec<Admitted> {
        costs.iter().map(|&cost| Admitted { board: wire::board(None, &Sizes::default()), cost }).collect()
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
