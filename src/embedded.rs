//! The server inside the client's own process: the same service and real gRPC over an in-memory pipe.

use std::fmt;
use std::io;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::mpsc;
use tonic::transport::{Channel, Endpoint, Uri};

use crate::server::Server;
use crate::server::listen::Listener;
use crate::server::settings::Settings;
use crate::server::workers::Solver;

/// The size of the pipe, in bytes each way: a batch of the usual size passes whole.
const PIPE: usize = 64 * 1024;

/// A server without a network, and the way to it.
pub struct Embedded {
    channel: Channel,
    _server: Server,
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").finish_non_exhaustive()
    }
}

impl Embedded {
    /// Starts a server on the current tokio runtime, with `settings` as [`Settings::embedded`] changes them. Dropping it ends
    /// its connections. A runtime of one thread is taken for a process that may not start another:
    /// all boards are solved on it.
    ///
    /// # Errors
    /// When the server's worker threads cannot be started.
    pub fn start(settings: Settings, solver: Arc<dyn Solver>) -> io::Result<Embedded> {
        let in_place = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
        let workers = if in_place { 0 } else { settings.workers };
        Embedded::with_threads(Settings { workers, ..settings }, solver)
    }

    /// As `start`, with `settings.workers` whatever the runtime: no board that takes long is solved on its threads.
    ///
    /// # Errors
    /// As for `start`.
    pub fn with_threads(settings: Settings, solver: Arc<dyn Solver>) -> io::Result<Embedded> {
        let (pipes, listener) = mpsc::channel(1);
        let settings = settings.embedded();
        let server = Server::start(settings, solver, vec![Listener::pipes(listener)])?;
        let connector = tower::service_fn(move |_: Uri| {
            let pipes = pipes.clone();
            async move {
                let (ours, theirs) = tokio::io::duplex(PIPE);
                let closed = |_| io::Error::new(io::ErrorKind::ConnectionRefused, "the embedded server has ended");
                pipes.send(theirs).await.map_err(closed)?;
                io::Result::Ok(TokioIo::new(ours))
            }
        });
        // Nothing resolves this name: the connector above hands out pipes.
        let channel = Endpoint::from_static("http://embedded").connect_with_connector_lazy(connector);
        Ok(Embedded { channel, _server: server })
    }

    /// The way to the server. Clones share one connection.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }
}
