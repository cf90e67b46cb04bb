//! One call on its connection: the request goes to the services, the response back as fast as the client takes it.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http_body::Body as _;
use tokio::time::{Instant, timeout_at};
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::Service;

use super::account::{Account, Unsent};
use super::inbox::{Inbox, RequestBody};
use super::settings;
use super::transport::PROGRESS;

/// After an early end the rest of a request is read and dropped for this long, before the status is sent and after it:
/// clients that are cut off while they write report CANCELLED instead of the status that they were sent, and Node takes no
/// headers as long as it has more than 10 MiB to write.
const LINGER: Duration = Duration::from_secs(1);

/// A client that sends nothing for this long waits for its status.
const QUIET: Duration = Duration::from_millis(100);

/// A piece of an answer, counted until the transport has let go of it.
pub(super) struct Piece {
    bytes: Bytes,
    _held: Option<Arc<Unsent>>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

/// How a call ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The client reset it, or its connection is gone.
    ByClient,
    /// The client did not take its answer.
    Stalled,
}

/// Answers one call.
///
/// # Errors
/// How it ended, if not by its own status.
pub(super) async fn answer<S>(
    request: Request<RecvStream>,
    mut respond: SendResponse<Piece>,
    mut services: S,
    account: Arc<Account>,
    extend: impl FnOnce(&mut Request<Body>),
    stall_timeout: Duration,
) -> Result<(), Ended>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = std::convert::Infallible>,
{
    let (head, stream) = request.into_parts();
    let inbox = Inbox::new(stream);
    let mut request = Request::from_parts(head, Body::new(RequestBody::new(inbox.clone(), stall_timeout)));
    request.extensions_mut().insert(inbox.clone());
    request.extensions_mut().insert(account.clone());
    extend(&mut request);

    let (head, body) = {
        let mut response = pin!(services.call(request));
        let response = std::future::poll_fn(|context| {
            let _more = inbox.fill(context);
            if let Poll::Ready(Ok(response)) = response.as_mut().poll(context) {
                return Poll::Ready(Some(response));
            }
            respond.poll_reset(context).map(|_| None)
        });
        response.await.ok_or(Ended::ByClient)?.into_parts()
    };
    let head = Response::from_parts(head, ());
    if body.is_end_stream() {
        // A call that was refused or failed has its place no longer while it is read on.
        drop(account);
        read_on(&inbox).await;
        respond.send_response(head, true).map_err(|_| Ended::ByClient)?;
    } else {
        let sink = respond.send_response(head, false).map_err(|_| Ended::ByClient)?;
        let mut sending = Sending { sink, body: pin!(body), inbox: &inbox, account, stall_timeout };
        let sent = sending.run().await;
        if sent == Err(Ended::Stalled) {
            sending.sink.send_reset(Reason::CANCEL);
        }
        sent?;
    }
    inbox.abandon();
    if !inbox.is_over() {
        let _in_time = tokio::time::timeout(LINGER, std::future::poll_fn(|context| inbox.fill(context))).await;
    }
    Ok(())
}

/// Drops what the client still sends, until it has sent everything, stops, or goes on for too long.
async fn read_on(inbox: &Inbox) {
    let begun = Instant::now();
    while !inbox.is_over() && begun.elapsed() < LINGER {
        inbox.abandon();
        let before = inbox.received();
        let _over = tokio::time::timeout(QUIET, std::future::poll_fn(|context| inbox.fill(context))).await;
        if inbox.received() == before {
            return;
        }
    }
}

/// The sending half of a call.
struct Sending<'a> {
    sink: SendStream<Piece>,
    body: Pin<&'a mut Body>,
    inbox: &'a Inbox,
    account: Arc<Account>,
    stall_timeout: Duration,
}

impl Sending<'_> {
    /// Sends the body, frame by frame.
    async fn run(&mut self) -> Result<(), Ended> {
        loop {
            let frame = std::future::poll_fn(|context| self.poll_frame(context)).await?;
            match frame.map(http_body::Frame::into_data) {
                None => {
                    let end = Piece { bytes: Bytes::new(), _held: None };
                    return self.sink.send_data(end, true).map_err(|_| Ended::ByClient);
                }
                Some(Ok(data)) => self.send(data).await?,
                Some(Err(frame)) => {
                    let Ok(trailers) = frame.into_trailers() else { continue };
                    read_on(self.inbox).await;
                    return self.sink.send_trailers(trailers).map_err(|_| Ended::ByClient);
                }
            }
        }
    }

    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<http_body::Frame<Bytes>>, Ended>> {
        let _more = self.inbox.fill(context);
        match self.body.as_mut().poll_frame(context) {
            Poll::Ready(None) => Poll::Ready(Ok(None)),
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Ok(Some(frame))),
            // A body ends in trailers with its status; one that fails otherwise has nothing more to say.
            Poll::Ready(Some(Err(_))) => Poll::Ready(Err(Ended::ByClient)),
            Poll::Pending => self.sink.poll_reset(context).map(|_| Err(Ended::ByClient)),
        }
    }

    /// Sends data as the client's flow control lets it through.
    async fn send(&mut self, mut data: Bytes) -> Result<(), Ended> {
        let held = Arc::new(self.account.packed(data.len()));
        let (mut deadline, mut progress) = (Instant::now() + self.stall_timeout, 0);
        while !data.is_empty() {
            self.sink.reserve_capacity(data.len().min(settings::SEND_BUFFER));
            let inbox = self.inbox;
            let sink = &mut self.sink;
            let capacity = std::future::poll_fn(|context| {
                let _more = inbox.fill(context);
                match sink.capacity() {
                    0 => sink.poll_capacity(context).map(|capacity| capacity.and_then(Result::ok)),
                    capacity => Poll::Ready(Some(capacity)),
                }
            });
            let capacity = timeout_at(deadline, capacity).await.map_err(|_late| Ended::Stalled)?;
            let capacity = capacity.ok_or(Ended::ByClient)?.min(data.len());
            let piece = Piece { bytes: data.split_to(capacity), _held: Some(held.clone()) };
            self.account.piece_sent();
            self.sink.send_data(piece, false).map_err(|_| Ended::ByClient)?;
            progress += capacity;
            if progress >= PROGRESS {
                (deadline, progress) = (Instant::now() + self.stall_timeout, 0);
            }
        }
        Ok(())
    }
}
