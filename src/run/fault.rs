//! What ends a run, or costs a case its answer, with its place in the file.

use std::fmt;
use std::io;

use super::feed::Tag;
use crate::client;
use crate::client::lane::Failure;
use crate::judge::{InputError, Place};
use crate::wire::{BoardError, Reason};

/// What is wrong with a case, or with the file: `LINE:COLUMN: case K: what is wrong`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Where.
    pub place: Place,
    /// Which case; none for a fault of the file.
    pub case: Option<u64>,
    /// What is wrong.
    pub message: String,
    /// The fault is the server's own.
    pub is_internal: bool,
}

impl Complaint {
    /// Of a case whose board got this error, or whose answer was lost.
    pub(super) fn of_board(number: u64, place: Place, error: Option<BoardError>) -> Complaint {
        let error = error.unwrap_or_else(|| BoardError::new(Reason::Internal, "the answer was lost on its way"));
        let is_internal = error.reason == Reason::Internal;
        Complaint { place, case: Some(number), message: error.message.into_owned(), is_internal }
    }
}

impl From<InputError> for Complaint {
    fn from(fault: InputError) -> Complaint {
        Complaint { place: fault.place, case: fault.case, message: fault.message, is_internal: false }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if let Some(case) = self.case {
            write!(f, "case {case}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Why a run did not reach the end of its file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The answers cannot be written.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// A bad case, or a fault of the file.
    #[error("{0}")]
    Bad(Complaint),
    /// The servers failed; with the batch at fault, if one is known.
    #[error("{}{error}", blamed.map(|blamed| blamed.to_string()).unwrap_or_default())]
    Client {
        /// How.
        error: client::fault::Error,
        /// The cases that were being answered.
        blamed: Option<Blamed>,
    },
}

/// The cases of a batch that brings down servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blamed {
    /// The place of the first.
    pub place: Place,
    /// Its number.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
}

impl fmt::Display for Blamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blamed { place, first, last } if first == last => write!(f, "{place}: case {first}: "),
            Blamed { place, first, last } => write!(f, "{place}: cases {first} to {last}: "),
        }
    }
}

impl<T> From<Failure<Tag<T>>> for Error {
    fn from(failure: Failure<Tag<T>>) -> Error {
        let mut cases = failure.tags.iter().filter_map(|tag| match *tag {
            Tag::Case { number, place, .. } => Some((number, place)),
            Tag::Bad(_) | Tag::Unread(_) => None,
        });
        let blamed = cases.next().map(|(first, place)| {
            let last = cases.next_back().map_or(first, |(last, _)| last);
            Blamed { place, first, last }
        });
        Error::Client { error: failure.error, blamed }
    }
}
