//! How large a board may be: by the statement, when a file is held to it, and by the server.

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

    /// Whether `size` is taken; else the limit, its value and the size. `unit` is a plural: `cells`.
    pub(super) fn check(self, size: u64, unit: &str) -> Result<(), String> {
        match self {
            Limit { statement: Some(limit), .. } if size > limit => {
                Err(format!("a board of {size} {unit} is over the statement's limit of {limit} {unit} (--strict)"))
            }
            Limit { server: limit, .. } if size > limit => {
                Err(format!("a board of {size} {unit} is over the server's limit of {limit} {unit}"))
            }
            _ => Ok(()),
        }
    }
}
