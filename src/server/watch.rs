//! Watches every call from its headers to its status: counts it, times it, and logs who asked for how much.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Request, Response, StatusCode};
use tonic::{Code, Status};
use tower::{Layer, Service};

use super::connection::Peer;
use super::meters::Meters;

/// The boards that a call asked for, counted by the service.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked(Arc<AtomicU64>);

impl Asked {
    pub(super) fn add(&self, boards: usize) {
        self.0.fetch_add(boards as u64, Ordering::Relaxed);
    }
}

/// Stands before everything else.
#[derive(Clone)]
pub(super) struct Watch(pub(super) Arc<Meters>);

impl<S> Layer<S> for Watch {
    type Service = Watched<S>;

    fn layer(&self, inner: S) -> Watched<S> {
        Watched { meters: self.0.clone(), inner }
    }
}

/// The services that are watched.
#[derive(Clone)]
pub(super) struct Watched<S> {
    meters: Arc<Meters>,
    inner: S,
}

impl<S> Service<Request<Body>> for Watched<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let call = Call::begin(self.meters.clone(), &request);
        request.extensions_mut().insert(call.asked.clone());
        let response = self.inner.call(request);
        Box::pin(async move {
            let (head, body) = response.await?.into_parts();
            let mut answer = Answer { call, body };
            // A call that ends at once has its status here.
            answer.call.look_at(&head.headers);
            // Plain HTTP has no gRPC status: whoever asked does not speak gRPC.
            if head.status != StatusCode::OK {
                answer.call.end(Code::InvalidArgument);
            }
            Ok(Response::from_parts(head, Body::new(answer)))
        })
    }
}

/// A call under way.
struct Call {
    meters: Arc<Meters>,
    path: String,
    peer: Option<Peer>,
    begun: Instant,
    asked: Asked,
    is_over: bool,
}

impl Call {
    fn begin(meters: Arc<Meters>, request: &Request<Body>) -> Call {
        let path = request.uri().path();
        meters.method(path).started.increment(1);
        let (path, peer) = (path.to_owned(), request.extensions().get::<Peer>().cloned());
        Call { meters, path, peer, begun: Instant::now(), asked: Asked::default(), is_over: false }
    }

    /// Ends the call if these headers or trailers have its status.
    fn look_at(&mut self, headers: &HeaderMap) {
        if let Some(status) = headers.get(Status::GRPC_STATUS) {
            self.end(Code::from_bytes(status.as_bytes()));
        }
    }

    fn end(&mut self, code: Code) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let time = self.begun.elapsed();
        let method = self.meters.method(&self.path);
        method.handled(code, time);
        let peer = self.peer.as_ref().map_or("unknown", Peer::name);
        let (boards, seconds) = (self.asked.0.load(Ordering::Relaxed), time.as_secs_f64());
        // Short calls come by the thousand: the log has those that went wrong, and all of them when asked for.
        if self.path.ends_with("/SolveStream") || code != Code::Ok {
            tracing::info!(%peer, method = %self.path, boards, seconds, ?code, "call");
        } else {
            tracing::debug!(%peer, method = %self.path, boards, seconds, ?code, "call");
        }
    }
}

impl Drop for Call {
    /// Dropped before its status was sent: the caller left.
    fn drop(&mut self) {
        self.end(Code::Cancelled);
    }
}

/// A body whose trailers are looked at as they pass.
struct Answer {
    call: Call,
    body: Body,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            self.call.look_at(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
