//! A server that misbehaves on purpose: what each of its streams does is written down beforehand.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sprague::games::{self, Sizes};
use sprague::theory::Control;
use sprague::wire::facts::{Limits, ServerFacts};
use sprague::wire::v1::sprague_service_server::{SpragueService, SpragueServiceServer};
use sprague::wire::{self, v1};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_types::{ErrorDetails, StatusExt as _};

/// What one stream does.
#[derive(Debug, Clone)]
pub enum Act {
    /// Answers everything, as a server should.
    Serve,
    /// Answers so many batches, then ends with this status.
    Fail(usize, Status),
    /// Answers so many batches, then ends with OK and without a Summary.
    EndOk(usize),
    /// Ends with UNAVAILABLE when a batch holds a board of so many bytes.
    DieOn(usize),
    /// Takes everything and says nothing.
    Silent,
    /// Answers with another id.
    WrongId,
    /// Leaves out the last answer of each batch.
    TooFew,
    /// Answers the first batch twice.
    Twice,
    /// Counts one board too many in its Summary.
    LyingSummary,
    /// Answers everything and does not say that it is done.
    NoSummary,
    /// Sends a message of a newer version, with nothing that we know in it.
    Unknown,
}

/// A fake on a free port. Dropping it ends it at once, connections and all.
pub struct Fake {
    pub address: String,
    streams: Arc<AtomicUsize>,
    batches: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

impl Fake {
    /// The first stream does the first act, and so on; every further one the last.
    pub fn new(acts: impl Into<Vec<Act>>) -> Fake {
        Fake::with(limits(), None, acts)
    }

    /// A fake with limits of its own, which answers no call at all but with `refusal` if there is one.
    pub fn with(limits: Limits, refusal: Option<Status>, acts: impl Into<Vec<Act>>) -> Fake {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (streams, batches) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let service =
            Service { limits, refusal, acts: acts.into(), streams: streams.clone(), batches: batches.clone() };
        let server = tonic::transport::Server::builder().add_service(SpragueServiceServer::new(service));
        runtime.spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Fake { address, streams, batches, runtime: Some(runtime) }
    }

    /// Streams that were opened.
    pub fn streams(&self) -> usize {
        self.streams.load(Ordering::SeqCst)
    }

    /// Batches that came, over all streams.
    pub fn batches(&self) -> usize {
        self.batches.load(Ordering::SeqCst)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.runtime.take().expect("it is there until now").shutdown_background();
    }
}

pub fn limits() -> Limits {
    Limits {
        message_bytes: 1 << 20,
        boards_per_batch: 1000,
        cost_per_board: 1 << 40,
        streams: 100,
        batches_in_flight: 16,
        queued_bytes: 1 << 20,
        memory_bytes: 0,
    }
}

/// A status that carries a RetryInfo.
pub fn come_back_in(pause: Duration) -> Status {
    Status::with_error_details(Code::ResourceExhausted, "full", ErrorDetails::with_retry_info(Some(pause)))
}

/// A status with a reason.
pub fn draining() -> Status {
    let details = ErrorDetails::with_error_info("DRAINING", "sprague.v1", std::collections::HashMap::new());
    Status::with_error_details(Code::Unavailable, "draining", details)
}

struct Service {
    limits: Limits,
    refusal: Option<Status>,
    acts: Vec<Act>,
    streams: Arc<AtomicUsize>,
    batches: Arc<AtomicUsize>,
}

type Responses = Pin<Box<dyn Stream<Item = Result<v1::SolveStreamResponse, Status>> + Send>>;
type Sender = mpsc::Sender<Result<v1::SolveStreamResponse, Status>>;

#[tonic::async_trait]
impl SpragueService for Service {
    type SolveStreamStream = Responses;

    async fn solve(&self, _: Request<v1::SolveRequest>) -> Result<Response<v1::SolveResponse>, Status> {
        Err(Status::unimplemented("the client streams"))
    }

    async fn explain(&self, _: Request<v1::ExplainRequest>) -> Result<Response<v1::ExplainResponse>, Status> {
        Err(Status::unimplemented("the client streams"))
    }

    async fn solve_stream(
        &self,
        request: Request<Streaming<v1::SolveStreamRequest>>,
    ) -> Result<Response<Responses>, Status> {
        let number = self.streams.fetch_add(1, Ordering::SeqCst);
        let act = self.acts.get(number).or(self.acts.last()).cloned().unwrap_or(Act::Serve);
        if let Act::Fail(0, status) = act {
            return Err(status);
        }
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(play(act, request.into_inner(), sender, self.batches.clone()));
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        match &self.refusal {
            Some(refusal) => Err(refusal.clone()),
            None => {
                let facts = ServerFacts {
                    version: "9.9.9".into(),
                    sizes: Sizes::default(),
                    limits: self.limits,
                    recommended_batch_bytes: 1000,
                };
                Ok(Response::new(facts.into()))
            }
        }
    }
}

async fn play(act: Act, mut requests: Streaming<v1::SolveStreamRequest>, sender: Sender, batches: Arc<AtomicUsize>) {
    let mut tally = wire::bulk::Summary::default();
    let mut answered = 0;
    while let Some(Ok(request)) = requests.next().await {
        batches.fetch_add(1, Ordering::SeqCst);
        let mut end = match &act {
            Act::Fail(most, status) if answered == *most => Some(Err(status.clone())),
            Act::EndOk(most) if answered == *most => Some(Ok(())),
            Act::DieOn(cells) if holds(&request, *cells) => Some(Err(Status::unavailable("gone"))),
            Act::Silent => continue,
            _ => None,
        };
        if let Some(end) = end.take() {
            if let Err(status) = end {
                let _gone = sender.send(Err(status)).await;
            }
            return;
        }
        let v1::SolveStreamRequest { batch_id: mut id, boards, outcome_only } = request;
        let mut results: Vec<_> = boards.into_iter().map(|board| solve(board, outcome_only)).collect();
        match act {
            Act::WrongId => id += 1,
            Act::TooFew => drop(results.pop()),
            _ => {}
        }
        let message = match act {
            Act::Unknown => v1::SolveStreamResponse::default(),
            _ => wire::batch_result(id, results),
        };
        tally.add(&message);
        if matches!(act, Act::Twice) {
            let _gone = sender.send(Ok(message.clone())).await;
        }
        if sender.send(Ok(message)).await.is_err() {
            return;
        }
        answered += 1;
    }
    match act {
        Act::NoSummary => {}
        Act::Silent => std::future::pending().await,
        Act::LyingSummary => {
            tally.solved += 1;
            let _gone = sender.send(Ok(tally.into())).await;
        }
        _ => drop(sender.send(Ok(tally.into())).await),
    }
}

fn holds(request: &v1::SolveStreamRequest, cells: usize) -> bool {
    request
        .boards
        .iter()
        .any(|board| matches!(&board.game, Some(v1::board::Game::Treblecross(board)) if board.cells.len() == cells))
}

fn solve(board: v1::Board, outcome_only: bool) -> v1::BoardResult {
    let solution = wire::board(Some(board), &Sizes::default())
        .map(|board| games::solve(&board, &Control::unlimited()).expect("unlimited"));
    wire::board_result(solution, outcome_only)
}
