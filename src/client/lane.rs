//! A lane: one connection to one server with one stream at a time, kept busy for as long as there are batches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tonic::Streaming;

use super::batch::{Done, Terms};
use super::call;
use super::fault::{Blame, Error, Fault};
use super::patience::{Backoff, Patience};
use super::queue::{Next, Queue, Request};
use super::target::Link;
use crate::message::count;
use crate::wire::bulk::{self, Streamed, Summary};
use crate::wire::v1;

/// Batches sent and not yet answered, on one stream: enough to fill a fast connection over some distance, little enough
/// to be sent again when the server is lost.
const WINDOW: usize = 16;
/// Work under way on one stream, in nanoseconds: beyond this another lane is likely to be sooner.
const WINDOW_COST: u64 = 500_000_000;
/// Two batches are always under way, so that a server never waits for the next one.
const LEAST_WINDOW: usize = 2;
/// When all answers are there, the Summary is waited for no longer than this: a server that hangs is not to hold up the
/// end of a run, and a Summary is only a check.
const SUMMARY_TIMEOUT: Duration = Duration::from_millis(1500);

/// Why a run failed, and the tags of the batch that was to blame, if one was.
#[derive(Debug)]
pub struct Failure<T> {
    /// Why.
    pub error: Error,
    /// The tags of the batch at fault; empty if none is.
    pub tags: Vec<T>,
}

impl<T> From<Error> for Failure<T> {
    fn from(error: Error) -> Failure<T> {
        Failure { error, tags: Vec::new() }
    }
}

/// What a run hands to the waiting end: a batch, or `None` after the last; or why there is none.
pub(super) type Outcome<T> = Result<Option<Done<T>>, Failure<T>>;

/// What all lanes of a run share.
#[derive(Debug)]
pub(super) struct Shared<T> {
    pub(super) terms: Terms,
    pub(super) queue: Queue<T>,
    pub(super) patience: Patience,
    pub(super) results: mpsc::UnboundedSender<Outcome<T>>,
}

pub(super) struct Lane<T> {
    number: usize,
    server: String,
    link: Link,
    shared: Arc<Shared<T>>,
    backoff: Backoff,
}

/// How a stream came to its end.
enum Ended {
    /// The queue is over, and the Summary adds up; or others answered what was under way here.
    Complete,
    /// Others answered all that was under way here: this server may hang.
    Overtaken,
    /// It ended with nothing under way: a stream may not stand still for ever.
    Idle,
    /// Something passing broke it; what was unanswered is back in the queue.
    Broken { what: String, after: Option<Duration> },
}

/// One open stream.
struct Stream {
    messages: Option<mpsc::Sender<Bytes>>,
    /// Oldest first; the server answers in this order.
    under_way: VecDeque<Request>,
    tally: Summary,
}

