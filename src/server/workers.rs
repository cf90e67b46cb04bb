//! Where boards are solved: in place when that is quick, on a pool when not, heavy boards apart from light ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::oneshot::{self, error::RecvError};
use tonic::Status;

use super::batch::{Batch, HEAVY, Position, Task};
use super::meters::{Done, Meters};
use super::pools::Pools;
use super::quota::PeerId;
use super::settings::Settings;
use super::share::{Share, Shares};
use super::status;
use super::watch::Asked;
use crate::games::{self, Board, Solution};
use crate::theory::{Control, StopFlag, Stopped};
use crate::wire::incoming::{self, Malformed};
use crate::wire::{self, AnswerRoom, BoardError, LONGEST_TOO_LONG, Reason, v1};

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

/// Solves batches.
///
/// Heavy boards have a pool of their own, so that light batches never queue behind them; its threads run at the lowest
/// priority where `Settings::heavy_in_background` says so.
pub(super) struct Workers {
    solver: Arc<dyn Solver>,
    pub(super) settings: Arc<Settings>,
    pub(super) meters: Arc<Meters>,
    pools: Pools,
    shares: Shares,
}

/// The asker is gone: there is no answer to give.
#[derive(Debug)]
pub(super) struct Cancelled;

impl From<RecvError> for Cancelled {
    /// The pool is gone.
    fn from(_: RecvError) -> Cancelled {
        Cancelled
    }
}

