//! Asks every call for a bearer token before anything else sees it. Health checks are exempt, reflection is not.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use tonic::body::Body;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};

use super::credentials::Access;
use super::quota::PeerId;
use super::status;

/// Probes and proxies carry no token, and learn nothing but whether the server serves.
pub(super) const EXEMPT: &str = "/grpc.health.v1.Health/";

/// Stands before all services of a server.
#[derive(Clone)]
pub(super) struct Guard(pub(super) Arc<Access>);

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { access: self.0.clone(), inner }
    }
}

/// The services behind a guard.
#[derive(Clone)]
pub(super) struct Guarded<S> {
    access: Arc<Access>,
    inner: S,
}

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for Guarded<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let tokens = self.access.tokens.as_ref().filter(|_| !request.uri().path().starts_with(EXEMPT));
        let Some(tokens) = tokens else { return Either::Left(self.inner.call(request)) };
        let refusal = match request.headers().get(AUTHORIZATION).map(|value| bearer(value.as_bytes())) {
            Some(Some(token)) if tokens.knows(token) => {
                let peer = PeerId::token(token);
                request.extensions_mut().insert(peer);
                return Either::Left(self.inner.call(request));
            }
            Some(Some(_)) => status::unauthenticated("TOKEN_UNKNOWN", "the bearer token is not one of this server's"),
            Some(None) | None => status::unauthenticated(
                "TOKEN_MISSING",
                "this server asks for a bearer token: `authorization: Bearer TOKEN`",
            ),
        };
        Either::Right(ready(Ok(refusal.into_http())))
    }
}

/// The token of `Bearer TOKEN`; the scheme's name may be written in any case.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_after_the_word_bearer() {
        for (value, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer abc", Some("abc")),
            ("Bearer ", Some("")),
            ("Bearer", None),
            ("Basic abc", None),
            ("abc", None),
            ("", None),
        ] {
            assert_eq!(bearer(value.as_bytes()), token.map(str::as_bytes), "{value:?}");
        }
    }
}
