//! Metrics and health over plain HTTP, for what does not speak gRPC: `/metrics` and `/healthz`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tonic::body::Body;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{Method, Request, Response, StatusCode};
use tower::service_fn;

use super::meters::Meters;

/// Times that came in are summed up this often, so that they do not pile up while nobody reads them.
const UPKEEP: Duration = Duration::from_secs(5);

/// Who reads metrics opens one connection, or two.
const CONNECTIONS: usize = 32;

/// A request's headers must be there after this long.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Answers whoever comes to the listener, for as long as the future is polled.
pub async fn serve(listener: TcpListener, meters: Arc<Meters>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut upkeep = tokio::time::interval(UPKEEP);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = upkeep.tick() => {
                meters.upkeep();
                continue;
            }
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        let meters = meters.clone();
        tokio::spawn(async move {
            let service = hyper_util::service::TowerToHyperService::new(service_fn(move |request: Request<_>| {
                let response = answer(request.method(), request.uri().path(), &meters);
                async move { Ok::<_, Infallible>(response) }
            }));
            let mut http = Builder::new(TokioExecutor::new()).http1_only();
            http.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
            if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!(%peer, %error, "a connection for metrics ended");
            }
            drop(place);
        });
    }
}

fn answer(method: &Method, path: &str, meters: &Meters) -> Response<Body> {
    let (status, kind, text) = match (method, path) {
        (&Method::GET | &Method::HEAD, "/metrics") => (StatusCode::OK, "text/plain; version=0.0.4", meters.page()),
        (&Method::GET | &Method::HEAD, "/healthz") if meters.is_serving() => {
            (StatusCode::OK, "text/plain", "SERVING\n".into())
        }
        (&Method::GET | &Method::HEAD, "/healthz") => {
            (StatusCode::SERVICE_UNAVAILABLE, "text/plain", "NOT_SERVING\n".into())
        }
        (_, "/metrics" | "/healthz") => (StatusCode::METHOD_NOT_ALLOWED, "text/plain", "GET or HEAD\n".into()),
        _ => (StatusCode::NOT_FOUND, "text/plain", "here are /metrics and /healthz\n".into()),
    };
    let mut response = Response::new(Body::new(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind.parse().expect("a header value"));
    response
}
