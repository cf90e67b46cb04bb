//! Why connections and calls are refused, by the reasons and limits that logs and metrics name.

use tonic::Status;

use super::quota::Exceeded;
use super::status;

/// What is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Connection,
    /// A connection whose handshake fails.
    Tls,
    Call,
}

impl What {
    /// Its value of the metric's label.
    pub(super) const fn label(self) -> &'static str {
        match self {
            What::Connection => "connection",
            What::Tls => "tls",
            What::Call => "call",
        }
    }

    pub(super) fn name(self, count: u64) -> &'static str {
        match (self, count) {
            (What::Connection, 1) => "connection",
            (What::Connection, _) => "connections",
            (What::Tls, 1) => "TLS handshake",
            (What::Tls, _) => "TLS handshakes",
            (What::Call, 1) => "call",
            (What::Call, _) => "calls",
        }
    }
}

/// Defines `Refusal`: a variant a line, with what is refused and the reason's name in logs and metrics.
macro_rules! refusals {
    ($($(#[$doc:meta])+ $name:ident = $what:ident $reason:literal,)+) => {
        /// Why a connection or a call is refused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Refusal {
            $($(#[$doc])+ $name,)+
        }

        impl Refusal {
            pub(super) const ALL: &[Refusal] = &[$(Refusal::$name),+];

            pub(super) const fn parts(self) -> (What, &'static str) {
                match self { $(Refusal::$name => (What::$what, $reason),)+ }
            }
        }
    };
}

refusals! {
    /// As many connections are open as the server may have.
    Connections = Connection "NO_ROOM_CONNECTIONS",
    /// One client has as many connections as one may have.
    ConnectionsOfClient = Connection "NO_ROOM_CONNECTIONS_OF_CLIENT",
    /// The budget of memory has no room for another connection.
    ConnectionMemory = Connection "NO_ROOM_MEMORY",
    /// One client's part of the budget has no room for another connection.
    ConnectionMemoryOfClient = Connection "NO_ROOM_MEMORY_OF_CLIENT",
    /// The system did not let the server accept a connection.
    NotAccepted = Connection "NOT_ACCEPTED",
    /// HTTP/2's preface did not come in time.
    NoPreface = Connection "NO_PREFACE",
    /// What came is not HTTP/2.
    NotHttp2 = Connection "NOT_HTTP2",
    /// The client did not read its socket for too long.
    NotRead = Connection "NOT_READ",
    /// The client sent too many frames that carry neither a call nor data.
    Flood = Connection "FLOOD",
    /// The TLS handshake failed.
    TlsHandshake = Tls "HANDSHAKE",
    /// The TLS handshake took too long.
    TlsTimeout = Tls "TIMEOUT",
    /// The call has no bearer token.
    TokenMissing = Call "TOKEN_MISSING",
    /// The call's bearer token is not one of the server's.
    TokenUnknown = Call "TOKEN_UNKNOWN",
    /// As many unary calls are in progress as the server may have.
    Calls = Call "NO_ROOM_CALLS",
    /// One client has as many unary calls in progress as one may have.
    CallsOfClient = Call "NO_ROOM_CALLS_OF_CLIENT",
    /// As many streams are open as the server may have.
    Streams = Call "NO_ROOM_STREAMS",
    /// One client has as many streams open as one may have.
    StreamsOfClient = Call "NO_ROOM_STREAMS_OF_CLIENT",
    /// As many health checks are in progress as the server may have.
    Checks = Call "NO_ROOM_HEALTH_CHECKS",
    /// One client has as many health checks in progress as one may have.
    ChecksOfClient = Call "NO_ROOM_HEALTH_CHECKS_OF_CLIENT",
    /// As many health watches and reflection streams are open as the server may have.
    Watches = Call "NO_ROOM_HEALTH_WATCHES_AND_REFLECTION_STREAMS",
    /// One client has as many health watches and reflection streams open as one may have.
    WatchesOfClient = Call "NO_ROOM_HEALTH_WATCHES_AND_REFLECTION_STREAMS_OF_CLIENT",
    /// The budget of memory has no room for the call.
    Memory = Call "NO_ROOM_MEMORY",
    /// One client's part of the budget has no room for the call.
    MemoryOfClient = Call "NO_ROOM_MEMORY_OF_CLIENT",
    /// A message is longer than the server takes.
    MessageTooLong = Call "MESSAGE_TOO_LONG",
    /// A batch has more boards than the server takes.
    TooManyBoards = Call "TOO_MANY_BOARDS",
    /// The request is not a message of its method.
    BadMessage = Call "BAD_MESSAGE",
    /// The request is compressed.
    Compressed = Call "COMPRESSED",
    /// `grpc-timeout` cannot be read.
    BadTimeout = Call "BAD_TIMEOUT",
    /// The client neither sent nor took anything for too long.
    Stalled = Call "STALLED",
    /// The client did not take its answer, and the call was reset.
    NotTaken = Call "NOT_TAKEN",
    /// The server drains.
    Draining = Call "DRAINING",
    /// No service of the server has the method.
    MethodNotKnown = Call "METHOD_NOT_KNOWN",
    /// A health check names a service that the server does not have.
    ServiceUnknown = Call "SERVICE_UNKNOWN",
    /// The request is not one of gRPC.
    NotGrpc = Call "NOT_GRPC",
    /// `:authority` is not valid, and HTTP/2 reset the stream before the server saw the request.
    Authority = Call "AUTHORITY",
    /// Another header of HTTP/2 is not valid, with the same effect.
    Headers = Call "HEADERS",
}

impl Refusal {
    /// Why a call with this status was refused. `None`: it was not refused.
    pub(super) fn of_call(status: &Status) -> Option<Refusal> {
        let (reason, limit) = status::reason(status)?;
        Refusal::named(What::Call, &reason, limit.as_deref())
    }

    /// Why a connection is refused that there is no room for.
    pub(super) fn of_connection(full: &Exceeded) -> Option<Refusal> {
        Refusal::named(What::Connection, status::NO_ROOM, Some(&full.limit_name()))
    }

    fn named(what: What, reason: &str, limit: Option<&str>) -> Option<Refusal> {
        let limit = limit.map(|limit| format!("_{}", limit.to_ascii_uppercase().replace(' ', "_")));
        let name = format!("{reason}{}", limit.unwrap_or_default());
        Refusal::ALL.iter().copied().find(|refusal| refusal.parts() == (what, &name))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::quota::Resource;
    use super::*;

    #[test]
    fn every_limit_that_a_call_or_connection_meets_has_a_reason() {
        for resource in [Resource::Streams, Resource::Calls, Resource::Checks, Resource::Watches, Resource::OpenBytes] {
            for by_peer in [false, true] {
                let full = Exceeded { resource, limit: 7, by_peer };
                assert!(Refusal::of_call(&status::no_room(&full)).is_some(), "{full:?}");
            }
        }
        for resource in [Resource::Connections, Resource::OpenBytes] {
            for by_peer in [false, true] {
                let full = Exceeded { resource, limit: 7, by_peer };
                assert!(Refusal::of_connection(&full).is_some(), "{full:?}");
            }
        }
        let stalled = status::stalled(Duration::from_secs(1));
        assert_eq!(Refusal::of_call(&stalled), Some(Refusal::Stalled));
        assert_eq!(Refusal::of_call(&status::deadline_exceeded()), None);
        assert_eq!(Refusal::of_call(&Status::internal("without details")), None);
    }

    #[test]
    fn every_reason_has_a_counter_of_its_own() {
        let mut made = std::collections::BTreeSet::new();
        for refusal in Refusal::ALL {
            let (what, reason) = refusal.parts();
            assert!(made.insert((what.label(), reason)), "{refusal:?}");
            assert_eq!(Refusal::ALL[*refusal as usize], *refusal);
        }
    }
}
