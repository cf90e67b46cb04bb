//! The gRPC protocol to the letter, by requests that no generated client sends.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as _, Frame};
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Method, Request, StatusCode};
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};
use tower::ServiceExt as _;

use crate::support::*;

const SOLVE: &str = "/sprague.v1.SpragueService/Solve";
const SOLVE_STREAM: &str = "/sprague.v1.SpragueService/SolveStream";
const INFO: &str = "/sprague.v1.SpragueService/GetServerInfo";
const CHECK: &str = "/grpc.health.v1.Health/Check";
const WATCH: &str = "/grpc.health.v1.Health/Watch";
const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const REFLECTION_V1ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

const METHODS: [&str; 7] = [SOLVE, SOLVE_STREAM, INFO, CHECK, WATCH, REFLECTION, REFLECTION_V1ALPHA];

/// A message of no bytes with its prefix.
const EMPTY: &str = "\0\0\0\0\0";

/// What came back: trailers are among the headers.
struct Got {
    /// What it answers.
    what: String,
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Got {
    /// The code and the details of a gRPC response.
    fn details(&self) -> (Code, ErrorDetails) {
        assert_eq!(self.status, StatusCode::OK);
        let status = Status::from_header_map(&self.headers).expect("a gRPC status");
        assert_ne!(status.code(), Code::Ok, "{:?}, {:?}", self.what, self.body);
        let length: usize =
            ["grpc-message", "grpc-status-details-bin"].map(|name| self.headers[name].len()).iter().sum();
        assert!(length <= 4096, "a status of {length} bytes");
        assert!(!status.message().is_empty());
        (status.code(), status.get_error_details())
    }

    /// The code and the reason of a gRPC response that failed.
    fn reason(&self) -> (Code, String) {
        let (code, details) = self.details();
        let info = details.error_info().expect("an ErrorInfo");
        assert_eq!(info.domain, "sprague.v1");
        (code, info.reason.clone())
    }
}

async fn send(channel: &Channel, request: Request<Body>) -> Got {
    let what = format!("{} {} {:?}", request.method(), request.uri(), request.headers());
    let answer = async {
        let (head, mut body) = channel.clone().oneshot(request).await.unwrap().into_parts();
        let mut got = Got { what: what.clone(), status: head.status, headers: head.headers, body: Vec::new() };
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            match frame.unwrap().into_data() {
                Ok(data) => got.body.extend_from_slice(&data),
                Err(frame) => got.headers.extend(frame.into_trailers().unwrap()),
            }
        }
        got
    };
    tokio::time::timeout(Duration::from_secs(10), answer).await.unwrap_or_else(|_| panic!("no end: {what}"))
}

