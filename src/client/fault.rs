//! What can go wrong between client and server, and which of it is worth another try.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use tokio_rustls::rustls::{self, AlertDescription, InvalidMessage};
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
    pub(super) fn of(server: &str, status: &Status, broke: Option<io::Error>) -> Fault {
        if let Some(source) = status.source() {
            return Fault::of_transport(server, status, source, broke.as_ref());
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

    fn of_transport(
        server: &str,
        status: &Status,
        source: &(dyn StdError + 'static),
        broke: Option<&io::Error>,
    ) -> Fault {
        let broke = broke.map(|error| error as &(dyn StdError + 'static));
        let what = Some(root(broke.unwrap_or(source)).to_string()).filter(|what| !what.is_empty());
        let what = what.unwrap_or_else(|| status.message().to_owned());
        let sign = broke.into_iter().chain([source]).flat_map(chain).find_map(sign);
        let name = server.to_owned();
        match sign {
            Some(Sign::Untrusted) => Fault::Lasting(Error::Untrusted { server: name, what }),
            Some(Sign::NotAllowed) => Fault::Lasting(Error::NotAllowed { server: name, message: what }),
            Some(Sign::NotGrpc(advice)) => Fault::Lasting(Error::NotGrpc { server: name, advice }),
            // Nothing was being answered yet.
            None if chain(source).any(|error| error.is::<tonic::ConnectError>()) => Fault::unfit(server, &what),
            None => Fault::broken(server, &what),
        }
    }
}

/// What an error of the transport says for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// We do not believe the server.
    Untrusted,
    /// The server does not believe us.
    NotAllowed,
    /// The other side speaks something else; what to write.
    NotGrpc(&'static str),
}

fn sign(error: &(dyn StdError + 'static)) -> Option<Sign> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return match error {
            rustls::Error::InvalidCertificate(_) => Some(Sign::Untrusted),
            rustls::Error::AlertReceived(alert) => sign_of_alert(*alert),
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
                Some(Sign::NotGrpc("what answers there does not speak TLS; leave https:// out"))
            }
            _ => None,
        };
    }
    // The first bytes of HTTP/1 and of TLS read as the length of a frame that is too long.
    let is_no_frame = |error: &h2::Error| !error.is_remote() && error.reason() == Some(h2::Reason::FRAME_SIZE_ERROR);
    error.downcast_ref().is_some_and(is_no_frame).then_some(Sign::NotGrpc(
        "what answers there does not speak gRPC in the clear; if it speaks TLS, write https://",
    ))
}

fn sign_of_alert(alert: AlertDescription) -> Option<Sign> {
    match alert {
        AlertDescription::NoApplicationProtocol => Some(Sign::NotGrpc(
            "what answers there speaks TLS and not HTTP/2, which gRPC needs; is this the port of a spragued?",
        )),
        // About a client's certificate, and about what it offers.
        AlertDescription::CertificateRequired
        | AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateUnknown
        | AlertDescription::AccessDenied
        | AlertDescription::InsufficientSecurity
        | AlertDescription::ProtocolVersion
        | AlertDescription::UnrecognisedName
        // The certificate is not for clients.
        | AlertDescription::UnsupportedCertificate
        // The authority has the right name and another key.
        | AlertDescription::DecryptError
        // What servers of TLS 1.2 say where they miss a certificate.
        | AlertDescription::HandshakeFailure => Some(Sign::NotAllowed),
        _ => None,
    }
}

/// An error and those below it, with what an `io::Error` carries, which is none of its sources.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(carried) => Some(carried),
        None => error.source(),
    })
}

/// The error below all others: the outer ones of a transport only say that something went wrong.
pub(super) fn root<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    chain(error).last().unwrap_or(error)
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

    #[test]
    fn errors_of_tls_are_known_by_their_type_wherever_they_stand() {
        use rustls::{AlertDescription as Alert, CertificateError, Error as Tls};
        let wrapped = |error: Tls| io::Error::new(io::ErrorKind::InvalidData, error);
        let of = |source: io::Error, broke| {
            let mut status = Status::unknown("transport error");
            status.set_source(std::sync::Arc::new(io::Error::other(source)));
            match Fault::of("s", &status, broke) {
                Fault::Lasting(Error::Untrusted { .. }) => "untrusted",
                Fault::Lasting(Error::NotAllowed { .. }) => "not allowed",
                Fault::Lasting(Error::NotGrpc { .. }) => "not gRPC",
                Fault::Passing { .. } => "passing",
                Fault::Lasting(error) => panic!("{error}"),
            }
        };
        for (error, expected) in [
            (Tls::InvalidCertificate(CertificateError::UnknownIssuer), "untrusted"),
            (Tls::AlertReceived(Alert::CertificateRequired), "not allowed"),
            (Tls::AlertReceived(Alert::UnrecognisedName), "not allowed"),
            (Tls::AlertReceived(Alert::NoApplicationProtocol), "not gRPC"),
            (Tls::InvalidMessage(InvalidMessage::InvalidContentType), "not gRPC"),
            (Tls::AlertReceived(Alert::InternalError), "passing"),
            (Tls::HandshakeNotComplete, "passing"),
        ] {
            assert_eq!(of(wrapped(error.clone()), None), expected, "{error:?}");
            let closed = || io::Error::other("connection closed");
            assert_eq!(of(closed(), Some(wrapped(error.clone()))), expected, "{error:?}");
            // Words alone are no reason to give up.
            assert_eq!(of(io::Error::other(error.to_string()), None), "passing", "{error:?}");
        }
    }
}
