//! A pool of connections to servers: boards in, answers out in batches, in order, whatever becomes of the servers.
//!
//! One run has a bounded number of batches under way. They wait in a queue; each *lane* (one connection to one server
//! with one stream) takes the oldest, and what a lost stream left unanswered goes back to the queue. Answers are put
//! back in order at the far end. So every board is answered exactly once, in its place, and memory does not grow.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard, PollSemaphore};

use super::batch::{Answered, Batch, Done, Filler, Terms};
use super::fault::{Error, Fault};
use super::lane::{Failure, Lane, Outcome, Shared};
use super::patience::Patience;
use super::queue::Queue;
use super::target::{Link, Target};
use super::{ask, call};
use crate::explain::{Explanation, Move, Wants};
use crate::games::{Answer, Board, Sizes};
use crate::wire::bulk::Packing;
use crate::wire::facts::ServerFacts;
use crate::wire::{self, BoardError};

/// What the batches of a run and their answers take of memory together, about. Two full lanes use half of it.
const RUN_BYTES: usize = 8 << 20;

/// When one server has told its facts, the others are given this much more time before the run starts without them.
const GRACE: Duration = Duration::from_millis(250);

/// How a client behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// Connections to each server.
    pub connections: usize,
    /// How long to go on without a working stream or an answer.
    pub retry_for: Duration,
    /// How long everything may take, connecting too.
    pub timeout: Option<Duration>,
    /// How long each run and each single question may take.
    pub run_timeout: Option<Duration>,
    /// The size of batches, in place of what the servers recommend.
    pub batch_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            connections: 2,
            retry_for: Duration::from_secs(30),
            timeout: None,
            run_timeout: None,
            batch_bytes: None,
        }
    }
}

/// When a time limit passes, and how long it was.
type Deadline = (Instant, Duration);

/// A limit from now on; one that no clock can reach is none.
fn deadline(timeout: Option<Duration>) -> Option<Deadline> {
    timeout.and_then(|timeout| Some((Instant::now().checked_add(timeout)?, timeout)))
}

/// Connections to a set of servers that share the work.
#[derive(Debug)]
pub struct Pool {
    servers: Vec<Server>,
    terms: Terms,
    options: Options,
    deadline: Option<Deadline>,
    /// The server that answered the last single question, by number: it is asked the next one first.
    first: AtomicUsize,
    stop: CancellationToken,
    runtime: Handle,
}

#[derive(Debug)]
struct Server {
    name: String,
    links: Vec<Link>,
    facts: Option<ServerFacts>,
}

