//! How large a board may be: by the statement, when a file is held to it, and by the server.

use super::diagnostic::{Diagnostic, Kind, Place};
use sprague_games::message::count;

/// The largest size that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    /// The statement's, when the file is held to it.
    pub statement: Option<u64>,
    /// The server's.
    pub server: u64,
}

impl Limit {
    /// The larger of two sizes is never taken, so no more than this is worth holding.
    pub(super) fn largest(self) -> u64 {
        self.statement.map_or(self.server, |statement| statement.min(self.server))
    }

    /// Whether a board of `size` at `place` is taken; else the limit, its value and the size. `unit` is one of what is
    /// counted: `cell`.
    pub(super) fn check(self, size: u64, unit: &str, place: Place) -> Result<(), Diagnostic> {
        let (limit, whose, kind) = match self {
            Limit { statement: Some(limit), .. } if size > limit => (limit, "statement", Kind::Limit),
            Limit { server: limit, .. } if size > limit => (limit, "server", Kind::Input),
            _ => return Ok(()),
        };
        let (size, limit) = (count(size, unit), count(limit, unit));
        let message = format!("a board of {size} is over the {whose}'s limit of {limit}");
        Err(Diagnostic::new(kind, place, message))
    }
}
