//! Why a run did not reach the end of its file.

use std::io;

use super::feed::{Read, Tag};
use crate::client::fault;
use crate::client::lane::Failure;
use crate::judge::diagnostic::{Diagnostic, Kind};
use crate::wire::{BoardError, Reason};

/// Why a run did not reach the end of its file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The answers that are to be checked cannot be read.
    #[error("the answers cannot be read: {0}")]
    Answers(io::Error),
    /// The answers cannot be written.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// A bad case, a fault of the file, or boards that bring down servers.
    #[error("{0}")]
    Bad(Box<Diagnostic>),
    /// The servers failed.
    #[error("{0}")]
    Client(fault::Error),
}

/// What is wrong with a case whose board got this error, or whose answer was lost.
pub(super) fn of_board<T>(case: &Tag<T>, error: Option<BoardError>) -> Box<Diagnostic> {
    let error = error.unwrap_or_else(|| BoardError::new(Reason::Internal, "the answer was lost on its way"));
    let kind = if error.reason == Reason::Internal { Kind::Internal } else { Kind::Board };
    Box::new(Diagnostic { case: Some(case.number), ..Diagnostic::new(kind, case.place, error.message) })
}

impl<T> From<Failure<Read<T>>> for Error {
    fn from(Failure { error, tags }: Failure<Read<T>>) -> Error {
        let mut cases = tags.iter().flatten();
        let Some(first) = cases.next() else { return Error::Client(error) };
        let (case, message) = match cases.next_back() {
            None => (Some(first.number), error.to_string()),
            Some(last) => (None, format!("cases {} to {}: {error}", first.number, last.number)),
        };
        Error::Bad(Box::new(Diagnostic { case, ..Diagnostic::new(Kind::Internal, first.place, message) }))
    }
}
