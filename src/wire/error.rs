//! Why one board has no answer, on both sides of the wire.

use std::borrow::Cow;

use super::v1;

/// Why one board has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BoardError {
    /// The kind of fault.
    pub reason: Reason,
    /// One line for people; positions in it are counted from 1.
    pub message: Cow<'static, str>,
    /// The cell or pile at fault, counted from 0.
    pub offset: Option<u32>,
}

/// The kinds of fault a board can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No game is set, or one that this version does not know.
    NoGame,
    /// A cell holds a character the game does not have.
    BadCell,
    /// Treblecross: XXX is on the board.
    AlreadyWon,
    /// Treblecross: under 3 cells.
    TooShort,
    /// Darkraft: the cells are no multiple of the columns.
    Ragged,
    /// Darkraft: no cells.
    Empty,
    /// End-Nim: a pile of 0.
    PileZero,
    /// More cells, rows or columns than the server takes.
    TooManyCells,
    /// More piles than the server takes.
    TooManyPiles,
    /// The work would pass, or passed, the budget for one board.
    OverBudget,
    /// A fault of the server's own.
    Internal,
    /// Explain: a move that the rules do not allow, or too many.
    BadMove,
    /// The answer is longer than a message may be; in a batch, beside the answers to its other boards.
    TooLong,
}

impl BoardError {
    /// An error without a place on the board.
    pub fn new(reason: Reason, message: impl Into<Cow<'static, str>>) -> BoardError {
        BoardError { reason, message: message.into(), offset: None }
    }
}

impl From<BoardError> for v1::BoardError {
    fn from(error: BoardError) -> v1::BoardError {
        v1::BoardError {
            reason: v1::Reason::from(error.reason).into(),
            message: error.message.into_owned(),
            offset: error.offset,
        }
    }
}

impl From<v1::BoardError> for BoardError {
    fn from(error: v1::BoardError) -> BoardError {
        BoardError { reason: error.reason().into(), message: error.message.into(), offset: error.offset }
    }
}

impl From<Reason> for v1::Reason {
    fn from(reason: Reason) -> v1::Reason {
        match reason {
            Reason::NoGame => v1::Reason::NoGame,
            Reason::BadCell => v1::Reason::BadCell,
            Reason::AlreadyWon => v1::Reason::AlreadyWon,
            Reason::TooShort => v1::Reason::TooShort,
            Reason::Ragged => v1::Reason::Ragged,
            Reason::Empty => v1::Reason::Empty,
            Reason::PileZero => v1::Reason::PileZero,
            Reason::TooManyCells => v1::Reason::TooManyCells,
            Reason::TooManyPiles => v1::Reason::TooManyPiles,
            Reason::OverBudget => v1::Reason::OverBudget,
            Reason::Internal => v1::Reason::Internal,
            Reason::BadMove => v1::Reason::BadMove,
            Reason::TooLong => v1::Reason::TooLong,
        }
    }
}

impl From<v1::Reason> for Reason {
    /// A reason of a newer server is taken for `Internal`; its message still says what it is.
    fn from(reason: v1::Reason) -> Reason {
        match reason {
            v1::Reason::NoGame => Reason::NoGame,
            v1::Reason::BadCell => Reason::BadCell,
            v1::Reason::AlreadyWon => Reason::AlreadyWon,
            v1::Reason::TooShort => Reason::TooShort,
            v1::Reason::Ragged => Reason::Ragged,
            v1::Reason::Empty => Reason::Empty,
            v1::Reason::PileZero => Reason::PileZero,
            v1::Reason::TooManyCells => Reason::TooManyCells,
            v1::Reason::TooManyPiles => Reason::TooManyPiles,
            v1::Reason::OverBudget => Reason::OverBudget,
            v1::Reason::Internal | v1::Reason::Unspecified => Reason::Internal,
            v1::Reason::BadMove => Reason::BadMove,
            v1::Reason::TooLong => Reason::TooLong,
        }
    }
}
