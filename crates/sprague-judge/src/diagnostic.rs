//! What is wrong with a file, and where: readers, validator, checker and runs say it in one type.

use std::fmt;
use std::io;

/// A place in a file. Columns are bytes; a byte order mark is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The byte within the line, from 1; 0 for the line as a whole.
    pub column: u64,
}

impl Place {
    /// A line as a whole.
    pub fn line(line: u64) -> Place {
        Place { line, column: 0 }
    }

    /// The place `bytes` further right on the same line.
    pub(super) fn right(self, bytes: u64) -> Place {
        Place { column: self.column + bytes, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}", self.line),
            column => write!(f, "{}:{column}", self.line),
        }
    }
}

/// A fault of a file. It is shown as `LINE:COLUMN: case K: what is wrong`, without `case K: ` when it is one of the whole
/// file; whoever knows the file's name puts it in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub place: Place,
    /// The case that is at fault, or has no answer for it; none for a fault of the file (a bad T, text after the last case).
    pub case: Option<u64>,
    /// What kind of fault it is.
    pub kind: Kind,
    /// What is wrong and what would be right. It names no program and no flag: who has them adds them, by the kind.
    pub message: String,
    /// Nothing behind it can be read, or compared.
    pub is_last: bool,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Of an input: it is not written in the words of its format, or a board is not valid, or larger than the servers take.
    Input,
    /// Of an input: it is over a limit of the statement to which it is held (`Options::strict`).
    Limit,
    /// Of an input: it is not what the statement promises to the byte (`validate`).
    Layout,
    /// Of a board: the server does not solve it.
    Board,
    /// Of a server: the case would have an answer.
    Internal,
    /// Of an answer: it is wrong.
    WrongAnswer,
    /// Of an answer: it says that the first player wins, and every move loses.
    NoWinningMove,
    /// Of an answer: it is right and not laid out as it should be.
    Presentation,
}

impl Diagnostic {
    /// A fault of no case, which is not the last.
    pub fn new(kind: Kind, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place, case: None, kind, message: message.into(), is_last: false }
    }

    /// An input that cannot be read as one of its format.
    pub(super) fn input(place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Input, place, message)
    }

    /// The same fault, with nothing behind it that can be read.
    pub(super) fn last(self) -> Diagnostic {
        Diagnostic { is_last: true, ..self }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if let Some(case) = self.case {
            write!(f, "case {case}: ")?;
        }
        let (before, behind) = match self.kind {
            Kind::WrongAnswer | Kind::NoWinningMove => ("wrong answer: ", ""),
            Kind::Presentation => ("presentation: ", ""),
            Kind::Input | Kind::Limit if self.is_last && self.case.is_some() => {
                ("", "; no case after this one can be read")
            }
            Kind::Input | Kind::Limit | Kind::Layout | Kind::Board | Kind::Internal => ("", ""),
        };
        write!(f, "{before}{}{behind}", self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Why a reader has no case to give.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source failed; nothing follows.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is at fault. In a box, which keeps the results of reading small.
    #[error(transparent)]
    Input(Box<Diagnostic>),
}

impl From<Diagnostic> for ReadError {
    fn from(fault: Diagnostic) -> ReadError {
        ReadError::Input(Box::new(fault))
    }
}
