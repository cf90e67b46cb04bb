//! One SolveStream call: a task that reads batches, has them solved side by side, and answers in order.

use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use futures_util::StreamExt as _;
use futures_util::future::Either;
use futures_util::stream::FuturesOrdered;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::account::Account;
use super::batch::Batch;
use super::deadline;
use super::messages::{MessageReader, Received};
use super::quota::{Lease, Resource};
use super::settings;
use super::share::Share;
use super::status;
use super::watch::Asked;
use super::workers::{Cancelled, Workers};
use crate::theory::StopFlag;
use crate::wire::{self, bulk::Summary, v1};

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

/// Starts the task of one stream.
pub(super) fn open(
    workers: Arc<Workers>,
    requests: MessageReader,
    account: Arc<Account>,
    draining: CancellationToken,
    deadline: Option<Instant>,
    asked: Asked,
) -> Answers {
    // One message: what waits to be taken waits in the task, where it is counted and can be dropped.
    let (sender, messages) = mpsc::channel(1);
    let ending = Ending::default();
    let answers = Answers { messages, ending: ending.clone(), ended: false };
    workers.meters.streams_in_flight.increment(1);
    let share = workers.share(account.peer());
    let flag = StopFlag::default();
    let call = Call { share, workers, requests, account, draining, deadline, asked, flag, queued_bytes: 0 };
    tokio::spawn(async move { call.run(sender, &ending).await });
    answers
}

/// A batch whose boards are checked and whose memory is charged.
struct Admitted {
    batch: Batch,
    lease: Lease,
    /// What it counts for in `queued_bytes`.
    asked_bytes: u64,
}

/// A batch that is answered and not yet taken.
struct Answered {
    message: v1::SolveStreamResponse,
    lease: Lease,
    /// What the question counted for in `queued_bytes`.
    asked_bytes: u64,
    /// What the answer counts for.
    answer_bytes: u64,
}

type Admitting = Pin<Box<dyn Future<Output = Result<Admitted, Status>> + Send>>;
type Work = Pin<Box<dyn Future<Output = Result<Answered, Cancelled>> + Send>>;

struct Call {
    workers: Arc<Workers>,
    share: Share,
    requests: MessageReader,
    account: Arc<Account>,
    /// Set when the server, or this connection, drains.
    draining: CancellationToken,
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
        self.workers.meters.streams_in_flight.decrement(1);
    }
}

impl Call {
    async fn run(mut self, answers: mpsc::Sender<v1::SolveStreamResponse>, ending: &Ending) {
        let verdict = self.answer_all(&answers).await;
        // Before the channel closes: the other half looks at the ending then.
        let _first = ending.set(verdict);
    }

    /// Ok: everything was answered and the summary sent.
    async fn answer_all(&mut self, answers: &mpsc::Sender<v1::SolveStreamResponse>) -> Result<(), Status> {
        let settings = self.workers.settings.clone();
        let draining = self.draining.clone();
        // The youngest batch, until it is admitted: what comes after it waits, so that memory is given in turn.
        let mut admitting: Option<Admitting> = None;
        let mut work: FuturesOrdered<Work> = FuturesOrdered::new();
        // The oldest answer, waiting to be taken.
        let mut ready: Option<Answered> = None;
        let mut tally = Summary::default();
        let mut reading = true;
        let mut is_draining = false;
        let mut gone = pin!(answers.closed());
        let mut overdue = pin!(deadline::passed(self.deadline));
        let mut drain = pin!(draining.cancelled());
        let mut stalled = pin!(tokio::time::sleep(settings.stall_timeout));
        while reading || admitting.is_some() || !work.is_empty() || ready.is_some() {
            let in_flight = work.len() + usize::from(ready.is_some());
            let (held, unsent) = (self.queued_bytes, self.account.unsent());
            let has_room = (in_flight == 0 && unsent == 0)
                || (in_flight < settings.limits.batches_in_flight as usize
                    && held + unsent < settings.limits.queued_bytes);
            tokio::select! {
                biased;
                () = &mut gone => return Err(status::internal()),
                () = &mut overdue => return Err(status::deadline_exceeded()),
                permit = answers.reserve(), if ready.is_some() => {
                    if let (Ok(permit), Some(batch)) = (permit, ready.take()) {
                        self.hold(self.queued_bytes - batch.answer_bytes);
                        tally.add(&batch.message);
                        self.account.keep_answer(batch.lease);
                        permit.send(batch.message);
                    }
                }
                batch = work.next(), if ready.is_none() && !work.is_empty() => {
                    let Some(Ok(batch)) = batch else { return Err(status::internal()) };
                    self.hold(self.queued_bytes - batch.asked_bytes + batch.answer_bytes);
                    ready = Some(batch);
                }
                () = &mut drain, if !is_draining => {
                    is_draining = true;
                    reading = false;
                }
                admitted = maybe(&mut admitting), if admitting.is_some() => {
                    admitting = None;
                    let work_of_batch = self.begin(admitted?);
                    work.push_back(work_of_batch);
                }
                message = self.requests.next(), if reading && has_room && admitting.is_none() => match message? {
                    Some(message) => match self.admit(message)? {
                        Either::Left(admitted) => {
                            let work_of_batch = self.begin(admitted);
                            work.push_back(work_of_batch);
                        }
                        Either::Right(later) => admitting = Some(later),
                    },
                    None => reading = false,
                },
                () = self.account.less_unsent(), if reading && !has_room => continue,
                // Only where the client is the one to move: solving may take as long as its budget, and an answer that
                // is not taken is the matter of its connection.
                () = &mut stalled, if reading && has_room && admitting.is_none() && work.is_empty() => {
                    return Err(status::stalled(settings.stall_timeout));
                }
            }
            stalled.as_mut().reset(Instant::now() + settings.stall_timeout);
        }
        if is_draining {
            return Err(status::draining());
        }
        tokio::select! {
            biased;
            () = &mut overdue => Err(status::deadline_exceeded()),
            sent = answers.send(tally.into()) => sent.map_err(|_| status::internal()),
        }
    }

