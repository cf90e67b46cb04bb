//! The kinds of boards that test files have, by name.

use std::fmt;

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