/// A request with these headers and this body.
fn request(method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(format!("http://test{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::new(body.to_owned())).unwrap()
}

/// A gRPC call with one more header.
fn call(path: &str, header: (&str, &str), body: &str) -> Request<Body> {
    request(Method::POST, path, &[("content-type", "application/grpc"), ("te", "trailers"), header], body)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_grpc_is_answered_in_plain_http() {
    let served = Served::games().await;
    let channel = served.channel().await;
    let grpc = Some("application/grpc");
    let media = ("accept-post", "application/grpc, application/grpc+proto");
    let post = ("allow", "POST");
    for path in METHODS.into_iter().chain(["/", "/healthz", "/sprague.v1.SpragueService/Nothing"]) {
        for (method, content_type, status, (name, value)) in [
            (Method::GET, None, 405, post),
            (Method::GET, grpc, 405, post),
            (Method::HEAD, None, 405, post),
            (Method::PUT, grpc, 405, post),
            (Method::OPTIONS, None, 405, post),
            (Method::DELETE, grpc, 405, post),
            (Method::POST, None, 415, media),
            (Method::POST, Some(""), 415, media),
            (Method::POST, Some("application/json"), 415, media),
            (Method::POST, Some("application/proto"), 415, media),
            (Method::POST, Some("application/grpc-web"), 415, media),
            (Method::POST, Some("application/grpc-web+proto"), 415, media),
            (Method::POST, Some("application/grpc+json"), 415, media),
        ] {
            let what = format!("{method} {path} {content_type:?}");
            let headers: Vec<_> = content_type.iter().map(|value| ("content-type", *value)).collect();
            let body = if method == Method::POST { EMPTY } else { "" };
            let is_head = method == Method::HEAD;
            let got = send(&channel, request(method, path, &headers, body)).await;
            assert_eq!(got.status, status, "{what}");
            assert_eq!(got.headers[name], value, "{what}");
            assert!(got.headers.keys().all(|name| !name.as_str().starts_with("grpc-")), "{what}: {:?}", got.headers);
            assert_eq!(got.headers["content-type"], "text/plain; charset=utf-8", "{what}");
            let text = "this is a gRPC server: send POST with the content type application/grpc\n";
            assert_eq!(String::from_utf8(got.body).unwrap(), if is_head { "" } else { text }, "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protobuf_may_be_named_in_the_content_type() {
    let served = Served::games().await;
    let channel = served.channel().await;
    for content_type in ["application/grpc", "application/grpc+proto", "Application/Grpc", "application/grpc; a=b"] {
        for path in [SOLVE, INFO, CHECK] {
            let got = send(&channel, request(Method::POST, path, &[("content-type", content_type)], EMPTY)).await;
            assert_eq!(got.status, StatusCode::OK);
            assert_eq!(got.headers["content-type"], "application/grpc");
            assert_eq!(got.headers["grpc-status"], "0", "{content_type}, {path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_that_cannot_be_read_is_not_taken_for_none() {
    let served = Served::games().await;
    let channel = served.channel().await;
    for timeout in ["", "S", "1", "1s", "1x", "1 S", "1SS", "-1S", "+1S", "1.5S", "1e3m", "123456789S", "0x1S", "1é"] {
        for path in METHODS {
            let got = send(&channel, call(path, ("grpc-timeout", timeout), EMPTY)).await;
            assert_eq!(got.reason(), (Code::InvalidArgument, "BAD_TIMEOUT".into()), "{timeout:?}, {path}");
            let details = got.details().1;
            assert_eq!(details.bad_request().unwrap().field_violations[0].field, "grpc-timeout");
        }
    }
    for timeout in ["1S", "99999999H", "10000000u", "00000002S", "5M"] {
        for path in [SOLVE, INFO, CHECK] {
            let got = send(&channel, call(path, ("grpc-timeout", timeout), EMPTY)).await;
            assert_eq!(got.headers["grpc-status"], "0", "{timeout:?}, {path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failed_call_has_its_reason_and_none_is_the_servers_fault() {
    let served = Served::games().await;
    let channel = served.channel().await;
    let plain = ("x-nothing", "");
    let long_name = "x".repeat(5000);
    let bad = (Code::InvalidArgument, "BAD_MESSAGE");
    let compressed = (Code::Unimplemented, "COMPRESSED");
    for path in METHODS {
        for (header, body, (code, reason)) in [
            // Bytes that are no message: a field that announces more than there is, a group that ends nowhere, field 0.
            (plain, "\0\0\0\0\x03\x0a\x7f\x01", bad),
            (plain, "\0\0\0\0\x01\x04", bad),
            (plain, "\0\0\0\0\x02\x00\x01", bad),
            // Compressed without a name of how; flags that do not exist.
            (plain, "\x01\0\0\0\0", bad),
            (plain, "\x07\0\0\0\0", bad),
            // Half a prefix, half a message.
            (plain, "\0\0\0", bad),
            (plain, "\0\0\0\0\x09abc", bad),
            (("grpc-encoding", "gzip"), "\x01\0\0\0\0", compressed),
            (("grpc-encoding", "zstd"), EMPTY, compressed),
            (("grpc-encoding", &long_name), EMPTY, compressed),
            (plain, "\0\x7f\x7f\x7f\x7f", (Code::OutOfRange, "MESSAGE_TOO_LONG")),
        ] {
            let got = send(&channel, call(path, header, body)).await;
            assert_eq!(got.reason(), (code, reason.into()), "{path}, {header:?}, {body:?}");
        }
    }
    for path in [SOLVE, INFO, CHECK, WATCH] {
        let got = send(&channel, call(path, plain, "")).await;
        assert_eq!(got.reason(), (bad.0, bad.1.into()), "{path} without a message");
    }
    for path in ["/sprague.v1.SpragueService/Nothing", "/sprague.v1.SpragueService", "/a.Service/Solve", "/"] {
        let got = send(&channel, call(path, plain, EMPTY)).await;
        assert_eq!(got.reason(), (Code::Unimplemented, "METHOD_NOT_KNOWN".into()), "{path}");
    }
    let refused = send(&channel, call(SOLVE, ("grpc-encoding", "gzip"), EMPTY)).await;
    assert_eq!(refused.headers["grpc-accept-encoding"], "identity");
    let plain_by_name = send(&channel, call(SOLVE, ("grpc-encoding", "identity"), EMPTY)).await;
    assert_eq!(plain_by_name.headers["grpc-status"], "0");
    let unknown = send(&channel, call(CHECK, plain, "\0\0\0\0\x03\x0a\x01a")).await;
    assert_eq!(unknown.reason(), (Code::NotFound, "SERVICE_UNKNOWN".into()));
}

/// A body that begins and never goes on.
struct Begun(Option<Bytes>);

impl http_body::Body for Begun {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match self.0.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            None => Poll::Pending,
        }
    }
}

/// A call to a method whose body stands still after `body`, given up after a while.
pub(crate) async fn leave_in_the_middle(channel: &Channel, path: &str, body: &'static [u8]) {
    let call = call(path, ("x-nothing", ""), "").map(|_| Body::new(Begun(Some(Bytes::from_static(body)))));
    let left = tokio::time::timeout(Duration::from_millis(100), channel.clone().oneshot(call)).await;
    assert!(left.is_err(), "{path}: answered");
}

/// Calls of Solve that go wrong through their client's doing: six.
pub(crate) async fn go_wrong(channel: &Channel) {
    for body in ["", "\0\0\0", "\x07\0\0\0\0", "\0\0\0\0\x03\x0a\x7f\x01"] {
        assert_eq!(send(channel, call(SOLVE, ("x-nothing", ""), body)).await.reason().0, Code::InvalidArgument);
    }
    let json = request(Method::POST, SOLVE, &[("content-type", "application/json")], "{}");
    assert_eq!(send(channel, json).await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    leave_in_the_middle(channel, SOLVE, b"\0\0\0\0\x09abc").await;
}
