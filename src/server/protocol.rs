//! Holds requests to the gRPC protocol, and sees to it that every status carries an ErrorInfo.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::TryFutureExt as _;
use futures_util::future::{Either, MapOk};
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::header::{ALLOW, CONTENT_TYPE, HeaderName};
use tonic::codegen::http::{HeaderValue, Method, Request, Response, StatusCode};
use tower::{Layer, Service};

use super::{deadline, status};

const GRPC_ENCODING: &str = "grpc-encoding";

/// Before all services, and behind what counts calls: it changes statuses.
#[derive(Clone)]
pub(super) struct ProtocolLayer;

impl<S> Layer<S> for ProtocolLayer {
    type Service = Protocol<S>;

    fn layer(&self, inner: S) -> Protocol<S> {
        Protocol(inner)
    }
}

/// Services that see only what the protocol allows.
#[derive(Clone)]
pub(super) struct Protocol<S>(S);

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for Protocol<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future =
        Either<MapOk<S::Future, fn(Response<Body>) -> Response<Body>>, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match refusal(&request) {
            None => Either::Left(self.0.call(request).map_ok(with_error_info as fn(_) -> _)),
            Some(refusal) => Either::Right(ready(Ok(refusal))),
        }
    }
}

/// The answer to a request that is no gRPC call, or a call that no service takes: one that is compressed, or whose deadline
/// cannot be read. To take that for no deadline would let the call run on when its client has given up.
fn refusal(request: &Request<Body>) -> Option<Response<Body>> {
    let headers = request.headers();
    if request.method() != Method::POST {
        return Some(not_grpc(request, StatusCode::METHOD_NOT_ALLOWED, ALLOW, "POST"));
    }
    if !headers.get(CONTENT_TYPE).is_some_and(|value| is_grpc(value.as_bytes())) {
        let accepted = HeaderName::from_static("accept-post");
        return Some(not_grpc(
            request,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            accepted,
            "application/grpc, application/grpc+proto",
        ));
    }
    if deadline::is_malformed(headers) {
        return Some(status::bad_timeout().into_http());
    }
    let is_compressed = headers.get(GRPC_ENCODING).is_some_and(|value| value != "identity");
    is_compressed.then(|| {
        let mut refusal = status::compressed().into_http();
        refusal.headers_mut().insert("grpc-accept-encoding", HeaderValue::from_static("identity"));
        refusal
    })
}

/// Whether a content type is gRPC with protobuf messages. Like all media types it may be written in any case, and may
/// have parameters.
fn is_grpc(content_type: &[u8]) -> bool {
    let essence = content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    essence.eq_ignore_ascii_case(b"application/grpc") || essence.eq_ignore_ascii_case(b"application/grpc+proto")
}

/// An answer to a client that does not speak gRPC, in plain HTTP.
fn not_grpc(request: &Request<Body>, status: StatusCode, header: HeaderName, accepted: &'static str) -> Response<Body> {
    let body = match *request.method() {
        Method::HEAD => Body::empty(),
        _ => Body::new("this is a gRPC server: send POST with the content type application/grpc\n".to_owned()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header, HeaderValue::from_static(accepted));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Has the status of a response carry an ErrorInfo, wherever it stands.
fn with_error_info(mut response: Response<Body>) -> Response<Body> {
    if response.headers().contains_key(Status::GRPC_STATUS) {
        status::add_error_info(response.headers_mut());
        return response;
    }
    response.map(|body| Body::new(WithErrorInfo(body)))
}

/// A body whose trailers have the status.
struct WithErrorInfo(Body);

impl http_body::Body for WithErrorInfo {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut frame = ready!(Pin::new(&mut self.0).poll_frame(context));
        if let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            status::add_error_info(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protobuf_messages_in_grpc_are_the_only_content() {
        for (content_type, expected) in [
            ("application/grpc", true),
            ("application/grpc+proto", true),
            ("Application/GRPC", true),
            ("application/grpc;charset=utf-8", true),
            ("application/grpc+proto ; a=b", true),
            ("application/grpc+json", false),
            ("application/grpc-web", false),
            ("application/grpc-web+proto", false),
            ("application/grpcx", false),
            ("application/json", false),
            ("application/x-protobuf", false),
            ("text/plain; application/grpc", false),
            ("", false),
        ] {
            assert_eq!(is_grpc(content_type.as_bytes()), expected, "{content_type:?}");
        }
    }
}
