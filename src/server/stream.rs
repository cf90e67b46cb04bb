//! One SolveStream call: a task that reads batches, has them solved side by side, and answers in order.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::Instant;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

use super::deadline;
use super::meters::Meters;
use super::status;
use super::watch::Asked;
use super::workers::{Cancelled, Share, Workers};
use crate::theory::StopFlag;
use crate::wire::{self, bulk::Summary, facts::Limits, v1};

/// After an early end the rest of an upload is read and dropped for this long: clients that are cut off while they
/// write report CANCELLED instead of the status that they were sent.
const LINGER: Duration = Duration::from_secs(1);

/// What a stream needs of its server.
pub(super) struct Host {
    pub(super) workers: Workers,
    pub(super) limits: Limits,
    pub(super) stall_timeout: Duration,
    pub(super) meters: Arc<Meters>,
    /// Set when the server drains.
    pub(super) drain: CancellationToken,
}

/// How a stream ends: set once, by its task, before the task lets go of the channel.
type Ending = Arc<OnceLock<Result<(), Status>>>;

/// The answering half that tonic reads.
pub(super) struct Answers {
    messages: mpsc::Receiver<v1::SolveStreamResponse>,
    ending: Ending,
    ended: bool,
}

impl Stream for Answers {
    type Item = Result<v1::SolveStreamResponse, Status>;

    /// The messages, then the status. A task that vanished without a word is INTERNAL, never a clean end.
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        match self.messages.poll_recv(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(message)) => Poll::Ready(Some(Ok(message))),
            Poll::Ready(None) => {
                self.ended = true;
                let ending = self.ending.get().cloned().unwrap_or_else(|| Err(status::internal()));
                Poll::Ready(ending.err().map(Err))
            }
        }
    }
}

/// Starts the task of one stream. `room` is the stream's place on the server, held until the task ends.
pub(super) fn open(
    host: Arc<Host>,
    requests: Streaming<v1::SolveStreamRequest>,
    deadline: Option<Instant>,
    asked: Asked,
    room: OwnedSemaphorePermit,
) -> Answers {
    // One message: what waits to be taken waits in the task, where it is counted and can be dropped.
    let (sender, messages) = mpsc::channel(1);
    let ending = Ending::default();
    let answers = Answers { messages, ending: ending.clone(), ended: false };
    host.meters.streams_in_flight.increment(1);
    let share = host.workers.share();
    let call = Call { share, host, requests, deadline, asked, flag: StopFlag::default(), queued_bytes: 0 };
    tokio::spawn(async move {
        call.run(sender, &ending).await;
        drop(room);
    });
    answers
}

/// A batch in work, or answered and not yet taken.
struct Batch {
    message: v1::SolveStreamResponse,
    /// What the question counted for in `queued_bytes`.
    asked_bytes: u64,
    /// What the answer counts for.
    answer_bytes: u64,
}

type Work = Pin<Box<dyn Future<Output = Result<Batch, Cancelled>> + Send>>;

struct Call {
    host: Arc<Host>,
    share: Share,
    requests: Streaming<v1::SolveStreamRequest>,
    deadline: Option<Instant>,
    asked: Asked,
    flag: StopFlag,
    queued_bytes: u64,
}

impl Drop for Call {
    /// However the call ended: nobody waits for its boards any more.
    fn drop(&mut self) {
        self.flag.stop();
        self.hold(0);
        self.host.meters.streams_in_flight.decrement(1);
    }
}

impl Call {
    async fn run(mut self, answers: mpsc::Sender<v1::SolveStreamResponse>, ending: &Ending) {
        let verdict = self.answer_all(&answers).await;
        self.flag.stop();
        let cut_off = verdict.is_err() && !answers.is_closed();
        // Before the channel closes: the other half looks at the ending then.
        let _first = ending.set(verdict);
        drop(answers);
        if cut_off {
            let rest = async { while let Ok(Some(_)) = self.requests.message().await {} };
            let _in_time = tokio::time::timeout(LINGER, rest).await;
        }
    }

