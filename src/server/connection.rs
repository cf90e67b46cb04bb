//! One HTTP/2 connection, from its handshake to its end: calls, keepalive, idleness, age, drain.

use std::convert::Infallible;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use h2::{Ping, PingPong};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::http::{Extensions, Request, Response};
use tower::Service;

use super::account::Account;
use super::deadline;
use super::exchange::{self, Ended, Piece};
use super::meters::Meters;
use super::quota::{PeerId, Quotas};
use super::refusal::Refusal;
use super::settings::{self, Settings};
use super::transport::{Activity, Watched};

/// What a connection is part of.
#[derive(Clone)]
pub(super) struct Host {
    pub(super) settings: Arc<Settings>,
    pub(super) quotas: Quotas,
    pub(super) meters: Arc<Meters>,
    /// Set when the server drains.
    pub(super) drain: CancellationToken,
    /// Set when every connection ends at once.
    pub(super) cut: CancellationToken,
}

/// Who is at the other end, for logs: an address, `unix` or `pipe`.
#[derive(Debug, Clone)]
pub(super) struct Peer(pub(super) Arc<str>);

impl Peer {
    /// Its address, `unix` or `pipe`.
    pub(super) fn name(&self) -> &str {
        &self.0
    }
}

/// Cancelled when the connection of a call drains, because the server does or because the connection is old.
#[derive(Debug, Clone)]
pub(super) struct Draining(pub(super) CancellationToken);

impl Draining {
    /// That of the call with these extensions.
    pub(super) fn of(call: &Extensions) -> CancellationToken {
        call.get::<Draining>().map(|draining| draining.0.clone()).unwrap_or_default()
    }
}

/// Serves one connection to its end.
pub(super) async fn serve<S>(transport: Watched, peer: Peer, peer_id: PeerId, services: S, host: Host)
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let (settings, refusals) = (&host.settings, &host.meters.refusals);
    let activity = transport.activity();
    let mut builder = h2::server::Builder::new();
    builder
        .initial_window_size(settings::STREAM_WINDOW)
        .initial_connection_window_size(settings::CONNECTION_WINDOW)
        .max_concurrent_streams(settings::STREAMS_PER_CONNECTION)
        .max_header_list_size(settings::HEADER_BYTES)
        .max_send_buffer_size(settings::SEND_BUFFER);
    let mut connection: h2::server::Connection<Watched, Piece> = tokio::select! {
        biased;
        () = host.cut.cancelled() => return,
        // Who has not said anything yet is told by the end of the connection.
        () = host.drain.cancelled() => return,
        connection = builder.handshake(transport) => match connection {
            Ok(connection) => connection,
            Err(error) => {
                match error.get_io().map(std::io::Error::kind) {
                    Some(ErrorKind::TimedOut) => refusals.note(Refusal::NoPreface, peer.name()),
                    // It left.
                    Some(_) => {}
                    None => refusals.note(Refusal::NotHttp2, peer.name()),
                }
                return tracing::debug!(peer = peer.name(), %error, "a connection ended in its handshake");
            }
        },
    };
    let pings = connection.ping_pong().expect("nobody took it yet");
    let mut unanswered = pin!(unanswered(pings, activity.clone(), settings));
    let mut idle = pin!(idle(peer_id, activity.clone(), settings));
    let mut old = pin!(old(settings.max_connection_age));
    let drain = host.drain.child_token();
    // Made once: made anew in each turn of the loop they cost a call a microsecond.
    let (mut cut, mut draining) = (pin!(host.cut.cancelled()), pin!(drain.cancelled()));
    // Once the connection has been told to go: when it is cut, unless the server itself decides.
    let mut cut_at = None;
    let mut is_ending = false;
    loop {
        tokio::select! {
            biased;
            () = &mut cut => return,
            accepted = connection.accept() => match accepted {
                None => return,
                Some(Err(error)) => {
                    if activity.is_flooded() {
                        refusals.note(Refusal::Flood, peer.name());
                    } else if error.get_io().is_some_and(|error| error.kind() == ErrorKind::TimedOut) {
                        refusals.note(Refusal::NotRead, peer.name());
                    }
                    return tracing::debug!(peer = peer.name(), %error, "a connection ended");
                }
                Some(Ok((request, respond))) => {
                    let account = Account::new(host.quotas.clone(), peer_id, activity.clone());
                    let meters = host.meters.clone();
                    let (peer, drain) = (peer.clone(), Draining(drain.clone()));
                    let (services, stall_timeout) = (services.clone(), settings.stall_timeout);
                    tokio::spawn(async move {
                        let extend = |request: &mut Request<Body>| {
                            request.extensions_mut().insert(peer.clone());
                            request.extensions_mut().insert(drain);
                        };
                        let answered = exchange::answer(request, respond, services, account, extend, stall_timeout);
                        if let Err(Ended::Stalled) = answered.await {
                            meters.refusals.note(Refusal::NotTaken, peer.name());
                        }
                    });
                }
            },
            () = &mut draining, if !is_ending => {
                is_ending = true;
                connection.graceful_shutdown();
            }
            () = &mut idle, if !is_ending => {
                cut_at = Some(Instant::now() + settings.handshake_timeout);
                drain.cancel();
            }
            () = &mut old, if !is_ending => {
                cut_at = Some(Instant::now() + settings.drain_timeout);
                drain.cancel();
            }
            () = &mut unanswered => return tracing::debug!(peer = peer.name(), "closed a connection: a ping was not answered"),
            () = deadline::passed(cut_at) => return,
        }
    }
}

/// Pings a connection on which nothing comes, and ends when there is no answer.
async fn unanswered(mut pings: PingPong, activity: Arc<Activity>, settings: &Settings) {
    loop {
        let before = activity.frames();
        tokio::time::sleep(settings.keepalive_interval).await;
        if activity.frames() != before {
            continue;
        }
        // Fails where the connection is ending anyway.
        let pong = pings.ping(Ping::opaque());
        let answered = tokio::time::timeout(settings.keepalive_timeout, pong).await;
        if answered.is_err() && activity.frames() == before {
            return;
        }
    }
}

/// Ends once a connection has had no admitted call for long: soon if it never had one. One that has no limits of its own
/// may stay.
async fn idle(peer: PeerId, activity: Arc<Activity>, settings: &Settings) {
    if peer == PeerId::Unlimited {
        return std::future::pending().await;
    }
    let every = settings.stall_timeout.min(settings.idle_timeout) / 4;
    let (mut since, mut calls_before) = (Instant::now(), 0);
    loop {
        tokio::time::sleep(every.clamp(Duration::from_millis(10), Duration::from_secs(10))).await;
        let (open, calls) = activity.calls();
        if open > 0 || calls != calls_before {
            (since, calls_before) = (Instant::now(), calls);
        }
        let patience =
            if calls == 0 { settings.stall_timeout.min(settings.idle_timeout) } else { settings.idle_timeout };
        if since.elapsed() >= patience {
            return;
        }
    }
}

/// Ends at a connection's greatest age, give or take a tenth, so that connections that began together do not end together.
async fn old(age: Option<Duration>) {
    match age {
        None => std::future::pending().await,
        Some(age) => {
            let random = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
            tokio::time::sleep(age.mul_f64(0.9 + 0.2 * random)).await;
        }
    }
}
