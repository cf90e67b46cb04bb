//! grpc.health.v1: whether this server serves, asked once or watched.

use std::pin::Pin;

use futures_util::stream;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::{Request, Response, Status};
pub(super) use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use super::connection::Draining;
use super::status;
use crate::wire::v1::sprague_service_server::SERVICE_NAME;

/// The status of the server as a whole, which is asked for by the empty name, and of its one service.
#[derive(Clone)]
pub(super) struct Health {
    status: watch::Sender<ServingStatus>,
}

impl Health {
    /// A server that does not serve yet.
    pub(super) fn new() -> Health {
        Health { status: watch::Sender::new(ServingStatus::NotServing) }
    }

    /// Tells everybody who watches.
    pub(super) fn set(&self, status: ServingStatus) {
        self.status.send_replace(status);
    }
}

fn is_known(service: &str) -> bool {
    service.is_empty() || service == SERVICE_NAME
}

#[tonic::async_trait]
impl health_server::Health for Health {
    type WatchStream = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        if !is_known(&request.get_ref().service) {
            return Err(status::service_unknown());
        }
        Ok(Response::new(HealthCheckResponse { status: (*self.status.borrow()).into() }))
    }

    /// The status now, then each that differs from the one before. A service that this server does not have is watched like
    /// any other: the protocol wants SERVICE_UNKNOWN and an open stream. It ends when its connection drains.
    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let told = if is_known(&request.get_ref().service) { |now| now } else { |_| ServingStatus::ServiceUnknown };
        let drain = Draining::of(request.extensions());
        let statuses = stream::try_unfold((self.status.subscribe(), None), move |(mut status, last)| {
            let drain = drain.clone();
            async move {
                let next = tokio::select! {
                    biased;
                    changed = status.wait_for(|now| Some(told(*now)) != last) => changed.map(|now| told(*now)).ok(),
                    () = drain.cancelled() => None,
                };
                let next = next.ok_or_else(status::draining)?;
                Ok(Some((HealthCheckResponse { status: next.into() }, (status, Some(next)))))
            }
        });
        Ok(Response::new(Box::pin(statuses)))
    }
}
