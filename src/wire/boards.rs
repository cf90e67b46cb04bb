//! Boards held to the sizes that a server takes.

use super::error::{BoardError, Reason};
use crate::message::count;

/// A size of a board by one of what it counts.
type Unit = (&'static str, u64);

/// Holds the size of a board to the limits, the last one first: a row of too many columns before too many rows.
pub(super) fn within<const N: usize>(size: [Unit; N], limit: [Unit; N], reason: Reason) -> Result<(), BoardError> {
    for ((unit, size), (_, limit)) in size.into_iter().zip(limit).rev() {
        if size > limit {
            let are = if size == 1 { "is" } else { "are" };
            let (size, limit) = (count(size, unit), count(limit, unit));
            return Err(BoardError::new(reason, format!("{size} {are} more than the server's limit of {limit}")));
        }
    }
    Ok(())
}
