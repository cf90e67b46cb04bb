//! Takes a call's place on the server as its headers come, before anything of its body is held, or refuses it at once.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};

use super::account::{Account, Class};
use super::quota::PeerId;
use super::status;

/// Stands right before the services. Holds what is set when the server drains.
#[derive(Clone)]
pub(super) struct AdmissionLayer(pub(super) CancellationToken);

impl<S> Layer<S> for AdmissionLayer {
    type Service = Admission<S>;

    fn layer(&self, inner: S) -> Admission<S> {
        Admission { drain: self.0.clone(), inner }
    }
}

/// The services behind admission.
#[derive(Clone)]
pub(super) struct Admission<S> {
    drain: CancellationToken,
    inner: S,
}

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for Admission<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match self.admit(&request) {
            Ok(()) => Either::Left(self.inner.call(request)),
            Err(refusal) => Either::Right(ready(Ok(refusal.into_http()))),
        }
    }
}

impl<S> Admission<S> {
    fn admit(&self, request: &Request<Body>) -> Result<(), tonic::Status> {
        // A method that nobody has is refused by the services, without a place.
        let Some(class) = Class::of(request.uri().path()) else { return Ok(()) };
        if matches!(class, Class::Stream | Class::Call) && self.drain.is_cancelled() {
            return Err(status::draining());
        }
        let Some(account) = request.extensions().get::<Arc<Account>>() else { return Ok(()) };
        account.admit(class, request.extensions().get::<PeerId>().copied()).map_err(|full| status::no_room(&full))
    }
}
