//! The tonic service: admission, solving, ordered streams, health, reflection, and the drain.

mod memory;
pub mod settings;
mod quota;
mod status;
mod refusal;
mod refusals;
mod process;
pub mod meters;
pub mod events;
mod transport;
mod account;
mod inbox;
mod messages;
mod exchange;
mod connection;
mod deadline;
pub mod credentials;
mod socket_file;
pub mod listen;
mod guard;
mod admission;
mod protocol;
mod health;
mod reflection;
mod call_id;
mod watch;
pub mod exposition;
mod share;
mod batch;
mod pools;
pub mod workers;
pub mod local;
mod explain;
mod stream;
mod service;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::pb::v1::server_reflection_server::ServerReflectionServer;
use tonic_reflection::pb::v1alpha::server_reflection_server::ServerReflectionServer as ServerReflectionV1AlphaServer;
use tower::ServiceBuilder;

use crate::wire::v1;
use admission::AdmissionLayer;
use connection::Host;
use credentials::{Access, Unusable};
use guard::Guard;
use health::{Health, ServingStatus};
use listen::{Listener, Reception};
use meters::Meters;
use protocol::ProtocolLayer;
use quota::{Quotas, Resource};
use reflection::Reflection;
use settings::Settings;
use watch::Watch;
use workers::{Solver, Workers};

/// The service's name, as health checks ask for it.
pub const SERVICE_NAME: &str = v1::sprague_service_server::SERVICE_NAME;

/// A server that accepts calls until it is drained or dropped.
pub struct Server {
    health: Health,
    /// Set: streams answer what they have read and end, calls are refused, listeners close.
    drain: CancellationToken,
    /// Set: every connection ends now.
    cut: CancellationToken,
    access: Arc<Access>,
    meters: Arc<Meters>,
    quotas: Quotas,
    workers: Arc<Workers>,
    /// Has every listener and connection.
    tracker: TaskTracker,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

impl Server {
    /// Starts serving whoever comes to the listeners. Runs on the current tokio runtime.
    ///
    /// # Errors
    /// Settings that contradict each other; when the worker threads cannot be started.
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
        let settings = Arc::new(settings.checked()?);
        let access = Arc::new(access);
        meters.certificate(access.certificate_end());
        let drain = CancellationToken::new();
        let cut = CancellationToken::new();
        let workers = Workers::new(solver, settings.clone(), meters.clone())?;
        let health = Health::new();
        let small = settings::SMALL_MESSAGE_BYTES as usize;
        let routes = Routes::new(service::SpragueService { workers: workers.clone() })
            .add_service(HealthServer::new(health.clone()).max_decoding_message_size(small))
            .add_service(ServerReflectionServer::new(Reflection).max_decoding_message_size(small))
            .add_service(ServerReflectionV1AlphaServer::new(Reflection).max_decoding_message_size(small))
            .prepare();
        let services = ServiceBuilder::new()
            .layer(Watch(meters.clone()))
            .layer(ProtocolLayer)
            .layer_fn(deadline::Punctual)
            .layer(Guard(access.clone()))
            .layer(AdmissionLayer(drain.clone()))
            .service(routes);
        let quotas = Quotas::new(&settings);
        let host =
            Host { quotas: quotas.clone(), settings, meters: meters.clone(), drain: drain.clone(), cut: cut.clone() };
        let tracker = TaskTracker::new();
        let reception = Reception { host, access: access.clone(), services, tracker: tracker.clone() };
        meters.watch(quotas.clone());
        meters.set_serving(true);
        // Before the first connection is served.
        health.set(ServingStatus::Serving);
        for listener in listeners {
            tracker.spawn(listen::accept_all(listener, reception.clone()));
        }
        Ok(Server { health, drain, cut, access, meters, quotas, workers, tracker })
    }

    /// Reads certificates, keys and tokens again; what cannot be used leaves its predecessor in force. Open connections
    /// stay as they are; every call on them is held to the new tokens.
    ///
    /// # Errors
    /// The first file that cannot be used.
    pub fn reload(&self) -> Result<(), Unusable> {
        let reloaded = self.access.reload();
        self.meters.certificate(self.access.certificate_end());
        reloaded
    }

    /// Whether no call with boards is open, so that memory that was used before can be given back.
    pub fn is_idle(&self) -> bool {
        self.quotas.used(Resource::Streams) + self.quotas.used(Resource::Calls) == 0
    }

    /// The memory that clients hold of the budget, `limits.memory_bytes`, in bytes.
    pub fn memory_used(&self) -> u64 {
        self.quotas.memory_used()
    }

    /// Has each thread that solves boards do something once it is free: what an allocator keeps is kept by thread.
    pub fn on_each_worker(&self, work: fn()) {
        self.workers.on_each(work);
    }

    /// Tells health checks that this server goes away, without changing anything else: proxies send new calls elsewhere.
    pub async fn announce_drain(&self) {
        self.meters.set_serving(false);
        self.health.set(ServingStatus::NotServing);
    }

    /// Stops listening, sends GOAWAY, lets open streams answer what they have read, and waits for the last connection
    /// to end. What is left after `timeout` is cut.
    pub async fn drain(self, timeout: Duration) {
        self.announce_drain().await;
        self.drain.cancel();
        self.tracker.close();
        if tokio::time::timeout(timeout, self.tracker.wait()).await.is_err() {
            tracing::warn!("cut what was left after the drain timeout");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.drain.cancel();
        self.cut.cancel();
        self.meters.refusals.say_all();
    }
}