impl Pool {
    /// Finds the servers: at least one must tell its facts, and those that did set the terms of the runs to come.
    ///
    /// # Errors
    /// No server answered in time, or one will not have us.
    ///
    /// # Panics
    /// Without targets.
    pub async fn connect(targets: &[Target], options: Options) -> Result<Pool, Error> {
        assert!(!targets.is_empty(), "a client needs a server");
        let deadline = deadline(options.timeout);
        let mut servers: Vec<Server> = targets
            .iter()
            .map(|target| Server { name: target.name().into(), links: target.links(options.connections), facts: None })
            .collect();
        let patience = Arc::new(Patience::new(options.retry_for, 0));
        let mut seekers = JoinSet::new();
        for (number, server) in servers.iter().enumerate() {
            let (name, link) = (server.name.clone(), server.links[0].clone());
            let patience = patience.clone();
            seekers.spawn(async move { Ok::<_, Error>((number, ask::facts(&name, link, &patience).await?)) });
        }
        let mut last_call = None;
        while servers.iter().any(|server| server.facts.is_none()) {
            let found = tokio::select! {
                biased;
                found = seekers.join_next() => found,
                error = patience.ended(), if last_call.is_none() => return Err(error),
                error = timed_out(deadline) => return Err(error),
                () = until(last_call) => break,
            };
            match found {
                Some(Ok(found)) => {
                    let (number, facts) = found?;
                    servers[number].facts = Some(facts);
                    last_call.get_or_insert_with(|| Instant::now() + GRACE);
                }
                Some(Err(_)) | None => return Err(Error::Abandoned),
            }
        }
        let first = servers.iter().position(|server| server.facts.is_some()).unwrap_or(0);
        let known = servers.iter().filter_map(|server| server.facts.as_ref()).map(Terms::of);
        let mut terms = known.reduce(|ours, theirs| ours.and(&theirs)).ok_or(Error::Abandoned)?;
        if let Some(bytes) = options.batch_bytes {
            terms.batch_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        let stop = CancellationToken::new();
        Ok(Pool { servers, terms, options, deadline, first: AtomicUsize::new(first), stop, runtime: Handle::current() })
    }

    /// Ends every run of this pool, now or later, when cancelled.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// The largest boards that every server takes.
    pub fn sizes(&self) -> Sizes {
        self.terms.sizes
    }

    /// The servers by name, with the facts of those that told them.
    pub fn servers(&self) -> impl Iterator<Item = (&str, Option<&ServerFacts>)> {
        self.servers.iter().map(|server| (server.name.as_str(), server.facts.as_ref()))
    }

    /// Starts a run: boards go in at one end, from any thread or task, and come out answered at the other.
    /// Each board carries a tag of the caller's. Dropping the answers ends the run. It works on the runtime on which the
    /// pool was made.
    pub fn solve<T: Send + 'static>(&self, outcome_only: bool) -> (Boards<T>, Answers<T>) {
        let (results, incoming) = mpsc::unbounded_channel();
        let lanes = self.lanes();
        let up = lanes.iter().filter(|(_, server, _)| server.facts.is_some()).count();
        let shared = Arc::new(Shared {
            terms: self.terms.clone(),
            queue: Queue::new(),
            patience: Patience::new(self.options.retry_for, up),
            results,
        });
        let mut running = JoinSet::new();
        for (number, server, link) in lanes {
            let lane = Lane::new(number, server.name.clone(), link.clone(), shared.clone());
            running.spawn_on(lane.run(server.facts.is_some()), &self.runtime);
        }
        let memory = Arc::new(Semaphore::new(RUN_BYTES));
        let stop = self.stop.child_token();
        let watch = Watch { deadline: self.deadline_of_a_run(), stop: stop.clone() };
        self.runtime.spawn(watch.over(running, shared.clone(), memory.clone()));
        let boards = Boards {
            filler: Filler::new(self.terms.clone(), outcome_only),
            shared,
            memory: PollSemaphore::new(memory),
            unsent: VecDeque::new(),
            is_finished: false,
        };
        (boards, Answers { incoming, early: BTreeMap::new(), next_id: 0, is_over: false, _stop: stop.drop_guard() })
    }

    /// Solves one board in a call of its own.
    ///
    /// # Errors
    /// No server answered in time; inside, the fault of the board.
    pub async fn solve_one(&self, board: Board, outcome_only: bool) -> Result<Result<Answer, BoardError>, Error> {
        if let Err(error) = self.admit(&board) {
            return Ok(Err(error));
        }
        let game = board.game();
        let request = wire::solve_request(board, outcome_only);
        let response = self.ask(|name, link| call::solve(name, link, request.clone(), self.terms.message_bytes));
        response.await.map(|response| wire::solved(game, response))
    }

    /// Explains the position that some moves lead to.
    ///
    /// # Errors
    /// No server answered in time; inside, the fault of the board or of a move.
    pub async fn explain(
        &self,
        board: &Board,
        moves: &[Move],
        wants: Wants,
    ) -> Result<Result<Explanation, BoardError>, Error> {
        let request = wire::explain::request(board.clone(), moves, wants);
        let response = self.ask(|name, link| call::explain(name, link, request.clone(), self.terms.message_bytes));
        response.await.map(|response| wire::explain::explained(response, wants))
    }

    /// Asks what a server takes.
    ///
    /// # Errors
    /// No server answered in time.
    pub async fn info(&self) -> Result<ServerFacts, Error> {
        self.ask(call::facts).await
    }

    /// Whether a board fits a message of every server.
    pub(super) fn admit(&self, board: &Board) -> Result<(), BoardError> {
        self.terms.admit(Packing::most(board))
    }

