//! What names a call in the log: the trace id of its `traceparent`, its `x-request-id`, or an id made for it.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tonic::codegen::http::{HeaderMap, HeaderName, HeaderValue};

/// The header of a request id, in requests and in the answers of calls that fail.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Characters of a request id at most: an UUID has 36.
const LONGEST_REQUEST_ID: usize = 64;

/// How a call is named. It has a trace id, a request id, or both.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CallId {
    /// 32 hexadecimal digits.
    trace: Option<Box<str>>,
    request: Option<RequestId>,
}

/// What a request id is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestId {
    /// The client's: printable, and not long.
    Given(HeaderValue),
    /// Unique in this process, and most likely elsewhere.
    Made(u64),
}

impl CallId {
    /// The name of a call with these headers. What is not valid in them is as if it were not there.
    pub(super) fn of(headers: &HeaderMap) -> CallId {
        let trace = only(headers, "traceparent").and_then(|value| trace_id(value.to_str().ok()?)).map(Into::into);
        let given = only(headers, REQUEST_ID.as_str()).filter(|value| is_request_id(value.as_bytes()));
        let request = match (given, &trace) {
            (Some(given), _) => Some(RequestId::Given(given.clone())),
            (None, Some(_)) => None,
            (None, None) => Some(RequestId::made()),
        };
        CallId { trace, request }
    }

    /// The trace id, if the client traces the call.
    pub(super) fn trace(&self) -> Option<&str> {
        self.trace.as_deref()
    }

    /// The request id, if there is one.
    pub(super) fn request(&self) -> Option<&RequestId> {
        self.request.as_ref()
    }

    /// Adds the request id to the headers or trailers of an answer, for whoever asks the operator about it.
    pub(super) fn add_to(&self, headers: &mut HeaderMap) {
        let value = match &self.request {
            None => return,
            Some(RequestId::Given(value)) => value.clone(),
            Some(made) => HeaderValue::try_from(made.to_string()).expect("hexadecimal digits"),
        };
        headers.insert(REQUEST_ID, value);
    }
}

impl RequestId {
    fn made() -> RequestId {
        static NEXT: LazyLock<AtomicU64> = LazyLock::new(|| RandomState::new().build_hasher().finish().into());
        RequestId::Made(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestId::Given(value) => f.write_str(value.to_str().unwrap_or_default()),
            RequestId::Made(number) => write!(f, "{number:016x}"),
        }
    }
}

/// A header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).into_iter();
    values.next().filter(|_| values.next().is_none())
}

fn is_request_id(value: &[u8]) -> bool {
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(byte);
    (1..=LONGEST_REQUEST_ID).contains(&value.len()) && value.iter().all(is_safe)
}

/// The trace id of a `traceparent` as W3C Trace Context writes it: `VERSION-TRACE-PARENT-FLAGS`, in lower case.
fn trace_id(text: &str) -> Option<&str> {
    let mut parts = text.split('-');
    let mut hexadecimal = |digits: usize| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        parts.next().filter(|part| part.len() == digits && part.bytes().all(is_digit))
    };
    let is_not_zero = |part: &&str| part.bytes().any(|byte| byte != b'0');
    let version = hexadecimal(2).filter(|version| *version != "ff")?;
    let trace = hexadecimal(32).filter(is_not_zero)?;
    let _parent = hexadecimal(16).filter(is_not_zero)?;
    let _flags = hexadecimal(2)?;
    // Later versions may add to it.
    (version != "00" || parts.next().is_none()).then_some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn id(headers: &[(&'static str, &str)]) -> CallId {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::try_from(*value).unwrap());
        }
        CallId::of(&map)
    }

    #[test]
    fn a_trace_id_is_taken_from_a_valid_traceparent_only() {
        for (text, is_valid) in [
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes", true),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes", false),
            ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
            ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
            ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", false),
            ("00-4bf92f3577b34da6a3ce929d0e0e47 6-00f067aa0ba902b7-01", false),
            ("00", false),
            ("", false),
        ] {
            assert_eq!(id(&[("traceparent", text)]).trace(), is_valid.then_some(TRACE), "{text:?}");
            assert_eq!(id(&[("traceparent", text)]).request().is_none(), is_valid, "{text:?}");
        }
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(id(&[("traceparent", valid), ("traceparent", valid)]).trace(), None);
    }

    #[test]
    fn a_request_id_is_the_clients_if_it_is_fit_for_a_log_and_made_otherwise() {
        let uuid = "7f3c1a52-90ab-4c6e-8d21-0123456789ab";
        assert_eq!(id(&[("x-request-id", uuid)]).request().unwrap().to_string(), uuid);
        for text in ["", "a b", "a\"b", "a\\u001b", "\u{e9}", &"a".repeat(65)] {
            let made = id(&[("x-request-id", text)]).request().unwrap().to_string();
            assert!(made.len() == 16 && made.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text:?}: {made}");
        }
        assert_ne!(id(&[]), id(&[]));
    }

    #[test]
    fn an_answer_carries_the_request_id() {
        let mut headers = HeaderMap::new();
        id(&[("x-request-id", "mine")]).add_to(&mut headers);
        assert_eq!(headers["x-request-id"], "mine");
        let made = id(&[]);
        made.add_to(&mut headers);
        assert_eq!(headers["x-request-id"], made.request().unwrap().to_string());
    }
}
