//! The statuses that end a call: the only place that builds them.

use std::collections::HashMap;
use std::time::Duration;

use tonic::codegen::http::HeaderMap;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use super::quota::Exceeded;
use crate::wire::v1::sprague_service_server::SERVICE_NAME;

/// The domain of every ErrorInfo.
const DOMAIN: &str = "sprague.v1";

/// The reason of a refusal that may be taken back soon.
pub(super) const NO_ROOM: &str = "NO_ROOM";

/// What ErrorInfo's metadata call the limit that is in the way.
const LIMIT: &str = "limit";

/// How long a refused caller should wait: about the time in which a stream of light batches ends.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// The codes from 0 on, as the metrics of other gRPC servers spell them.
pub(super) const CODES: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

fn status(code: Code, reason: &str, message: String, more: impl FnOnce(&mut ErrorDetails)) -> Status {
    let mut details = ErrorDetails::new();
    details.set_error_info(reason, DOMAIN, HashMap::new());
    more(&mut details);
    Status::with_error_details(code, message, details)
}

/// The reason of a status that is built here, and the limit that it met, if it says so.
pub(super) fn reason(status: &Status) -> Option<(String, Option<String>)> {
    let mut info = status.get_details_error_info()?;
    Some((info.reason, info.metadata.remove(LIMIT)))
}

/// No room for a new call, or for its message.
pub(super) fn no_room(full: &Exceeded) -> Status {
    let message = format!("the server has no room: {full}; try again soon, or ask another server");
    status(Code::ResourceExhausted, NO_ROOM, message, |details| {
        details.set_error_info(NO_ROOM, DOMAIN, HashMap::from([(LIMIT.to_owned(), full.limit_name())]));
        details.set_retry_info(Some(RETRY_AFTER));
    })
}

/// A request message is longer than this server takes.
pub(super) fn message_too_long(bytes: u64, limit: u64) -> Status {
    let message =
        format!("the message has {bytes} bytes, more than message_bytes = {limit}; send fewer boards at once");
    status(Code::OutOfRange, "MESSAGE_TOO_LONG", message, |_| {})
}

/// The request is not a message of its method.
pub(super) fn bad_message(message: String) -> Status {
    status(Code::InvalidArgument, "BAD_MESSAGE", message, |_| {})
}

/// The request is compressed.
pub(super) fn compressed() -> Status {
    let message = "this server takes no compressed messages: send them as they are (grpc-encoding identity)";
    status(Code::Unimplemented, "COMPRESSED", message.into(), |_| {})
}

/// No service has this method.
pub(super) fn unimplemented() -> Status {
    status(Code::Unimplemented, "METHOD_NOT_KNOWN", "this server does not know the method".into(), |_| {})
}

/// The server is going away.
pub(super) fn draining() -> Status {
    let message = "the server is draining; what it had read is answered, send the rest to another server".into();
    status(Code::Unavailable, "DRAINING", message, |details| {
        details.set_retry_info(Some(RETRY_AFTER));
    })
}

/// The client neither sent nor took anything for `after`.
pub(super) fn stalled(after: Duration) -> Status {
    let message = format!("the stream stood still for {} s (limit stall_timeout); open it again", after.as_secs_f32());
    status(Code::Unavailable, "STALLED", message, |_| {})
}

/// The caller's own deadline passed.
pub(super) fn deadline_exceeded() -> Status {
    status(Code::DeadlineExceeded, "DEADLINE", "the call's deadline passed".into(), |_| {})
}

/// One batch has too many boards.
pub(super) fn too_many_boards(batch_id: u64, boards: usize, limit: u32) -> Status {
    let message = format!("batch {batch_id} has {boards} boards, more than boards_per_batch = {limit}");
    status(Code::InvalidArgument, "TOO_MANY_BOARDS", message.clone(), |details| {
        details.add_bad_request_violation("boards", message);
    })
}

/// The caller did not say who it is, or nobody that this server knows.
pub(super) fn unauthenticated(reason: &str, message: &str) -> Status {
    status(Code::Unauthenticated, reason, message.into(), |_| {})
}

/// The header `grpc-timeout` cannot be read. What a client got wrong is INVALID_ARGUMENT here, although servers differ: some
/// say INTERNAL, some ignore it.
pub(super) fn bad_timeout() -> Status {
    let message = "grpc-timeout is not a valid timeout: write up to 8 digits and one of H M S m u n, as in 250m";
    status(Code::InvalidArgument, "BAD_TIMEOUT", message.into(), |details| {
        details.add_bad_request_violation("grpc-timeout", message);
    })
}

/// A health check names a service that this server does not have.
pub(super) fn service_unknown() -> Status {
    let message = format!("this server has no such service: ask for \"\" or {SERVICE_NAME:?}");
    status(Code::NotFound, "SERVICE_UNKNOWN", message, |_| {})
}

/// Puts a status with ErrorInfo in the place of one without. Statuses without are tonic's: it cannot read the request, as
/// a rule, and calls that INTERNAL; our own come with details.
pub(super) fn add_error_info(headers: &mut HeaderMap) {
    if headers.contains_key(Status::GRPC_STATUS_DETAILS) {
        return;
    }
    let Some(found) = Status::from_header_map(headers) else { return };
    let text = found.message();
    let told = match found.code() {
        Code::Ok => return,
        Code::OutOfRange => status(Code::OutOfRange, "MESSAGE_TOO_LONG", text.into(), |_| {}),
        Code::Unimplemented => unimplemented(),
        Code::Internal | Code::Unknown => {
            bad_message(format!("the bytes are not a valid request of this call: {text}"))
        }
        code => status(code, &capitals(code), text.into(), |_| {}),
    };
    if let Err(error) = told.add_header(headers) {
        tracing::error!(%error, "a status cannot be sent with its details");
    }
}

/// A code as gRPC writes it: NOT_FOUND.
fn capitals(code: Code) -> String {
    let name = format!("{code:?}");
    let separated = name.char_indices().flat_map(|(at, letter)| {
        let separator = (at > 0 && letter.is_ascii_uppercase()).then_some('_');
        separator.into_iter().chain([letter.to_ascii_uppercase()])
    });
    separated.collect()
}

/// The server lost the thread that answered: never an end that looks like success.
pub(super) fn internal() -> Status {
    status(Code::Internal, "INTERNAL", "the server lost this call through a fault of its own".into(), |_| {})
}
