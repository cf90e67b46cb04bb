//! The tonic service: admission, solving, ordered streams, health, reflection, and the drain.

pub mod settings;
mod status;
mod deadline;
pub mod credentials;
pub mod meters;
pub mod listen;
mod guard;
mod watch;
pub mod exposition;
pub mod workers;
mod explain;
mod stream;
mod service;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::{HealthReporter, HealthService};

use crate::wire::{self, v1::sprague_service_server::SpragueServiceServer};
use credentials::{Access, Unusable};
use guard::Guard;
use listen::{Door, Listener};
use meters::Meters;
use settings::Settings;
use watch::Watch;
use workers::{Solver, Workers};

/// The service's name, as health checks ask for it.
pub const SERVICE_NAME: &str = "sprague.v1.SpragueService";

/// A server that accepts calls until it is drained or dropped.
pub struct Server {
    health: HealthReporter,
    /// Set: streams answer what they have read and end, calls are refused, listeners close.
    drain: CancellationToken,
    /// Set: every connection ends now.
    cut: CancellationToken,
    access: Arc<Access>,
    meters: Arc<Meters>,
    serving: JoinHandle<Result<(), tonic::transport::Error>>,
}

impl Server {
    /// Starts serving whoever comes to the listeners. Runs on the current tokio runtime.
    ///
    /// # Errors
    /// When the worker threads cannot be started.
    pub fn start(settings: Settings, solver: Arc<dyn Solver>, listeners: Vec<Listener>) -> io::Result<Server> {
        Server::watched(settings, solver, listeners, Access::default(), Arc::default())
    }

    /// As `start`, for those whom `access` lets in, and counted by `meters`.
    ///
    /// # Errors
    /// As for `start`.
    pub fn watched(
        settings: Settings,
        solver: Arc<dyn Solver>,
        listeners: Vec<Listener>,
        access: Access,
        meters: Arc<Meters>,
    ) -> io::Result<Server> {
        let access = Arc::new(access);
        let drain = CancellationToken::new();
        let cut = CancellationToken::new();
        let limits = settings.limits;
        let message_bytes = usize::try_from(limits.message_bytes).unwrap_or(usize::MAX);
        let host = stream::Host {
            workers: Workers::new(solver, &settings, meters.clone())?,
            limits,
            meters: meters.clone(),
            stall_timeout: settings.stall_timeout,
            drain: drain.clone(),
        };
        let health = HealthReporter::new();
        let transport = tonic::transport::Server::builder()
            .initial_stream_window_size(settings::STREAM_WINDOW)
            .initial_connection_window_size(settings::CONNECTION_WINDOW)
            .max_concurrent_streams(settings::STREAMS_PER_CONNECTION)
            .http2_max_header_list_size(settings::HEADER_BYTES)
            .http2_keepalive_interval(Some(settings.keepalive_interval))
            .http2_keepalive_timeout(Some(settings.keepalive_timeout));
        let door = Door {
            places: Arc::new(Semaphore::new(settings::connections_within_descriptors(settings.connections) as usize)),
            handshake_timeout: settings.handshake_timeout,
            access: access.clone(),
            cut: cut.clone(),
        };
        let service = SpragueServiceServer::new(service::Service::new(host, settings))
            .max_decoding_message_size(message_bytes)
            .max_encoding_message_size(message_bytes);
        let router = { transport }
            .layer(Watch(meters.clone()))
            .layer(tower::layer::layer_fn(deadline::Punctual))
            .layer(Guard(access.clone()))
            .add_service(service)
            .add_service(tonic_health::pb::health_server::HealthServer::new(HealthService::from_health_reporter(
                health.clone(),
            )))
            .add_service(reflection().build_v1().expect("the descriptor set that build.rs wrote is whole"))
            .add_service(reflection().build_v1alpha().expect("the descriptor set that build.rs wrote is whole"));
        // One connection: what is accepted goes straight to tonic.
        let (accepted, connections) = mpsc::channel(1);
        for listener in listeners {
            tokio::spawn(listen::accept_into(listener, door.clone(), accepted.clone()));
        }
        meters.set_serving(true);
        let (health_set, stop) = (health.clone(), drain.clone());
        let serving = tokio::spawn(async move {
            set_health(&health_set, ServingStatus::Serving).await;
            // Dropping `connections` closes the listeners; tonic sends GOAWAY in the same step.
            router.serve_with_incoming_shutdown(ReceiverStream::new(connections), stop.cancelled_owned()).await
        });
        Ok(Server { health, drain, cut, access, meters, serving })
    }

    /// Reads certificates, keys and tokens again; what cannot be used leaves its predecessor in force. Open connections
    /// stay as they are; every call on them is held to the new tokens.
    ///
    /// # Errors
    /// The first file that cannot be used.
    pub fn reload(&self) -> Result<(), Unusable> {
        self.access.reload()
    }

    /// Tells health checks that this server goes away, without changing anything else: proxies send new calls elsewhere.
    pub async fn announce_drain(&self) {
        self.meters.set_serving(false);
        set_health(&self.health, ServingStatus::NotServing).await;
    }

    /// Stops listening, sends GOAWAY, lets open streams answer what they have read, and waits for the last connection
    /// to end. What is left after `timeout` is cut.
    pub async fn drain(mut self, timeout: Duration) {
        self.meters.set_serving(false);
        self.drain.cancel();
        // Ends the streams of those who watch the health; they would hold their connections open.
        for name in ["", SERVICE_NAME] {
            self.health.clear_service_status(name).await;
        }
        if tokio::time::timeout(timeout, &mut self.serving).await.is_err() {
            tracing::warn!("cut what was left after the drain timeout");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.drain.cancel();
        self.cut.cancel();
    }
}

async fn set_health(health: &HealthReporter, status: ServingStatus) {
    for name in ["", SERVICE_NAME] {
        health.set_service_status(name, status).await;
    }
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(wire::DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}
