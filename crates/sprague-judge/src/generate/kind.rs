//! The kinds of boards by name, and which of them a format has.

use std::fmt;

use crate::Format;
use sprague_games::games::Game;

/// What a board is to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Boards that known wrong methods answer wrongly.
    Traps,
    /// The smallest and the largest, the fullest and the emptiest.
    Edges,
    /// Anything.
    Random,
    /// Treblecross: many X, short zones; darkraft: mostly X, whose nim-values are large.
    Dense,
    /// Treblecross: few X, long zones; darkraft: few X, long waves.
    Sparse,
    /// End-Nim: piles that differ by little.
    NearEqual,
    /// End-Nim: rows that climb, fall, or both.
    Staircase,
    /// Boards with exactly one winning first move.
    OneWin,
    /// A blank line after the last case, which is none.
    BlankEnd,
}

impl Kind {
    /// Every kind, in the order in which sets have them.
    pub const ALL: [Kind; 9] = [
        Kind::Traps,
        Kind::Edges,
        Kind::Random,
        Kind::Dense,
        Kind::Sparse,
        Kind::NearEqual,
        Kind::Staircase,
        Kind::OneWin,
        Kind::BlankEnd,
    ];

    /// The kinds that a format has.
    pub fn of(format: Format) -> Vec<Kind> {
        let kinds: &[Kind] = match (format, format.game()) {
            (Format::Poj3537, _) => &[Kind::Traps, Kind::Edges, Kind::Random],
            (Format::Gdoi2016, _) => {
                &[Kind::Traps, Kind::Edges, Kind::Random, Kind::Dense, Kind::Sparse, Kind::OneWin, Kind::BlankEnd]
            }
            (_, Game::Treblecross | Game::Darkraft) => {
                &[Kind::Traps, Kind::Edges, Kind::Random, Kind::Dense, Kind::Sparse, Kind::OneWin]
            }
            (_, Game::EndNim) => {
                &[Kind::Traps, Kind::Edges, Kind::Random, Kind::NearEqual, Kind::Staircase, Kind::OneWin]
            }
        };
        kinds.to_vec()
    }

    /// The kind's name on the command line and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Traps => "traps",
            Kind::Edges => "edges",
            Kind::Random => "random",
            Kind::Dense => "dense",
            Kind::Sparse => "sparse",
            Kind::NearEqual => "near-equal",
            Kind::Staircase => "staircase",
            Kind::OneWin => "one-win",
            Kind::BlankEnd => "blank-end",
        }
    }

    /// What the kind is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Kind::Traps => "boards that known wrong methods answer wrongly",
            Kind::Edges => "the smallest and the largest, the fullest and the emptiest",
            Kind::Random => "anything",
            Kind::Dense => "Treblecross: many X, short zones; darkraft: mostly X, large nim-values",
            Kind::Sparse => "Treblecross: few X, long zones; darkraft: few X, long waves",
            Kind::NearEqual => "End-Nim: piles that differ by little",
            Kind::Staircase => "End-Nim: rows that climb, fall, or both",
            Kind::OneWin => "exactly one winning first move",
            Kind::BlankEnd => "gdoi2016: a blank line after the last case, which is none",
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
