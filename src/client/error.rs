//! Why a client has no answer.

use std::io;

use super::fault;
use super::target::BadTarget;
use crate::wire::BoardError;

/// Why a client has no answer: for one board, or at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One board, or a move on it, has no answer; others are not affected.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The servers failed for as long as was tried, or one for good.
    #[error(transparent)]
    Call(#[from] fault::Error),
    /// An address is not valid, or cannot be used with the credentials.
    #[error(transparent)]
    Address(#[from] BadTarget),
    /// There is no server to ask.
    #[error("no server is named; name one as HOST:PORT, https://HOST:PORT or unix:/PATH")]
    NoServer,
    /// A bearer token must be printable ASCII without spaces.
    #[error("the bearer token is empty, or has characters other than printable ASCII")]
    Token,
    /// The server in this process cannot be started.
    #[error("the embedded server cannot be started: {0}")]
    Start(#[source] io::Error),
}

impl Error {
    /// Whether it is one board's own: the run goes on, and the same call may be made for another board.
    pub fn is_of_one_board(&self) -> bool {
        matches!(self, Error::Board(_))
    }
}