    /// Ok: everything was answered and the summary sent.
    async fn answer_all(&mut self, answers: &mpsc::Sender<v1::SolveStreamResponse>) -> Result<(), Status> {
        let host = self.host.clone();
        let mut work: FuturesOrdered<Work> = FuturesOrdered::new();
        // The oldest answer, waiting to be taken.
        let mut ready: Option<Batch> = None;
        let mut tally = Summary::default();
        let mut reading = true;
        let mut draining = false;
        let mut gone = pin!(answers.closed());
        let mut overdue = pin!(deadline::passed(self.deadline));
        let mut drain = pin!(host.drain.cancelled());
        let mut stalled = pin!(tokio::time::sleep(host.stall_timeout));
        while reading || !work.is_empty() || ready.is_some() {
            let in_flight = work.len() + usize::from(ready.is_some());
            let has_room = in_flight == 0
                || (in_flight < host.limits.batches_in_flight as usize && self.queued_bytes < host.limits.queued_bytes);
            tokio::select! {
                biased;
                () = &mut gone => return Err(status::internal()),
                () = &mut overdue => return Err(status::deadline_exceeded()),
                permit = answers.reserve(), if ready.is_some() => {
                    if let (Ok(permit), Some(batch)) = (permit, ready.take()) {
                        self.hold(self.queued_bytes - batch.answer_bytes);
                        tally.add(&batch.message);
                        permit.send(batch.message);
                    }
                }
                batch = work.next(), if ready.is_none() && !work.is_empty() => {
                    let Some(Ok(batch)) = batch else { return Err(status::internal()) };
                    self.hold(self.queued_bytes - batch.asked_bytes + batch.answer_bytes);
                    ready = Some(batch);
                }
                () = &mut drain, if !draining => {
                    draining = true;
                    reading = false;
                }
                request = self.requests.message(), if reading && has_room => match request? {
                    Some(request) => {
                        let asked_bytes = wire::held_by_request(&request);
                        self.hold(self.queued_bytes + asked_bytes);
                        work.push_back(self.begin(request, asked_bytes)?);
                    }
                    None => reading = false,
                },
                // Only where the client is the one to move: solving may take as long as its budget.
                () = &mut stalled, if ready.is_some() || work.is_empty() => {
                    return Err(status::stalled(host.stall_timeout));
                }
            }
            stalled.as_mut().reset(Instant::now() + host.stall_timeout);
        }
        if draining {
            return Err(status::draining());
        }
        tokio::select! {
            biased;
            () = &mut overdue => Err(status::deadline_exceeded()),
            sent = answers.send(tally.into()) => sent.map_err(|_| status::internal()),
            () = &mut stalled => Err(status::stalled(host.stall_timeout)),
        }
    }

    /// Notes that the stream holds this many bytes now.
    fn hold(&mut self, bytes: u64) {
        let gauge = &self.host.meters.queued_bytes;
        match bytes.checked_sub(self.queued_bytes) {
            Some(more) => gauge.increment(more as f64),
            None => gauge.decrement((self.queued_bytes - bytes) as f64),
        }
        self.queued_bytes = bytes;
    }

    fn begin(&self, request: v1::SolveStreamRequest, asked_bytes: u64) -> Result<Work, Status> {
        let (batch_id, boards, outcome_only) = wire::batch_parts(request);
        self.asked.add(boards.len());
        let limit = self.host.limits.boards_per_batch;
        if boards.len() > limit as usize {
            return Err(status::too_many_boards(batch_id, boards.len(), limit));
        }
        let (host, share, flag) = (self.host.clone(), self.share.clone(), self.flag.clone());
        Ok(Box::pin(async move {
            let results = host.workers.solve(boards.into_iter().map(Some), outcome_only, &share, &flag).await?;
            let answer_bytes = wire::held_by_results(&results);
            Ok(Batch { message: wire::batch_result(batch_id, results), asked_bytes, answer_bytes })
        }))
    }
}
