//! The RPCs: each takes its place on the server or is refused at once, then has its boards solved.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::{Request, Response, Status, Streaming};

use super::deadline;
use super::settings::Settings;
use super::status;
use super::stream::{self, Answers, Host};
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

/// Stops a call's solve when the call is dropped, which is how tonic says that the caller left.
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
        let deadline = deadline::of(request.metadata());
        let (board, outcome_only) = wire::solve_parts(request.into_inner());
        let stop = StopOnDrop(StopFlag::default());
        let share = self.host.workers.share();
        let solving = self.host.workers.solve([board], outcome_only, &share, &stop.0);
        tokio::select! {
            biased;
            results = solving => match results {
                Ok(results) => Ok(Response::new(wire::solve_response(results))),
                Err(_cancelled) => Err(status::internal()),
            },
            () = deadline::passed(deadline) => Err(status::deadline_exceeded()),
        }
    }

    async fn solve_stream(
        &self,
        request: Request<Streaming<v1::SolveStreamRequest>>,
    ) -> Result<Response<Answers>, Status> {
        let place = self.admit(&self.streams, "streams", self.settings.limits.streams)?;
        let deadline = deadline::of(request.metadata());
        Ok(Response::new(stream::open(self.host.clone(), request.into_inner(), deadline, place)))
    }

    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        Ok(Response::new(self.settings.facts().into()))
    }
}
