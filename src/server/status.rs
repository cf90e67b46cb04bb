//! The statuses that end a call: the only place that builds them.

use std::collections::HashMap;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use super::SERVICE_NAME;
use super::quota::Exceeded;

/// The domain of every ErrorInfo.
const DOMAIN: &str = "sprague.v1";

/// How long a refused caller should wait: about the time in which a stream of light batches ends.
const RETRY_AFTER: Duration = Duration::from_millis(250);

fn status(code: Code, reason: &str, message: String, more: impl FnOnce(&mut ErrorDetails)) -> Status {
    let mut details = ErrorDetails::new();
    details.set_error_info(reason, DOMAIN, HashMap::new());
    more(&mut details);
    Status::with_error_details(code, message, details)
}

/// No room for a new call, or for its message.
pub(super) fn no_room(full: &Exceeded) -> Status {
    let message = format!("the server has no room: {full}; try again soon, or ask another server");
    status(Code::ResourceExhausted, "NO_ROOM", message, |details| {
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

/// A health check names a service that this server does not have.
pub(super) fn service_unknown() -> Status {
    let message = format!("this server has no such service: ask for \"\" or {SERVICE_NAME:?}");
    status(Code::NotFound, "SERVICE_UNKNOWN", message, |_| {})
}

/// The server lost the thread that answered: never an end that looks like success.
pub(super) fn internal() -> Status {
    status(Code::Internal, "INTERNAL", "the server lost this call through a fault of its own".into(), |_| {})
}