impl<T: Send + 'static> Lane<T> {
    /// `number`: of the server; no two servers of a run have the same.
    pub(super) fn new(number: usize, server: String, link: Link, shared: Arc<Shared<T>>) -> Lane<T> {
        Lane { number, server, link, shared, backoff: Backoff::new() }
    }

    /// Serves until every batch is answered. `is_up`: the server is known to be there.
    pub(super) async fn run(mut self, is_up: bool) -> Result<(), Failure<T>> {
        let shared = self.shared.clone();
        if !is_up && !self.find_again(None).await? {
            return Ok(());
        }
        while let Next::Send(first) = shared.queue.next(self.number, &VecDeque::new(), true).await {
            let after = match self.serve(first).await? {
                Ended::Complete => break,
                Ended::Idle => continue,
                Ended::Overtaken => {
                    tracing::info!("{}: other servers were sooner; it gets no more until it answers", self.server);
                    None
                }
                Ended::Broken { what, after } => {
                    tracing::info!("{what}");
                    shared.patience.note(&what);
                    after
                }
            };
            shared.patience.fell();
            if !self.find_again(after).await? {
                break;
            }
        }
        Ok(())
    }

    /// Asks for the server until it answers; false if the queue was over first.
    async fn find_again(&mut self, mut after: Option<Duration>) -> Result<bool, Failure<T>> {
        let shared = self.shared.clone();
        let attempts = async {
            loop {
                tokio::time::sleep(self.backoff.pause(after.take())).await;
                let found = match call::facts(self.server.clone(), self.link.clone()).await {
                    Ok(facts) if shared.terms.are_met_by(&Terms::of(&facts)) => return Ok(()),
                    Ok(_) => {
                        Fault::unfit(&self.server, "it takes less than this run was planned for; start the run again")
                    }
                    Err(fault) => fault,
                };
                match found {
                    Fault::Passing { what, after: pause, .. } => {
                        tracing::debug!("{what}");
                        shared.patience.note(&what);
                        after = pause;
                    }
                    Fault::Lasting(error) => return Err(error),
                }
            }
        };
        tokio::select! {
            found = attempts => {
                found?;
                shared.patience.rose();
                tracing::debug!("{}: connected", self.server);
                Ok(true)
            }
            () = shared.queue.over() => Ok(false),
        }
    }

    /// Opens a stream for a batch and keeps it filled until it ends, one way or another. Dropping it resets the call: the
    /// server does no more work for it.
    async fn serve(&mut self, first: Request) -> Result<Ended, Failure<T>> {
        let shared = self.shared.clone();
        let (sender, receiver) = mpsc::channel(WINDOW);
        let mut stream =
            Stream { messages: Some(sender), under_way: VecDeque::with_capacity(WINDOW), tally: Summary::default() };
        stream.send(first);
        let opened = tokio::select! {
            biased;
            opened = call::solve_stream(self.link.clone(), receiver, shared.terms.message_bytes) => opened,
            next = shared.queue.next(self.number, &stream.under_way, false) => return Ok(match next {
                Next::Over => Ended::Complete,
                Next::Overtaken | Next::Send(_) => Ended::Overtaken,
            }),
        };
        let ended = match opened {
            Ok(responses) => self.exchange(&mut stream, responses).await,
            Err(status) => Err(self.link.fault(&self.server, &status)),
        };
        match ended {
            Ok(ended) => Ok(ended),
            Err(Fault::Lasting(error)) => Err(error.into()),
            Err(Fault::Passing { what, .. }) if stream.under_way.is_empty() => {
                tracing::debug!("{what}");
                Ok(Ended::Idle)
            }
            Err(Fault::Passing { what, after, blame }) => {
                match shared.queue.give_back(self.number, &stream.under_way, blame == Blame::Unknown) {
                    Some((times, batch)) => {
                        Err(Failure { error: Error::Poison { times, last: what }, tags: batch.into_tags() })
                    }
                    None => Ok(Ended::Broken { what, after }),
                }
            }
        }
    }

    /// Sends and receives until nothing is left to do for this stream.
    async fn exchange(
        &mut self,
        stream: &mut Stream,
        mut responses: Streaming<v1::SolveStreamResponse>,
    ) -> Result<Ended, Fault> {
        let shared = self.shared.clone();
        let window = WINDOW.min(shared.terms.batches_in_flight).max(LEAST_WINDOW);
        loop {
            let has_room = stream.has_room(window);
            tokio::select! {
                biased;
                message = responses.message() => match message {
                    Ok(Some(message)) => self.receive(stream, message)?,
                    Ok(None) => return Err(Fault::broken(&self.server, "the stream ended without its Summary")),
                    Err(status) => return Err(self.link.fault(&self.server, &status)),
                },
                next = shared.queue.next(self.number, &stream.under_way, has_room) => match next {
                    Next::Send(request) => stream.send(request),
                    Next::Overtaken => return Ok(Ended::Overtaken),
                    Next::Over if stream.under_way.is_empty() => break,
                    // What is under way here was answered by others.
                    Next::Over => return Ok(Ended::Complete),
                },
            }
        }
        stream.messages = None;
        let summary = tokio::time::timeout(SUMMARY_TIMEOUT, responses.message()).await;
        let found = match summary {
            Ok(Ok(Some(message))) => bulk::streamed(message),
            // Every answer is there, each checked as it came: a server that goes away now has taken nothing along.
            Ok(Ok(None) | Err(_)) | Err(_) => {
                tracing::info!("{}: every board is answered, but the Summary did not come", self.server);
                return Ok(Ended::Complete);
            }
        };
        match found {
            Some(Streamed::Summary(summary)) if summary == stream.tally => Ok(Ended::Complete),
            Some(Streamed::Summary(summary)) => {
                let what = format!("its Summary does not add up: it says {summary:?}, but sent {:?}", stream.tally);
                Err(Fault::protocol(&self.server, what))
            }
            _ => Err(Fault::protocol(&self.server, "it sent more answers than it got batches".into())),
        }
    }

    fn receive(&mut self, stream: &mut Stream, message: v1::SolveStreamResponse) -> Result<(), Fault> {
        let protocol = |what: String| Err(Fault::protocol(&self.server, what));
        let (batch_id, results) = match bulk::streamed(message) {
            Some(Streamed::Batch { batch_id, results }) => (batch_id, results),
            Some(Streamed::Summary(_)) => return protocol("it sent its Summary before the last batch".into()),
            None => return protocol("it sent a message that this version does not know".into()),
        };
        let Some(oldest) = stream.under_way.front() else {
            return protocol(format!("it answered batch {batch_id}, which it did not get"));
        };
        if (batch_id, results.len()) != (oldest.id, oldest.boards) {
            let (id, boards) = (oldest.id, oldest.boards);
            return protocol(format!(
                "it answered batch {batch_id} with {} where batch {id} of {} was next",
                count(results.len() as u64, "result"),
                count(boards as u64, "board")
            ));
        }
        stream.under_way.pop_front();
        let boards = results.len() as u64;
        let failed = match self.shared.queue.answered(batch_id) {
            Some(batch) => {
                let (done, failed) = batch.done(results);
                // Nobody listens any more only when the run is being given up.
                let _given_up = self.shared.results.send(Ok(Some(done)));
                failed
            }
            // Another server was sooner; this one's Summary counts its answers all the same.
            None => results.iter().filter(|result| bulk::is_error(result)).count() as u64,
        };
        stream.tally.add_batch(boards, failed);
        self.shared.patience.answered();
        self.backoff.reset();
        Ok(())
    }
}

impl Stream {
    fn has_room(&self, window: usize) -> bool {
        let suspect = self.under_way.front().is_some_and(|oldest| oldest.is_suspect);
        // A board that costs more than anybody has may be on its way to a server that says so.
        let cost = self.under_way.iter().fold(0, |sum: u64, request| sum.saturating_add(request.cost));
        let light = cost < WINDOW_COST || self.under_way.len() < LEAST_WINDOW;
        self.under_way.len() < window && light && !suspect
    }

    fn send(&mut self, request: Request) {
        // The channel holds a whole window, so it is never full; a closed one shows in the answers.
        let _closed = self.messages.as_ref().map(|messages| messages.try_send(request.message.clone()));
        self.under_way.push_back(request);
    }
}
