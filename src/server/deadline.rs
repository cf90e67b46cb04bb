//! The caller's deadline, kept to by ourselves: tonic's ends with the response headers, so streams would run on.

use std::time::Duration;

use tokio::time::Instant;
use tonic::metadata::MetadataMap;

/// tonic watches unary deadlines too, and answers CANCELLED. Ours fires this much earlier, so that callers see
/// DEADLINE_EXCEEDED; tokio's timers tick once a millisecond.
const AHEAD: Duration = Duration::from_millis(3);

/// When the call that came with these headers should be over. `None`: no deadline, or one that cannot be read.
pub(super) fn of(metadata: &MetadataMap) -> Option<Instant> {
    let timeout = parse(metadata.get("grpc-timeout")?.to_str().ok()?)?;
    Instant::now().checked_add(timeout.saturating_sub(AHEAD))
}

/// `TimeoutValue TimeoutUnit` of the gRPC protocol: at most 8 digits, then one of `H M S m u n`.
fn parse(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(value * 3600)),
        "M" => Some(Duration::from_secs(value * 60)),
        "S" => Some(Duration::from_secs(value)),
        "m" => Some(Duration::from_millis(value)),
        "u" => Some(Duration::from_micros(value)),
        "n" => Some(Duration::from_nanos(value)),
        _ => None,
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
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }
}
