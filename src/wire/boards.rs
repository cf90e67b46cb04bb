//! Boards held to the sizes that a server takes.

use super::error::{BoardError, Reason};
use crate::message::count;

/// A size of a board by one of what it counts.
type Unit = (&'static str, u64);

/// Holds the size of a board to the limits, the last one first: a row of too many columns before too many rows.
#[inline(always)] // once a board: nothing of the names is looked at where a board fits
pub(super) fn within<const N: usize>(size: [Unit; N], limit: [Unit; N], reason: Reason) -> Result<(), BoardError> {
    for at in (0..N).rev() {
        if size[at].1 > limit[at].1 {
            return Err(too_large(size[at], limit[at].1, reason));
        }
    }
    Ok(())
}

#[cold]
fn too_large((unit, size): Unit, limit: u64, reason: Reason) -> BoardError {
    let are = if size == 1 { "is" } else { "are" };
    let (size, limit) = (count(size, unit), count(limit, unit));
    BoardError::new(reason, format!("{size} {are} more than the server's limit of {limit}"))
}
