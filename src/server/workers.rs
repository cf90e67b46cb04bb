//! Where boards are solved: in place when that is quick, on a pool when not, heavy boards apart from light ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::meters::{Done, Meters};
use super::settings::Settings;
use crate::games::{self, Board, Game, Sizes, Solution};
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

impl Games {
    /// The games, made ready: the first values of Treblecross are there, so that no call waits for them (2 ms).
    pub fn ready() -> Games {
        let _unlimited = games::treblecross::zone_value(1, &Control::unlimited());
        Games
    }
}

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
/// priority where `Settings::heavy_in_background` says so.
#[derive(Clone)]
pub(super) struct Workers {
    solver: Arc<dyn Solver>,
    sizes: Sizes,
    cost_per_board: u64,
    light: Arc<ThreadPool>,
    heavy: Arc<ThreadPool>,
    threads: usize,
    meters: Arc<Meters>,
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
    game: Option<Game>,
    cost: u64,
}

impl Workers {
    /// Two pools of `settings.workers` threads each.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub(super) fn new(solver: Arc<dyn Solver>, settings: &Settings, meters: Arc<Meters>) -> std::io::Result<Workers> {
        let threads = settings.workers;
        let pool = |name: &'static str| {
            ThreadPoolBuilder::new().num_threads(threads).thread_name(move |index| format!("{name}-{index}"))
        };
        let light = pool("light").build().map_err(std::io::Error::other)?;
        let mut heavy = pool("heavy");
        if settings.heavy_in_background {
            heavy = heavy.start_handler(|_| stand_back());
        }
        let heavy = heavy.build().map_err(std::io::Error::other)?;
        let (light, heavy) = (Arc::new(light), Arc::new(heavy));
        let (sizes, cost_per_board) = (settings.sizes, settings.limits.cost_per_board);
        Ok(Workers { solver, sizes, cost_per_board, light, heavy, threads, meters })
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
            return self.answer_all(admitted, outcome_only, flag, None);
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
        let queued = Instant::now();
        let pool = if task.heavy { &self.heavy } else { &self.light };
        pool.spawn_fifo(move || {
            if !sender.is_closed() {
                let _gone = sender.send(workers.answer_all(task.boards, outcome_only, &flag, Some(queued.elapsed())));
            }
            drop(permit);
        });
        receiver
    }

    /// Does other work of about `cost` where a board of that cost is solved. It looks at its own flag.
    ///
    /// # Errors
    /// `Cancelled` when the pool is gone.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        cost: u64,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Cancelled> {
        if cost <= IN_PLACE {
            return Ok(work());
        }
        let (sender, receiver) = oneshot::channel();
        let pool = if cost > HEAVY { &self.heavy } else { &self.light };
        pool.spawn_fifo(move || {
            if !sender.is_closed() {
                let _gone = sender.send(work());
            }
        });
        receiver.await.map_err(|_| Cancelled)
    }

    /// Unpacks a board and holds it to the sizes.
    pub(super) fn board(&self, board: Option<v1::Board>) -> Result<Board, BoardError> {
        wire::board(board, &self.sizes)
    }

    /// The budget of one board.
    pub(super) fn cost_per_board(&self) -> u64 {
        self.cost_per_board
    }

    /// Whether work of about `cost` is done for one board.
    pub(super) fn within_budget(&self, cost: u64) -> Result<(), BoardError> {
        if cost <= self.cost_per_board {
            return Ok(());
        }
        Err(self.over_budget(&format!("about {cost} units of work, ")))
    }

    fn admit(&self, board: Option<v1::Board>) -> Admitted {
        let game = wire::game(board.as_ref());
        let priced = self.board(board).and_then(|board| {
            let cost = self.solver.cost(&board);
            self.within_budget(cost).map(|()| (board, cost))
        });
        match priced {
            Ok((board, cost)) => Admitted { board: Ok(board), game, cost },
            Err(error) => Admitted { board: Err(error), game, cost: 0 },
        }
    }

    /// `waited`: for a worker, if they are not answered in place.
    fn answer_all(
        &self,
        boards: Vec<Admitted>,
        outcome_only: bool,
        flag: &StopFlag,
        waited: Option<Duration>,
    ) -> Result<Vec<v1::BoardResult>, Cancelled> {
        let begun = self.meters.is_on().then(Instant::now);
        let mut done = Done::default();
        let mut results = Vec::with_capacity(boards.len());
        for admitted in boards {
            if flag.is_stopped() {
                return Err(Cancelled);
            }
            let result = match admitted.board {
                Ok(board) => self.answer(&board, flag)?,
                Err(error) => Err(error),
            };
            if begun.is_some() {
                done.add(admitted.game, &result);
            }
            results.push(wire::board_result(result, outcome_only));
        }
        if let Some(begun) = begun {
            self.meters.worked(waited, begun.elapsed(), &done);
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

    pub(super) fn over_budget(&self, needs: &str) -> BoardError {
        let message =
            format!("the board needs {needs}more than cost_per_board = {} units of work", self.cost_per_board);
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
        costs.iter().map(|&cost| Admitted { board: wire::board(None, &Sizes::default()), game: None, cost }).collect()
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

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn heavy_boards_stand_back_on_a_server_and_not_where_somebody_waits_for_them() {
        for (heavy_in_background, nice) in [(true, HEAVY_NICE), (false, 0)] {
            let settings = Settings { heavy_in_background, workers: 1, ..Settings::default() };
            let workers = Workers::new(Arc::new(Games), &settings, Arc::default()).unwrap();
            let priority = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
            assert_eq!(workers.run(TASK, priority).await.unwrap(), 0);
            assert_eq!(workers.run(HEAVY + 1, priority).await.unwrap(), nice);
        }
    }
}
