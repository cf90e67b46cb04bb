//! The caller's deadline, from the headers of a call to the end of its stream.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::Either;
use tokio::time::{Instant, Sleep};
use tonic::body::Body;
use tonic::codegen::http::{self, HeaderMap};
use tower::Service;

use super::status;

const GRPC_TIMEOUT: &str = "grpc-timeout";

/// tonic's clients watch deadlines too, and say CANCELLED. Ours fires this much earlier, so that callers see
/// DEADLINE_EXCEEDED; tokio's timers tick once a millisecond.
const AHEAD: Duration = Duration::from_millis(3);

/// When the call that came with these headers should be over. `None`: no deadline, or one that cannot be read.
pub(super) fn of(metadata: &HeaderMap) -> Option<Instant> {
    let timeout = parse(metadata.get(GRPC_TIMEOUT)?.as_bytes())?;
    Instant::now().checked_add(timeout.saturating_sub(AHEAD))
}

/// Whether these headers have a deadline that cannot be read.
pub(super) fn is_malformed(headers: &HeaderMap) -> bool {
    headers.get_all(GRPC_TIMEOUT).iter().any(|value| parse(value.as_bytes()).is_none())
}

/// `TimeoutValue TimeoutUnit` of the gRPC protocol: at most 8 digits, then one of `H M S m u n`.
fn parse(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    if digits.is_empty() || digits.len() > 8 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    match unit {
        b'H' => Some(Duration::from_secs(value * 3600)),
        b'M' => Some(Duration::from_secs(value * 60)),
        b'S' => Some(Duration::from_secs(value)),
        b'm' => Some(Duration::from_millis(value)),
        b'u' => Some(Duration::from_micros(value)),
        b'n' => Some(Duration::from_nanos(value)),
        _ => None,
    }
}

/// Before all services: ends a call at its deadline, counted from its headers on, whether its message is there or not.
#[derive(Clone)]
pub(super) struct Punctual<S>(pub(super) S);

impl<S> Service<http::Request<Body>> for Punctual<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, InTime<S::Future>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let deadline = of(request.headers());
        let answer = self.0.call(request);
        match deadline {
            None => Either::Left(answer),
            Some(deadline) => Either::Right(InTime {
                answer: Box::pin(answer),
                overdue: Box::pin(tokio::time::sleep_until(deadline)),
            }),
        }
    }
}

/// The answer, or DEADLINE_EXCEEDED where that comes first.
pub(super) struct InTime<F> {
    answer: Pin<Box<F>>,
    overdue: Pin<Box<Sleep>>,
}

impl<F: Future<Output = Result<http::Response<Body>, E>>, E> Future for InTime<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(answer) = self.answer.as_mut().poll(context) {
            return Poll::Ready(answer);
        }
        self.overdue.as_mut().poll(context).map(|()| Ok(status::deadline_exceeded().into_http()))
    }
}

/// Sleeps until the deadline, for ever without one.
pub(super) async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_the_protocol_writes_them() {
        for (text, expected) in [
            ("1H", Some(Duration::from_secs(3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("250m", Some(Duration::from_millis(250))),
            ("7u", Some(Duration::from_micros(7))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3600))),
            ("123456789S", None),
            ("S", None),
            ("", None),
            ("+1S", None),
            ("1s", None),
            ("1é", None),
        ] {
            assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
        }
    }
}
