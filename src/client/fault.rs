//! What can go wrong between client and server, and which of it is worth another try.

use std::error::Error as _;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::message::count;
use crate::units::show_duration;

/// Why a run ended without all its answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Every server failed for as long as the caller was willing to try again.
    #[error("no server answered for {}{}{last}", show_duration(*.tried), if last.is_empty() { "" } else { ": " })]
    Unreachable {
        /// How long was tried.
        tried: Duration,
        /// The last fault, with the name of its server; empty if no attempt came to an end.
        last: String,
    },
    /// The caller's own time limit passed.
    #[error("the run was not over after {}", show_duration(*.0))]
    TimedOut(Duration),
    /// Streams broke again and again, always while the same batch was being answered.
    #[error("the connection broke {} while the same boards were being answered: {last}", count(u64::from(*times), "time"))]
    Poison {
        /// How often.
        times: u32,
        /// The last fault, with the name of its server.
        last: String,
    },
    /// The server does not let us in.
    #[error("{server} does not let this client in: {message}")]
    NotAllowed {
        /// Its name.
        server: String,
        /// What it said.
        message: String,
    },
    /// The server is not the one that its name promises.
    #[error("{server} cannot be trusted: {what}")]
    Untrusted {
        /// Its name.
        server: String,
        /// What is wrong with its certificate.
        what: String,
    },
    /// Something else than a server of gRPC answers there, or one that is to be spoken to in another way.
    #[error("{server}: {advice}")]
    NotGrpc {
        /// Its name.
        server: String,
        /// What it is, by the looks of it, and what to write.
        advice: &'static str,
    },
    /// The server refused a call for good.
    #[error("{server} refused the call: {message}")]
    Refused {
        /// Its name.
        server: String,
        /// What it said.
        message: String,
    },
    /// The server does not keep to the protocol.
    #[error("{server} does not keep to the protocol: {what}")]
    Protocol {
        /// Its name.
        server: String,
        /// What it did.
        what: String,
    },
    /// Whoever fed boards, or waited for answers, went away.
    #[error("the run was given up")]
    Abandoned,
}

/// One failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Worth another try, no sooner than `after`.
    Passing { what: String, after: Option<Duration>, blame: Blame },
    /// Not worth another try.
    Lasting(Error),
}

/// Whether what was being answered may be what broke the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// The server said that the reason lies with itself.
    Server,
    /// The stream broke without a reason.
    Unknown,
}

impl Fault {
    /// A fault of the connection: the stream broke.
    pub(super) fn broken(server: &str, what: &str) -> Fault {
        Fault::Passing { what: format!("{server}: {what}"), after: None, blame: Blame::Unknown }
    }

    /// A server that cannot be used now.
    pub(super) fn unfit(server: &str, what: &str) -> Fault {
        Fault::Passing { what: format!("{server}: {what}"), after: None, blame: Blame::Server }
    }

    /// A server that breaks the rules.
    pub(super) fn protocol(server: &str, what: String) -> Fault {
        Fault::Lasting(Error::Protocol { server: server.into(), what })
    }

    /// Sorts a status. Only UNAVAILABLE, and RESOURCE_EXHAUSTED with a RetryInfo, pass by themselves.
    ///
    /// A status that tonic made of a transport error has that error as its source, whatever its code (a killed peer
    /// comes as UNKNOWN, INTERNAL or CANCELLED); one that a server sent has none.
    ///
    /// `broke`: why the connection broke, where that is known better.
    pub(super) fn of(server: &str, status: &Status, broke: Option<String>) -> Fault {
        if status.source().is_some() {
            let (what, connecting) = cause(status);
            let what = broke.unwrap_or(what);
            let server_name = server.to_owned();
            if what.contains(BAD_CERTIFICATE) {
                return Fault::Lasting(Error::Untrusted { server: server_name, what });
            }
            if REFUSED_IN_HANDSHAKE.iter().any(|alert| what.contains(alert)) {
                return Fault::Lasting(Error::NotAllowed { server: server_name, message: what });
            }
            if let Some((_, advice)) = WRONG_PROTOCOL.iter().find(|(sign, _)| what.contains(sign)) {
                return Fault::Lasting(Error::NotGrpc { server: server_name, advice });
            }
            return if connecting { Fault::unfit(server, &what) } else { Fault::broken(server, &what) };
        }
        let message = if status.message().is_empty() { "no message" } else { status.message() };
        let said = format!("{message} ({})", code_name(status.code()));
        let passing = |after, blame| Fault::Passing { what: format!("{server}: {said}"), after, blame };
        let server = server.to_owned();
        let retry_after = status.get_details_retry_info().map(|info| info.retry_delay.unwrap_or_default());
        match (status.code(), retry_after) {
            // A proxy without a backend, a server that drains or gave up a stream that stood still.
            (Code::Unavailable, after) => {
                let named = status.get_details_error_info().is_some();
                passing(after, if named { Blame::Server } else { Blame::Unknown })
            }
            (Code::ResourceExhausted, Some(after)) => passing(Some(after), Blame::Server),
            (Code::Unauthenticated | Code::PermissionDenied, _) => {
                Fault::Lasting(Error::NotAllowed { server, message: said })
            }
            (Code::Unimplemented, _) => {
                let message = format!("it does not offer sprague.v1.SpragueService; is this a spragued? {said}");
                Fault::Lasting(Error::Refused { server, message })
            }
            _ => Fault::Lasting(Error::Refused { server, message: said }),
        }
    }
}

