//! The RPCs: each takes its place on the server or is refused at once, then has its boards solved.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::{Request, Response, Status, Streaming};

use super::deadline;
use super::explain;
use super::settings::Settings;
use super::status;
use super::stream::{self, Answers, Host};
use super::watch::Asked;
use crate::theory::StopFlag;
use crate::wire::{self, v1};

/// The `SpragueService` of one server.
pub(super) struct Service {
    host: Arc<Host>,
    settings: Settings,
    calls: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl Service {
    pub(super) fn new(host: Host, settings: Settings) -> Service {
        Service {
            calls: Arc::new(Semaphore::new(settings.calls as usize)),
            streams: Arc::new(Semaphore::new(settings.limits.streams as usize)),
            host: Arc::new(host),
            settings,
        }
    }

    /// A place among `places`, held as long as the permit lives.
    fn admit(&self, places: &Arc<Semaphore>, name: &str, limit: u32) -> Result<OwnedSemaphorePermit, Status> {
        if self.host.drain.is_cancelled() {
            return Err(status::draining());
        }
        places.clone().try_acquire_owned().map_err(|_| status::no_room(name, limit))
    }
}

/// Where the boards that a call asks for are counted.
fn asked<T>(request: &Request<T>) -> Asked {
    request.extensions().get::<Asked>().cloned().unwrap_or_default()
}

/// Stops a call's solve when the call is dropped: so tonic says that the caller left, and `Punctual` that time is up.
struct StopOnDrop(StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[tonic::async_trait]
impl v1::sprague_service_server::SpragueService for Service {
    type SolveStreamStream = Answers;

    async fn solve(&self, request: Request<v1::SolveRequest>) -> Result<Response<v1::SolveResponse>, Status> {
        let _place = self.admit(&self.calls, "calls", self.settings.calls)?;
        asked(&request).add(1);
        let (board, outcome_only) = wire::solve_parts(request.into_inner());
        let stop = StopOnDrop(StopFlag::default());
        let share = self.host.workers.share();
        match self.host.workers.solve([board], outcome_only, &share, &stop.0).await {
            Ok(results) => Ok(Response::new(wire::solve_response(results))),
            Err(_cancelled) => Err(status::internal()),
        }
    }

    async fn explain(&self, request: Request<v1::ExplainRequest>) -> Result<Response<v1::ExplainResponse>, Status> {
        let _place = self.admit(&self.calls, "calls", self.settings.calls)?;
        asked(&request).add(1);
        let message_bytes = self.settings.limits.message_bytes;
        let respond = |result| Ok(Response::new(wire::explain::response(result, message_bytes)));
        let (board, moves, wants) = match wire::explain::parts(request.into_inner()) {
            Ok(parts) => parts,
            Err(error) => return respond(Err(error)),
        };
        let stop = StopOnDrop(StopFlag::default());
        let board = self.host.workers.board(board);
        match explain::answer(&self.host.workers, board, moves, wants, &stop.0).await {
            Ok(result) => respond(result),
            Err(_cancelled) => Err(status::internal()),
        }
    }

    async fn solve_stream(
        &self,
        request: Request<Streaming<v1::SolveStreamRequest>>,
    ) -> Result<Response<Answers>, Status> {
        let place = self.admit(&self.streams, "streams", self.settings.limits.streams)?;
        let deadline = deadline::of(request.metadata().as_ref());
        let asked = asked(&request);
        Ok(Response::new(stream::open(self.host.clone(), request.into_inner(), deadline, asked, place)))
    }

    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        Ok(Response::new(self.settings.facts().into()))
    }
}