/// Stops the work of a call when the call is dropped: because its caller left, or because its time is up.
#[derive(Default)]
pub(super) struct StopOnDrop(pub(super) StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Workers {
    /// A pool for light boards and one for heavy ones.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub(super) fn new(
        solver: Arc<dyn Solver>,
        settings: Arc<Settings>,
        meters: Arc<Meters>,
    ) -> std::io::Result<Arc<Workers>> {
        let pools = Pools::new(&settings)?;
        let shares = Shares::new(settings.workers.max(1));
        Ok(Arc::new(Workers { solver, settings, meters, pools, shares }))
    }

    /// Has every thread of the pools do something once it is free.
    pub(super) fn on_each(&self, work: fn()) {
        self.pools.on_each(work);
    }

    /// A fresh call's share of the heavy pool.
    pub(super) fn share(&self, peer: PeerId) -> Share {
        self.shares.of(peer)
    }

    /// Reads the message of a batch in one pass: unpacks, checks and prices its boards, and cuts them into tasks. `asked`
    /// counts them.
    ///
    /// # Errors
    /// Bytes that are no batch; more boards than a batch may have.
    pub(super) fn admit(&self, message: &Bytes, asked: &Asked) -> Result<Batch, Status> {
        let Settings { sizes, limits, .. } = &*self.settings;
        let mut admitted = Batch::default();
        let read = incoming::batch(message, sizes, limits.boards_per_batch as usize, |incoming, bytes| {
            admitted.push_packed(incoming.game, self.priced(incoming.board), || message.slice_ref(bytes));
        });
        let read = read.map_err(|malformed| status::bad_message(malformed.to_string()))?;
        asked.add(read.boards);
        if read.boards > admitted.boards {
            return Err(status::too_many_boards(read.id, read.boards, limits.boards_per_batch));
        }
        Ok(admitted.finish(read.id, read.outcome_only))
    }

    /// The batch of one board that is a unary call.
    ///
    /// # Errors
    /// Bytes that are no such request.
    pub(super) fn admit_one(&self, message: &Bytes) -> Result<Batch, Malformed> {
        let (incoming, outcome_only) = incoming::solve(message, &self.settings.sizes)?;
        let mut admitted = Batch::default();
        admitted.push(incoming.game, self.priced(incoming.board));
        Ok(admitted.finish(0, outcome_only))
    }

    /// Adds a board of this process to a batch: held to the sizes, and priced.
    pub(super) fn add(&self, batch: &mut Batch, board: Board) {
        let game = board.game();
        let board = wire::within_sizes(&board, &self.settings.sizes).map(|()| board);
        batch.push(Some(game), self.priced(board));
    }

    /// A board with its price, if that is within the budget.
    fn priced(&self, board: Result<Board, BoardError>) -> Result<(Board, u64), BoardError> {
        let board = board?;
        let cost = self.solver.cost(&board);
        self.within_budget(cost)?;
        Ok((board, cost))
    }

    /// Answers boards in their order. Dropping the future abandons tasks that have not begun; `flag` stops those that have.
    ///
    /// # Errors
    /// `Cancelled` when `flag` was set before all were answered.
    pub(super) async fn solve(
        self: &Arc<Self>,
        batch: Batch,
        share: &Share,
        flag: &StopFlag,
    ) -> Result<Vec<v1::BoardResult>, Cancelled> {
        let outcome_only = batch.outcome_only;
        let pack = move |result| wire::board_result(result, outcome_only);
        let message_bytes = self.settings.limits.message_bytes;
        // Packed, an answer takes up to five bytes where it takes four here.
        let most = batch.answer_bytes() / 4 * 5 + batch.boards as u64 * LONGEST_TOO_LONG;
        if most <= message_bytes {
            return self.solve_tasks(batch.tasks, share, flag, pack).await;
        }
        // One after another: what does not fit is dropped before the next answers are made.
        let mut room = AnswerRoom::new(batch.boards, message_bytes);
        let mut results = Vec::with_capacity(batch.boards);
        for task in batch.tasks {
            let answered = self.solve_tasks(vec![task], share, flag, pack).await?;
            results.extend(answered.into_iter().map(|result| room.fit(result)));
        }
        Ok(results)
    }

    /// Solves tasks side by side, and makes of each board's result what `pack` makes of it, in their order.
    ///
    /// # Errors
    /// As for `solve`.
    pub(super) async fn solve_tasks<T: Send + 'static>(
        self: &Arc<Self>,
        mut tasks: Vec<Task>,
        share: &Share,
        flag: &StopFlag,
        pack: impl Fn(Result<Solution, BoardError>) -> T + Copy + Send + 'static,
    ) -> Result<Vec<T>, Cancelled> {
        if tasks.len() <= 1 && tasks.iter().all(|task| task.cost <= IN_PLACE) {
            return self.answer_all(tasks.pop().unwrap_or_default(), flag, None, pack);
        }
        let boards = tasks.iter().map(|task| task.boards.len()).sum();
        let mut answers = Vec::with_capacity(tasks.len());
        for task in tasks {
            let permit = if task.is_heavy() { Some(share.acquire().await) } else { None };
            let (workers, flag, queued) = (self.clone(), flag.clone(), Instant::now());
            answers.push(self.start(task.is_heavy(), move || {
                let _until_done = permit;
                workers.answer_all(task, &flag, Some(queued.elapsed()), pack)
            }));
            if self.pools.are_in_place() {
                // Others on this thread have their turn between.
                tokio::task::yield_now().await;
            }
        }
        if answers.len() == 1 {
            return answers.remove(0).await?;
        }
        let mut results = Vec::with_capacity(boards);
        for answered in answers {
            results.append(&mut answered.await??);
        }
        Ok(results)
    }

    /// Starts work on a pool. What comes of it comes through the receiver; dropping that keeps work that has not begun from
    /// being done.
    fn start<T: Send + 'static>(
        &self,
        is_heavy: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        self.pools.start(is_heavy, move || {
            if !sender.is_closed() {
                let _gone = sender.send(work());
            }
        });
        receiver
    }

    /// Does other work of about `cost` where a board of that cost is solved, heavy work within the client's share. It looks
    /// at its own flag.
    ///
    /// # Errors
    /// `Cancelled` when the pool is gone.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        cost: u64,
        share: &Share,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Cancelled> {
        if cost <= IN_PLACE {
            return Ok(work());
        }
        if cost <= HEAVY {
            return self.run_light(work).await;
        }
        let permit = share.acquire().await;
        let work = move || {
            let _until_done = permit;
            work()
        };
        Ok(self.start(true, work).await?)
    }

    /// Does other work that is too long for an async thread.
    ///
    /// # Errors
    /// `Cancelled` when the pool is gone.
    pub(super) async fn run_light<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Cancelled> {
        Ok(self.start(false, work).await?)
    }

    /// Whether work of about `cost` is done for one board.
    pub(super) fn within_budget(&self, cost: u64) -> Result<(), BoardError> {
        if cost <= self.settings.limits.cost_per_board {
            return Ok(());
        }
        Err(self.over_budget(&format!("about {cost} units of work, ")))
    }

    /// `waited`: for a worker, if they are not answered in place.
    fn answer_all<T>(
        &self,
        task: Task,
        flag: &StopFlag,
        waited: Option<Duration>,
        pack: impl Fn(Result<Solution, BoardError>) -> T,
    ) -> Result<Vec<T>, Cancelled> {
        let begun = self.meters.is_on().then(Instant::now);
        let mut done = Done::default();
        let mut results = Vec::with_capacity(task.boards.len());
        for admitted in task.boards {
            if flag.is_stopped() {
                return Err(Cancelled);
            }
            let board = admitted.board.and_then(|position| match position {
                Position::Ready(board) => Ok(board),
                Position::Packed(bytes) => {
                    incoming::board(bytes, &self.settings.sizes).expect("it was unpacked before").board
                }
            });
            let result = match board {
                Ok(board) => self.answer(&board, flag)?,
                Err(error) => Err(error),
            };
            if begun.is_some() {
                done.add(admitted.game, &result);
            }
            results.push(pack(result));
        }
        if let Some(begun) = begun {
            self.meters.worked(waited, begun.elapsed(), &done);
        }
        Ok(results)
    }

    /// A panic of the solver costs this board its answer and nothing else.
    fn answer(&self, board: &Board, flag: &StopFlag) -> Result<Result<Solution, BoardError>, Cancelled> {
        let control = Control::new(self.settings.limits.cost_per_board, flag.clone());
        match catch_unwind(AssertUnwindSafe(|| self.solver.solve(board, &control))) {
            Ok(Ok(solution)) => Ok(Ok(solution)),
            Ok(Err(Stopped::Cancelled)) => Err(Cancelled),
            Ok(Err(Stopped::OverBudget)) => Ok(Err(self.over_budget(""))),
            Err(_panic) => {
                tracing::error!(game = board.game().name(), "the solver panicked");
                Ok(Err(solver_failed()))
            }
        }
    }

    pub(super) fn over_budget(&self, needs: &str) -> BoardError {
        let message = format!(
            "the board needs {needs}more than cost_per_board = {} units of work",
            self.settings.limits.cost_per_board
        );
        BoardError::new(Reason::OverBudget, message)
    }
}

/// What a board has in place of an answer whose solver did not keep its promises.
pub(super) fn solver_failed() -> BoardError {
    BoardError::new(Reason::Internal, "the solver failed on this board: a fault of the server's own")
}

#[cfg(test)]
mod tests {
    use super::super::batch::TASK;
    use super::super::pools::HEAVY_NICE;
    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn heavy_boards_stand_back_on_a_server_and_not_where_somebody_waits_for_them() {
        for (heavy_in_background, nice) in [(true, HEAVY_NICE), (false, 0)] {
            let settings = Settings { heavy_in_background, workers: 1, ..Settings::default() };
            let workers = Workers::new(Arc::new(Games), Arc::new(settings), Arc::default()).unwrap();
            let priority = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
            let share = workers.share(PeerId::Unlimited);
            assert_eq!(workers.run(TASK, &share, priority).await.unwrap(), 0);
            assert_eq!(workers.run(HEAVY + 1, &share, priority).await.unwrap(), nice);
        }
    }
}
