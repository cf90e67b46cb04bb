//! How large a board may be: by the statement, when a file is held to it, and by the server.

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

    /// Whether `size` is taken; else the limit, its value and the size. `unit` is one of what is counted: `cell`.
    pub(super) fn check(self, size: u64, unit: &str) -> Result<(), String> {
        let over = |limit, whose, how| {
            Err(format!("a board of {} is over the {whose}'s limit of {}{how}", count(size, unit), count(limit, unit)))
        };
        match self {
            Limit { statement: Some(limit), .. } if size > limit => over(limit, "statement", " (--strict)"),
            Limit { server: limit, .. } if size > limit => over(limit, "server", ""),
            _ => Ok(()),
        }
    }
}