    /// Asks a single question of the servers, one after another, until one answers.
    async fn ask<R, F>(&self, call: impl Fn(String, Link) -> F) -> Result<R, Error>
    where
        F: Future<Output = Result<R, Fault>>,
    {
        let patience = Patience::new(self.options.retry_for, 0);
        let first = self.first.load(Ordering::Relaxed);
        let ask = |number: usize| {
            let server = &self.servers[number];
            call(server.name.clone(), server.links[0].clone())
        };
        let asking = ask::in_turn(self.servers.len(), first, ask, &patience);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Error::Abandoned),
            answer = asking => answer.map(|(number, answer)| {
                self.first.store(number, Ordering::Relaxed);
                answer
            }),
            error = patience.ended() => Err(error),
            error = timed_out(self.deadline_of_a_run()) => Err(error),
        }
    }

    /// The deadline of what begins now.
    fn deadline_of_a_run(&self) -> Option<Deadline> {
        self.deadline.into_iter().chain(deadline(self.options.run_timeout)).min()
    }

    /// Every connection, the first of each server before the second of any.
    fn lanes(&self) -> Vec<(usize, &Server, &Link)> {
        let most = self.servers.iter().map(|server| server.links.len()).max().unwrap_or(0);
        (0..most)
            .flat_map(|n| {
                let servers = self.servers.iter().enumerate();
                servers.filter_map(move |(number, server)| Some((number, server, server.links.get(n)?)))
            })
            .collect()
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn timed_out(deadline: Option<Deadline>) -> Error {
    until(deadline.map(|(moment, _)| moment)).await;
    Error::TimedOut(deadline.map(|(_, timeout)| timeout).unwrap_or_default())
}

/// What ends a run before its time.
struct Watch {
    deadline: Option<Deadline>,
    stop: CancellationToken,
}

impl Watch {
    /// Waits for the lanes, or for what comes first; then lets everybody know.
    async fn over<T: Send + 'static>(
        self,
        mut lanes: JoinSet<Result<(), Failure<T>>>,
        shared: Arc<Shared<T>>,
        memory: Arc<Semaphore>,
    ) {
        let all_lanes = async {
            while let Some(ended) = lanes.join_next().await {
                // A lane that panicked is a fault of this program; the panic's message is on standard error.
                ended.unwrap_or_else(|_| Err(Error::Abandoned.into()))?;
            }
            Ok(())
        };
        let verdict = tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Error::Abandoned.into()),
            verdict = all_lanes => verdict,
            error = shared.patience.ended() => Err(error.into()),
            error = timed_out(self.deadline) => Err(error.into()),
        };
        // Lanes that still run are dropped here, and with them their streams: the servers stop working for us.
        lanes.shutdown().await;
        // Said in so many words: a channel that closes may be one that was lost.
        let _gone = shared.results.send(verdict.map(|()| None));
        memory.close();
    }
}

/// The run is over: boards are no longer taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the run is over")]
pub struct Closed;

/// Where boards go in. The calls wait while as much is under way as memory allows; one that is dropped meanwhile has sent
/// its board all the same, with the next call at the latest.
#[derive(Debug)]
pub struct Boards<T> {
    filler: Filler<T>,
    shared: Arc<Shared<T>>,
    memory: PollSemaphore,
    /// Batches that wait for memory: two at most.
    unsent: VecDeque<Batch<T>>,
    is_finished: bool,
}

impl<T> Boards<T> {
    /// Sends a board, in company of those before and after it.
    ///
    /// # Errors
    /// `Closed` when the run is over before its time; its answers say why.
    pub async fn push(&mut self, board: Board, tag: T) -> Result<(), Closed> {
        self.start_push(board, tag);
        self.sent().await
    }

