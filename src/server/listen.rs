//! Where connections come from: TCP, Unix sockets, in-memory pipes; which of them are let in.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::Service;

use super::connection::{self, Host, Peer};
use super::credentials::Access;
use super::quota::{Exceeded, Lease, PeerId, Resource};
use super::refusal::Refusal;
use super::settings;
use super::socket_file::SocketFile;
use super::transport::{Transport, Watched};
use crate::escape;

/// After a failed accept (out of descriptors, as a rule) the listener waits: trying again at once would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long a connection waits while others hold what it needs: long enough for memory that is about to be released, short
/// enough for a client that has another server to try.
const CONNECTION_WAIT: Duration = Duration::from_secs(1);

/// Where a server listens, as it is typed: `HOST:PORT` or `unix:/path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A TCP address; port 0 asks the system for a free one.
    Tcp(String),
    /// A Unix socket.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            // unix:///path is how gRPC's own name syntax writes it.
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.starts_with('/') {
                Ok(Address::Unix(path.into()))
            } else {
                Err(format!("{text:?}: a socket's path starts with /, as in unix:/run/sprague.sock"))
            };
        }
        match text.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(Address::Tcp(text.into())),
            _ => Err(format!("{text:?} is no address: write 127.0.0.1:50051, [::1]:50051 or unix:/path")),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => escape::text(address).fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", escape::path(&path)),
        }
    }
}

/// A bound socket.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    Unix {
        // Dropped in this order.
        _file: SocketFile,
        listener: UnixListener,
    },
    /// Pipes whose other ends are in this process.
    Pipes(mpsc::Receiver<DuplexStream>),
}

impl Listener {
    /// Binds an address. A name that means several TCP addresses is bound at the first that works.
    ///
    /// A socket file that nobody listens on any more is replaced.
    ///
    /// # Errors
    /// What the system says; a path that is in use or is no socket.
    pub async fn bind(address: &Address) -> io::Result<Listener> {
        match address {
            Address::Tcp(name) => Listener::tcp(TcpListener::bind(name.as_str()).await?),
            Address::Unix(path) => {
                let (listener, file) = SocketFile::bind(path).await?;
                Ok(Listener { socket: Socket::Unix { _file: file, listener }, address: address.clone() })
            }
        }
    }

    /// A TCP socket that is bound already.
    ///
    /// # Errors
    /// The system does not say where.
    pub fn tcp(listener: TcpListener) -> io::Result<Listener> {
        let address = Address::Tcp(listener.local_addr()?.to_string());
        Ok(Listener { socket: Socket::Tcp(listener), address })
    }

    /// A listener whose connections are the pipes sent to it.
    pub fn pipes(pipes: mpsc::Receiver<DuplexStream>) -> Listener {
        Listener { socket: Socket::Pipes(pipes), address: Address::Tcp("pipe:0".into()) }
    }

    /// Where it listens: with the port that the system chose.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether only this machine can reach it.
    pub fn is_local(&self) -> bool {
        match &self.socket {
            Socket::Tcp(listener) => listener.local_addr().is_ok_and(|address| address.ip().is_loopback()),
            Socket::Unix { .. } | Socket::Pipes(_) => true,
        }
    }

    /// Whether TLS makes sense here: what stays inside this machine needs none.
    fn is_tcp(&self) -> bool {
        matches!(self.socket, Socket::Tcp(_))
    }

    /// The next connection. `None`: there will be no more.
    async fn accept(&mut self) -> Option<io::Result<Accepted>> {
        let local = |transport, peer: &str| Accepted { transport, peer: peer.into(), address: None };
        match &mut self.socket {
            Socket::Tcp(listener) => Some(listener.accept().await.and_then(|(stream, peer)| {
                // Answers are whole messages: waiting to fill a segment only delays them.
                stream.set_nodelay(true)?;
                Ok(Accepted { transport: Box::new(stream), peer: peer.to_string(), address: Some(peer.ip()) })
            })),
            Socket::Unix { listener, .. } => {
                Some(listener.accept().await.map(|(stream, _)| local(Box::new(stream), "unix")))
            }
            Socket::Pipes(pipes) => pipes.recv().await.map(|pipe| Ok(local(Box::new(pipe), "pipe"))),
        }
    }
}

/// What an accepted connection is served with.
#[derive(Clone)]
pub(super) struct Reception<S> {
    pub(super) host: Host,
    /// Has the TLS that TCP connections speak, if any.
    pub(super) access: Arc<Access>,
    pub(super) services: S,
    /// Has every connection, so that a drain can wait for them.
    pub(super) tracker: TaskTracker,
}

