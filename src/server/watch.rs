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
use tracing::field::display;

use super::call_id::CallId;
use super::connection::Peer;
use super::guard::EXEMPT;
use super::meters::Meters;
use super::refusal::Refusal;

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
            let (mut head, body) = response.await?.into_parts();
            let mut answer = Answer { call, body };
            // A call that ends at once has its status here.
            answer.call.look_at(&mut head.headers);
            // Plain HTTP has no gRPC status: whoever asked does not speak gRPC.
            if head.status != StatusCode::OK {
                answer.call.end(Code::InvalidArgument, Some(Refusal::NotGrpc));
            }
            Ok(Response::from_parts(head, Body::new(answer)))
        })
    }
}

/// A call under way.
struct Call {
    meters: Arc<Meters>,
    /// `None`: no method of this server.
    path: Option<String>,
    id: CallId,
    peer: Option<Peer>,
    begun: Instant,
    asked: Asked,
    is_over: bool,
}

impl Call {
    fn begin(meters: Arc<Meters>, request: &Request<Body>) -> Call {
        let path = request.uri().path();
        meters.method(path).started.increment(1);
        let path = meters.knows(path).then(|| path.to_owned());
        let (id, peer) = (CallId::of(request.headers()), request.extensions().get::<Peer>().cloned());
        Call { meters, path, id, peer, begun: Instant::now(), asked: Asked::default(), is_over: false }
    }

    /// Ends the call if these headers or trailers have its status.
    fn look_at(&mut self, headers: &mut HeaderMap) {
        let Some(code) = headers.get(Status::GRPC_STATUS) else { return };
        let code = Code::from_bytes(code.as_bytes());
        if code == Code::Ok {
            return self.end(code, None);
        }
        let refusal = Status::from_header_map(headers).and_then(|status| Refusal::of_call(&status));
        self.id.add_to(headers);
        self.end(code, refusal);
    }

    /// Ends the call, once. Refusals are summed up; of other calls, streams and failures have a log line of their own,
    /// within bounds, unless whoever made them needs no token.
    fn end(&mut self, code: Code, refusal: Option<Refusal>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let path = self.path();
        self.meters.method(path).handled(code, self.begun.elapsed());
        let refusals = &self.meters.refusals;
        if let Some(refusal) = refusal {
            refusals.note(refusal, format_args!("{} {path}", self.peer()));
        }
        let is_stream = path.ends_with("/SolveStream") && (refusal.is_none() || self.boards() > 0);
        let is_of_interest = is_stream || (refusal.is_none() && code != Code::Ok);
        // Who needs no token has no log line of its own.
        let is_open_to_all = self.path.is_none() || path.starts_with(EXEMPT);
        if is_of_interest && !is_open_to_all && refusals.may_have_a_line() {
            self.log(code, true);
        } else {
            self.log(code, false);
            if is_of_interest {
                refusals.note_end(code, format_args!("{} {path}", self.peer()));
            }
        }
    }

    fn boards(&self) -> u64 {
        self.asked.0.load(Ordering::Relaxed)
    }

    /// One line about the call. Short calls come by the thousand: as a rule the log has them only when asked for.
    fn log(&self, code: Code, is_of_interest: bool) {
        let (peer, method, seconds) = (self.peer(), self.path(), self.begun.elapsed().as_secs_f64());
        let boards = self.boards();
        let (trace_id, request_id) = (self.id.trace().map(display), self.id.request().map(display));
        if is_of_interest {
            tracing::info!(%peer, %method, boards, seconds, ?code, trace_id, request_id, "call");
        } else {
            tracing::debug!(%peer, %method, boards, seconds, ?code, trace_id, request_id, "call");
        }
    }

    fn peer(&self) -> &str {
        self.peer.as_ref().map_or("unknown", Peer::name)
    }

    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or("unknown")
    }
}

impl Drop for Call {
    /// Dropped before its status was sent: the caller left.
    fn drop(&mut self) {
        self.end(Code::Cancelled, None);
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
        let mut frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
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
