//! One board to be made: of which kind, size and outcome.

use std::fmt;

use crate::kind::Kind;

/// One board to be made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    /// Its kind.
    pub kind: Kind,
    /// How many of the kind came before: lists of known boards go by it.
    pub turn: u64,
    /// How many boards made for this place were turned down.
    pub attempt: u64,
    /// It is to be lost (true), won (false), or as it comes.
    pub lost: Option<bool>,
}

/// The sizes of boards that a game's maker has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// What they count: one of it, and several.
    pub units: [&'static str; 2],
    /// The smallest.
    pub least: u64,
    /// The largest.
    pub most: u64,
    /// Boards up to this are cheap enough to look, before anything is written, whether what is asked for can be had.
    pub probed: u64,
    /// The largest that are searched for, where boards with one winning move are.
    pub searched: Option<u64>,
}

/// The smallest and the largest board that is asked for: cells, rows and columns each, or piles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub low: u64,
    pub high: u64,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low == self.high {
            true => write!(f, "{}", self.low),
            false => write!(f, "{} to {}", self.low, self.high),
        }
    }
}

impl Span {
    /// A size at the ends of the span: the lowest, the highest, then one further in, and so on around.
    pub(super) fn end(self, turn: u64) -> u64 {
        let inwards = turn / 2 % ((self.high - self.low) / 2 + 1);
        if turn.is_multiple_of(2) { self.low + inwards } else { self.high - inwards }
    }
}