/// Accepts until the server drains or the listener is at its end, and serves each connection in a task of its own.
pub(super) async fn accept_all<S>(mut listener: Listener, reception: Reception<S>)
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let host = &reception.host;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = host.drain.cancelled() => return,
        };
        match accepted {
            None => return,
            Some(Err(error)) => {
                host.meters.refusals.note(Refusal::NotAccepted, format_args!("{}: {error}", listener.address));
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
            Some(Ok(accepted)) => {
                let peer_id = host.peer_id(accepted.address);
                let is_encrypted = reception.access.tls.is_some() && listener.is_tcp();
                let peer = accepted.peer.clone();
                let serving = reception.clone().serve(accepted, peer_id, is_encrypted);
                match host.lease_connection(peer_id) {
                    Ok(leases) => drop(reception.tracker.spawn(host.clone().serve_leased(leases, serving))),
                    Err(full) => match host.lease_wait(peer_id, &full) {
                        Some(waiting) => {
                            let host = host.clone();
                            reception.tracker.spawn(async move {
                                match timeout(CONNECTION_WAIT, host.wait_to_lease_connection(peer_id)).await {
                                    Ok(leases) => {
                                        drop(waiting);
                                        host.serve_leased(leases, serving).await;
                                    }
                                    Err(_) => host.refuse_connection(&full, &peer),
                                }
                            });
                        }
                        None => host.refuse_connection(&full, &peer),
                    },
                }
            }
        }
    }
}

/// A connection as the system hands it over.
struct Accepted {
    transport: Box<dyn Transport>,
    /// The address, `unix` or `pipe`, for logs.
    peer: String,
    /// None for what is inside this machine anyway.
    address: Option<IpAddr>,
}

/// What an open connection holds of the quotas: one of the connections, and its memory.
type ConnectionLeases = [Lease; 2];

impl Host {
    /// Takes what a connection needs, if it is there now.
    fn lease_connection(&self, peer: PeerId) -> Result<ConnectionLeases, Exceeded> {
        let place = self.quotas.take(peer, Resource::Connections, 1)?;
        Ok([place, self.quotas.take(peer, Resource::OpenBytes, settings::CONNECTION_BYTES)?])
    }

    /// A place among the waiting connections, where it is not the client itself that reached its limits.
    fn lease_wait(&self, peer: PeerId, full: &Exceeded) -> Option<Lease> {
        if full.by_peer { None } else { self.quotas.take(peer, Resource::WaitingConnections, 1).ok() }
    }

    async fn wait_to_lease_connection(&self, peer: PeerId) -> ConnectionLeases {
        let place = self.quotas.wait_for(peer, Resource::Connections, 1).await;
        [place, self.quotas.wait_for(peer, Resource::OpenBytes, settings::CONNECTION_BYTES).await]
    }

    /// Serves a connection, and then gives back what it held.
    async fn serve_leased(self, leases: ConnectionLeases, serving: impl Future<Output = ()>) {
        let counted = self.meters.connection();
        serving.await;
        drop((leases, counted));
    }

    /// Counts a connection that is dropped, and so closed: its client sees that at once and may try another server.
    fn refuse_connection(&self, full: &Exceeded, peer: &str) {
        let refusal = Refusal::of_connection(full).unwrap_or(Refusal::Connections);
        self.meters.refusals.note(refusal, format_args!("{peer}: {full}"));
    }

    /// Whose limits a connection from this address has.
    fn peer_id(&self, address: Option<IpAddr>) -> PeerId {
        match address.map(|address| address.to_canonical()) {
            Some(address) if !self.settings.trusted_proxies.iter().any(|network| network.contains(&address)) => {
                PeerId::address(address)
            }
            _ => PeerId::Unlimited,
        }
    }
}

impl<S> Reception<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    /// Serves a connection to its end, from its TLS handshake on.
    async fn serve(self, accepted: Accepted, peer_id: PeerId, is_encrypted: bool) {
        let Accepted { mut transport, peer, .. } = accepted;
        let (settings, refusals) = (&self.host.settings, &self.host.meters.refusals);
        let deadline = Instant::now() + settings.handshake_timeout;
        if let Some(tls) = self.access.tls.as_ref().filter(|_| is_encrypted) {
            let handshake = tokio::time::timeout_at(deadline, tls.acceptor().accept(transport));
            let encrypted = tokio::select! {
                biased;
                () = self.host.drain.cancelled() => return,
                encrypted = handshake => encrypted,
            };
            transport = match encrypted {
                Ok(Ok(encrypted)) => Box::new(encrypted),
                Ok(Err(error)) => return refusals.note(Refusal::TlsHandshake, format_args!("{peer}: {error}")),
                Err(_late) => return refusals.note(Refusal::TlsTimeout, peer),
            };
        }
        let transport = Watched::new(transport, deadline, settings.stall_timeout);
        connection::serve(transport, Peer(peer.into()), peer_id, self.services, self.host.clone()).await;
    }
}
