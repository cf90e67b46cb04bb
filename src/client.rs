//! The client: boards in, results out, in order, whatever becomes of the servers meanwhile.
//!
//! One run has a bounded number of batches under way. They wait in a queue; each *lane* (one connection to one server
//! with one stream) takes the oldest, and what a lost stream left unanswered goes back to the queue. Answers are put
//! back in order at the far end. So every board is answered exactly once, in its place, and memory does not grow.

pub mod credentials;
mod tls;
pub mod fault;
pub mod target;
mod patience;
pub mod batch;
mod queue;
mod call;
mod ask;
pub mod lane;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::explain::{Explanation, Move, Wants};
use crate::games::{Board, Sizes};
use crate::wire::facts::ServerFacts;
use crate::wire::{self, BoardError};
use batch::{Batch, Done, Filler, Terms};
use fault::Error;
use lane::{Failure, Lane, Outcome, Shared};
use patience::Patience;
use target::{Link, Target};

pub use self::batch::Answered;

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
    /// The size of batches, in place of what the servers recommend.
    pub batch_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options { connections: 2, retry_for: Duration::from_secs(30), timeout: None, batch_bytes: None }
    }
}

/// A set of servers that share the work.
pub struct Client {
    servers: Vec<Server>,
    terms: Terms,
    options: Options,
    deadline: Option<Instant>,
    stop: CancellationToken,
    runtime: Handle,
}

struct Server {
    name: String,
    links: Vec<Link>,
    facts: Option<ServerFacts>,
}

impl Client {
    /// Finds the servers: at least one must tell its facts, and those that did set the terms of the runs to come.
    ///
    /// # Errors
    /// No server answered in time, or one will not have us.
    ///
    /// # Panics
    /// Without targets.
    pub async fn connect(targets: &[Target], options: Options) -> Result<Client, Error> {
        assert!(!targets.is_empty(), "a client needs a server");
        let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
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
                () = until(deadline) => return Err(timed_out(&options)),
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
        let known = servers.iter().filter_map(|server| server.facts.as_ref()).map(Terms::of);
        let mut terms = known.reduce(|ours, theirs| ours.and(&theirs)).ok_or(Error::Abandoned)?;
        if let Some(bytes) = options.batch_bytes {
            terms.batch_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        let stop = CancellationToken::new();
        Ok(Client { servers, terms, options, deadline, stop, runtime: Handle::current() })
    }

    /// Ends every run of this client, now or later, when cancelled.
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
    /// client was made.
    pub fn solve<T: Send + 'static>(&self, outcome_only: bool) -> (Boards<T>, Answers<T>) {
        let (results, incoming) = mpsc::unbounded_channel();
        let lanes = self.lanes();
        let up = lanes.iter().filter(|(_, server, _)| server.facts.is_some()).count();
        let shared = Arc::new(Shared {
            terms: self.terms.clone(),
            queue: queue::Queue::new(),
            patience: Patience::new(self.options.retry_for, up),
            results,
        });
        let mut running = JoinSet::new();
        let _on = self.runtime.enter();
        for (number, server, link) in lanes {
            let lane = Lane::new(number, server.name.clone(), link.clone(), shared.clone());
            running.spawn(lane.run(server.facts.is_some()));
        }
        let memory = Arc::new(Semaphore::new(RUN_BYTES));
        let stop = self.stop.child_token();
        let watch = Watch { deadline: self.deadline, timed_out: timed_out(&self.options), stop: stop.clone() };
        tokio::spawn(watch.over(running, shared.clone(), memory.clone()));
        let boards =
            Boards { filler: Filler::new(self.terms.clone(), outcome_only), shared, memory, is_finished: false };
        (boards, Answers { incoming, early: BTreeMap::new(), next_id: 0, is_over: false, _stop: stop.drop_guard() })
    }

    /// Explains the position that some moves lead to; the servers are asked in turn until one answers.
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
        let patience = Patience::new(self.options.retry_for, 0);
        let servers = self.servers.iter().map(|server| (server.name.as_str(), &server.links[0]));
        let asking = ask::explanation(servers, request, self.terms.message_bytes, &patience);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Error::Abandoned),
            answer = asking => answer.map(|response| wire::explain::explained(response, wants)),
            error = patience.ended() => Err(error),
            () = until(self.deadline) => Err(timed_out(&self.options)),
        }
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

fn timed_out(options: &Options) -> Error {
    Error::TimedOut(options.timeout.unwrap_or_default())
}

/// What ends a run before its time.
struct Watch {
    deadline: Option<Instant>,
    timed_out: Error,
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
            () = until(self.deadline) => Err(self.timed_out.into()),
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

/// Where boards go in. The calls wait while as much is under way as memory allows.
pub struct Boards<T> {
    filler: Filler<T>,
    shared: Arc<Shared<T>>,
    memory: Arc<Semaphore>,
    is_finished: bool,
}

impl<T> Boards<T> {
    /// Sends a board, in company of those before and after it.
    ///
    /// # Errors
    /// `Closed` when the run is over before its time; its answers say why.
    pub async fn push(&mut self, board: Board, tag: T) -> Result<(), Closed> {
        if let Some(before) = self.filler.push(board, tag) {
            self.offer(before).await?;
        }
        if self.filler.is_full() { self.flush().await } else { Ok(()) }
    }

    /// Sends a tag that comes out in its place, without an answer.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn note(&mut self, tag: T) -> Result<(), Closed> {
        self.filler.note(tag);
        if self.filler.is_full() { self.flush().await } else { Ok(()) }
    }

    /// Sends what is there, for a source that may not go on for a while.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn flush(&mut self) -> Result<(), Closed> {
        match self.filler.take() {
            Some(batch) => self.offer(batch).await,
            None => Ok(()),
        }
    }

    /// Waits until the answers of everything that was sent are handed out.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn answered(&mut self) -> Result<(), Closed> {
        self.memory.acquire_many(RUN_BYTES as u32).await.map(drop).map_err(|_| Closed)
    }

    /// Says that there are no more boards. Boards dropped without this end the run in an error: a source that breaks
    /// off is not one that came to its end.
    ///
    /// # Errors
    /// As for `push`.
    pub async fn finish(mut self) -> Result<(), Closed> {
        self.flush().await?;
        self.is_finished = true;
        self.shared.queue.complete();
        Ok(())
    }

    async fn offer(&mut self, mut batch: Batch<T>) -> Result<(), Closed> {
        // One batch larger than everything goes alone.
        let share = batch.weight().min(RUN_BYTES) as u32;
        batch.memory = Some(self.memory.clone().acquire_many_owned(share).await.map_err(|_| Closed)?);
        self.shared.queue.offer(batch);
        Ok(())
    }
}

impl<T> Drop for Boards<T> {
    fn drop(&mut self) {
        if !self.is_finished {
            let _gone = self.shared.results.send(Err(Error::Abandoned.into()));
        }
    }
}

/// Where answers come out, in the order in which their boards went in.
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
        loop {
            if let Some(answered) = self.next_in_order() {
                return Ok(Some(answered));
            }
            if self.is_over {
                return Ok(None);
            }
            let outcome = self.incoming.recv().await;
            self.take(outcome.unwrap_or_else(|| Err(Error::Abandoned.into())))?;
        }
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