    /// Notes that the stream holds this many bytes now.
    fn hold(&mut self, bytes: u64) {
        let gauge = &self.workers.meters.queued_bytes;
        match bytes.checked_sub(self.queued_bytes) {
            Some(more) => gauge.increment(more as f64),
            None => gauge.decrement((self.queued_bytes - bytes) as f64),
        }
        self.queued_bytes = bytes;
    }

    /// Reads a batch and charges it for its boards and for the largest answers that they can have: at once if that is
    /// quick and there is memory, or as soon as there is.
    fn admit(&self, message: Received) -> Result<Either<Admitted, Admitting>, Status> {
        let (settings, account) = (self.workers.settings.clone(), self.account.clone());
        let patience = settings.stall_timeout;
        let charge = move |batch: Batch, length: u64| {
            let most = length + batch.most(settings.limits.message_bytes);
            let asked_bytes = length + batch.held();
            let admitted = move |lease| Admitted { batch, lease, asked_bytes };
            match account.take(Resource::WorkingBytes, most) {
                Ok(lease) => Either::Left(admitted(lease)),
                Err(full) => Either::Right(async move {
                    let lease = tokio::time::timeout(patience, account.wait_for(Resource::WorkingBytes, most)).await;
                    lease.map(admitted).map_err(|_late| status::no_room(&full))
                }),
            }
        };
        let Received { bytes, lease } = message;
        let length = bytes.len();
        let workers = self.workers.clone();
        let asked = self.asked.clone();
        let unpack = move || workers.admit(&bytes, &asked);
        if length < settings::UNPACKED_IN_PLACE {
            return Ok(match charge(unpack()?, length as u64) {
                Either::Left(admitted) => Either::Left(admitted),
                // What the message was charged when it came is kept until all of it is.
                Either::Right(later) => Either::Right(Box::pin(async move {
                    let admitted = later.await;
                    drop(lease);
                    admitted
                })),
            });
        }
        let workers = self.workers.clone();
        Ok(Either::Right(Box::pin(async move {
            let batch = workers.run_light(unpack).await.map_err(|_cancelled| status::internal())??;
            let admitted = match charge(batch, length as u64) {
                Either::Left(admitted) => admitted,
                Either::Right(later) => later.await?,
            };
            drop(lease);
            Ok(admitted)
        })))
    }

    /// Counts a batch as in work, and solves it.
    fn begin(&mut self, admitted: Admitted) -> Work {
        let Admitted { batch, mut lease, asked_bytes } = admitted;
        self.hold(self.queued_bytes + asked_bytes);
        let (workers, share, flag) = (self.workers.clone(), self.share.clone(), self.flag.clone());
        Box::pin(async move {
            let id = batch.id;
            let results = workers.solve(batch, &share, &flag).await?;
            let answer_bytes = wire::held_by_results(&results);
            lease.shrink_to(answer_bytes);
            Ok(Answered { message: wire::batch_result(id, results), lease, asked_bytes, answer_bytes })
        })
    }
}

/// Waits for what is there to wait for.
async fn maybe(admitting: &mut Option<Admitting>) -> Result<Admitted, Status> {
    match admitting {
        Some(admitting) => admitting.await,
        None => std::future::pending().await,
    }
}