/// How rustls says that it does not believe the server. Errors reach us through h2 as text.
const BAD_CERTIFICATE: &str = "invalid peer certificate";

/// How rustls says that the server does not believe us: the alerts of TLS about a client's certificate, and about what it
/// offers. DecryptError is the authority that has the right name and another key, UnsupportedCertificate a certificate that
/// is not for clients, HandshakeFailure what servers of TLS 1.2 say where they miss a certificate.
const REFUSED_IN_HANDSHAKE: [&str; 13] = [
    "received fatal alert: CertificateRequired",
    "received fatal alert: BadCertificate",
    "received fatal alert: UnsupportedCertificate",
    "received fatal alert: UnknownCA",
    "received fatal alert: CertificateExpired",
    "received fatal alert: CertificateRevoked",
    "received fatal alert: CertificateUnknown",
    "received fatal alert: AccessDenied",
    "received fatal alert: DecryptError",
    "received fatal alert: HandshakeFailure",
    "received fatal alert: InsufficientSecurity",
    "received fatal alert: ProtocolVersion",
    "received fatal alert: UnrecognizedName",
];

/// What h2 and rustls say when the other side speaks something else.
const WRONG_PROTOCOL: [(&str, &str); 3] = [
    // The first bytes of HTTP/1 and of TLS read as the length of a frame that is too long.
    (
        "frame with invalid size",
        "what answers there does not speak gRPC in the clear; if it speaks TLS, write https://",
    ),
    ("corrupt message of type InvalidContentType", "what answers there does not speak TLS; leave https:// out"),
    (
        "received fatal alert: NoApplicationProtocol",
        "what answers there speaks TLS and not HTTP/2, which gRPC needs; is this the port of a spragued?",
    ),
];

/// What went wrong at the bottom (the outer layers of a transport error only say that something did), and whether it
/// was in connecting, when nothing was being answered yet.
fn cause(status: &Status) -> (String, bool) {
    let mut link = status.source();
    let mut connecting = false;
    while let Some(error) = link {
        connecting |= error.is::<tonic::ConnectError>();
        link = error.source();
    }
    let text = root(status).to_string();
    (if text.is_empty() { status.message().to_owned() } else { text }, connecting)
}

/// The error below all others.
pub(super) fn root<'a>(error: &'a (dyn std::error::Error + 'static)) -> &'a (dyn std::error::Error + 'static) {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest
}

/// The code as the protocol spells it.
fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use tonic_types::ErrorDetails;

    #[test]
    fn only_what_passes_by_itself_is_tried_again() {
        let pause = Duration::from_millis(70);
        let with = |code, details: ErrorDetails| Status::with_error_details(code, "m", details);
        let retry_info = ErrorDetails::with_retry_info(Some(pause));
        let draining = ErrorDetails::with_error_info("DRAINING", "sprague.v1", HashMap::new());
        let mut cut = Status::internal("h2 protocol error");
        cut.set_source(std::sync::Arc::new(std::io::Error::from(std::io::ErrorKind::ConnectionReset)));
        for (status, expected) in [
            (Status::unavailable("m"), Some((None, Blame::Unknown))),
            (with(Code::Unavailable, draining), Some((None, Blame::Server))),
            (with(Code::ResourceExhausted, retry_info), Some((Some(pause), Blame::Server))),
            (cut, Some((None, Blame::Unknown))),
            (Status::resource_exhausted("m"), None),
            (Status::internal("m"), None),
            (Status::unknown("m"), None),
            (Status::cancelled("m"), None),
            (Status::invalid_argument("m"), None),
            (Status::deadline_exceeded("m"), None),
            (Status::unauthenticated("m"), None),
        ] {
            let found = match Fault::of("s", &status, None) {
                Fault::Passing { after, blame, .. } => Some((after, blame)),
                Fault::Lasting(_) => None,
            };
            assert_eq!(found, expected, "{status:?}");
        }
    }

    #[test]
    fn being_kept_out_is_told_apart_from_being_refused() {
        let lasting = |status| match Fault::of("s", &status, None) {
            Fault::Lasting(error) => error,
            Fault::Passing { what, .. } => panic!("{what}"),
        };
        assert!(matches!(lasting(Status::permission_denied("m")), Error::NotAllowed { .. }));
        assert!(matches!(lasting(Status::unauthenticated("m")), Error::NotAllowed { .. }));
        let refused = lasting(Status::out_of_range("too long")).to_string();
        assert_eq!(refused, "s refused the call: too long (OUT_OF_RANGE)");
        let lost = lasting(Status::unimplemented("")).to_string();
        assert!(lost.contains("is this a spragued?"), "{lost}");
    }
}
