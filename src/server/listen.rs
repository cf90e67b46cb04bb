//! Where connections come from: TCP, Unix sockets, in-memory pipes; how many are let in, and how they are cut.

use std::fmt;
use std::future::Future;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use super::credentials::Access;

/// After a failed accept (out of descriptors, as a rule) the listener waits: trying again at once would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What every HTTP/2 client says first, in bytes. After it pings find out whether the peer is still there.
const PREFACE: usize = 24;

/// The mode of a Unix socket: its owner and group may connect.
const SOCKET_MODE: u32 = 0o660;

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
            Address::Tcp(address) => f.write_str(address),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
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
        listener: UnixListener,
        _file: SocketFile,
    },
    /// Pipes whose other ends are in this process.
    Pipes(mpsc::Receiver<DuplexStream>),
}

/// A socket's file, removed with its listener.
#[derive(Debug)]
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _gone_already = std::fs::remove_file(&self.0);
    }
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
            Address::Tcp(name) => {
                let listener = TcpListener::bind(name.as_str()).await?;
                let address = Address::Tcp(listener.local_addr()?.to_string());
                Ok(Listener { socket: Socket::Tcp(listener), address })
            }
            Address::Unix(path) => {
                remove_stale(path).await?;
                let listener = UnixListener::bind(path)?;
                let file = SocketFile(path.clone());
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(SOCKET_MODE))?;
                Ok(Listener { socket: Socket::Unix { listener, _file: file }, address: address.clone() })
            }
        }
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
    async fn accept(&mut self) -> Option<io::Result<(Box<dyn Transport>, String)>> {
        match &mut self.socket {
            Socket::Tcp(listener) => Some(listener.accept().await.and_then(|(stream, peer)| {
                // Answers are whole messages: waiting to fill a segment only delays them.
                stream.set_nodelay(true)?;
                Ok((Box::new(stream) as Box<dyn Transport>, peer.to_string()))
            })),
            Socket::Unix { listener, .. } => {
                Some(listener.accept().await.map(|(stream, _)| (Box::new(stream) as Box<dyn Transport>, "unix".into())))
            }
            Socket::Pipes(pipes) => {
                pipes.recv().await.map(|pipe| Ok((Box::new(pipe) as Box<dyn Transport>, "pipe".into())))
            }
        }
    }
}

/// Removes a socket file that nobody answers on.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        let message = format!("{} exists and is no socket", path.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    match UnixStream::connect(path).await {
        Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens on this socket")),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path),
        Err(error) => Err(error),
    }
}

/// How connections are let in.
#[derive(Clone)]
pub(super) struct Door {
    /// One permit a connection.
    pub(super) places: Arc<Semaphore>,
    /// From the connection to the end of HTTP/2's preface, that of TLS included.
    pub(super) handshake_timeout: Duration,
    /// Has the TLS that TCP connections speak, if any.
    pub(super) access: Arc<Access>,
    /// Set to cut every connection.
    pub(super) cut: CancellationToken,
}

/// Accepts until the listener is dropped, and sends each connection on.
pub(super) async fn accept_into(mut listener: Listener, door: Door, connections: mpsc::Sender<io::Result<Connection>>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = connections.closed() => return,
        };
        match accepted {
            None => return,
            Some(Err(error)) => {
                tracing::warn!(%error, listener = %listener.address, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
            Some(Ok((transport, peer))) => match door.places.clone().try_acquire_owned() {
                Ok(place) if door.access.tls.is_some() && listener.is_tcp() => {
                    tokio::spawn(encrypt(transport, peer, place, door.clone(), connections.clone()));
                }
                Ok(place) => {
                    let connection = Connection::new(transport, peer, place, &door, door.deadline());
                    if connections.send(Ok(connection)).await.is_err() {
                        return;
                    }
                }
                // Dropped, and so closed: its client sees that at once and may try another server.
                Err(_full) => tracing::warn!(%peer, "refused a connection: no place left (limit connections)"),
            },
        }
    }
}

impl Door {
    fn deadline(&self) -> Instant {
        Instant::now() + self.handshake_timeout
    }
}

/// Sends a connection on once its TLS handshake is done. It has its place on the server from the beginning, so that
/// handshakes are bounded like connections.
async fn encrypt(
    transport: Box<dyn Transport>,
    peer: String,
    place: OwnedSemaphorePermit,
    door: Door,
    connections: mpsc::Sender<io::Result<Connection>>,
) {
    let Some(tls) = &door.access.tls else { return };
    let deadline = door.deadline();
    let handshake = tokio::time::timeout_at(deadline, tls.acceptor().accept(transport));
    let encrypted = tokio::select! {
        biased;
        () = connections.closed() => return,
        encrypted = handshake => encrypted,
    };
    match encrypted {
        Ok(Ok(encrypted)) => {
            let connection = Connection::new(Box::new(encrypted), peer, place, &door, deadline);
            let _draining = connections.send(Ok(connection)).await;
        }
        Ok(Err(error)) => tracing::info!(%peer, %error, "refused a connection: no TLS handshake"),
        Err(_late) => tracing::info!(%peer, "refused a connection: its TLS handshake took too long"),
    }
}

/// The bytes of a connection, whatever carries them.
trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// One accepted connection: its bytes, its place on the server, and the means to cut it.
pub(super) struct Connection {
    transport: Box<dyn Transport>,
    peer: Peer,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Gone once the whole preface is there.
    silence: Option<Pin<Box<Sleep>>>,
    /// Bytes of the preface that are still to come.
    awaited: usize,
    _place: OwnedSemaphorePermit,
}

/// Who is at the other end, for logs.
#[derive(Debug, Clone)]
pub(super) struct Peer(Arc<str>);

impl Peer {
    /// Its address, `unix` or `pipe`.
    pub(super) fn name(&self) -> &str {
        &self.0
    }
}

impl Connection {
    /// A connection whose preface must be there at `deadline`.
    fn new(
        transport: Box<dyn Transport>,
        peer: String,
        place: OwnedSemaphorePermit,
        door: &Door,
        deadline: Instant,
    ) -> Connection {
        Connection {
            transport,
            peer: Peer(peer.into()),
            cut: Box::pin(door.cut.clone().cancelled_owned()),
            silence: Some(Box::pin(tokio::time::sleep_until(deadline))),
            awaited: PREFACE,
            _place: place,
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // A connection is always being read, so this is where it learns that it is cut.
        if self.cut.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the server is closing")));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.transport).poll_read(context, buffer);
        let Some(silence) = &mut self.silence else { return read };
        if read.is_pending() && silence.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer did not say what it wants")));
        }
        self.awaited = self.awaited.saturating_sub(buffer.filled().len() - before);
        if self.awaited == 0 {
            self.silence = None;
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }
}