    /// Sends a tag that comes out in its place, without an answer.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn note(&mut self, tag: T) -> Result<(), Closed> {
        self.filler.note(tag);
        if self.filler.is_full() { self.flush().await } else { self.sent().await }
    }

    /// Sends what is there, for a source that may not go on for a while.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn flush(&mut self) -> Result<(), Closed> {
        self.start_flush();
        self.sent().await
    }

    /// Waits until the answers of everything that was sent are handed out.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn answered(&mut self) -> Result<(), Closed> {
        self.memory.as_ref().acquire_many(RUN_BYTES as u32).await.map(drop).map_err(|_| Closed)
    }

    /// Says that there are no more boards. Boards dropped without this end the run in an error: a source that breaks
    /// off is not one that came to its end.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn finish(mut self) -> Result<(), Closed> {
        self.flush().await?;
        self.complete();
        Ok(())
    }

    /// As `push`, but for the waiting: `poll_sent` comes before the next one.
    pub(super) fn start_push(&mut self, board: Board, tag: T) {
        self.unsent.extend(self.filler.push(board, tag));
        if self.filler.is_full() {
            self.start_flush();
        }
    }

    /// As `flush`, but for the waiting.
    pub(super) fn start_flush(&mut self) {
        self.unsent.extend(self.filler.take());
    }

    /// As `finish`, when everything is flushed and sent.
    pub(super) fn complete(&mut self) {
        self.is_finished = true;
        self.shared.queue.complete();
    }

    /// Batches that were filled so far.
    pub(super) fn batches(&self) -> u64 {
        self.filler.batches()
    }

    /// Waits until the batches that are full are with the connections.
    pub(super) fn poll_sent(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        while let Some(batch) = self.unsent.front() {
            // One batch larger than everything goes alone.
            let share = batch.weight().min(RUN_BYTES) as u32;
            let Some(permit) = ready!(self.memory.poll_acquire_many(cx, share)) else {
                return Poll::Ready(Err(Closed));
            };
            if let Some(mut batch) = self.unsent.pop_front() {
                batch.memory = Some(permit);
                self.shared.queue.offer(batch);
            }
        }
        Poll::Ready(Ok(()))
    }

    async fn sent(&mut self) -> Result<(), Closed> {
        poll_fn(|cx| self.poll_sent(cx)).await
    }
}

impl<T> Drop for Boards<T> {
    fn drop(&mut self) {
        if !self.is_finished {
            let _gone = self.shared.results.send(Err(Error::Abandoned.into()));
        }
    }
}

/// The next answers in order, if there are more, or why there are none.
type Waited<T> = Result<Option<Vec<Answered<T>>>, Failure<T>>;

/// Where answers come out, in the order in which their boards went in.
#[derive(Debug)]
pub struct Answers<T> {
    incoming: mpsc::UnboundedReceiver<Outcome<T>>,
    early: BTreeMap<u64, Done<T>>,
    next_id: u64,
    is_over: bool,
    _stop: DropGuard,
}

impl<T> Answers<T> {
    /// Waits for the next answers in order; none after the last.
    ///
    /// # Errors
    /// The run failed; answers that came before in order were given out before.
    pub async fn wait(&mut self) -> Result<Option<Vec<Answered<T>>>, Failure<T>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// As `wait`.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Waited<T>> {
        loop {
            if let Some(answered) = self.next_in_order() {
                return Poll::Ready(Ok(Some(answered)));
            }
            if self.is_over {
                return Poll::Ready(Ok(None));
            }
            let outcome = ready!(self.incoming.poll_recv(cx));
            self.take(outcome.unwrap_or_else(|| Err(Error::Abandoned.into())))?;
        }
    }

    /// Batches whose answers were handed out.
    pub(super) fn batches(&self) -> u64 {
        self.next_id
    }

    /// The next answers if they are there already.
    ///
    /// # Errors
    /// As for `wait`.
    pub fn ready(&mut self) -> Result<Option<Vec<Answered<T>>>, Failure<T>> {
        loop {
            if let Some(answered) = self.next_in_order() {
                return Ok(Some(answered));
            }
            match self.incoming.try_recv() {
                Ok(outcome) if !self.is_over => self.take(outcome)?,
                _ => return Ok(None),
            }
        }
    }

    fn next_in_order(&mut self) -> Option<Vec<Answered<T>>> {
        let done = self.early.remove(&self.next_id)?;
        self.next_id += 1;
        Some(done.hand_out())
    }

    fn take(&mut self, outcome: Outcome<T>) -> Result<(), Failure<T>> {
        match outcome? {
            Some(done) => drop(self.early.insert(done.id, done)),
            None => self.is_over = true,
        }
        Ok(())
    }
}
