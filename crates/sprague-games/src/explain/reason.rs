//! What every game's explanation is made of: moves, what a move leaves, and the reason for an outcome.

use super::Position;
use crate::games::end_nim;
use crate::theory::Stopped;

/// No list in an explanation gets longer; how long it would be is told beside it.
pub const LISTED: usize = 10_000;

/// A move of any game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Treblecross and darkraft: a cell, from 0 (darkraft: row * columns + column).
    Cell(u32),
    /// End-Nim: stones off an end.
    End(end_nim::Move),
}

/// A part of a position that is a game of its own: a Treblecross zone, a rectangle of a darkraft colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its cells, in increasing order.
    pub cells: Cells,
    /// Its nim-value.
    pub value: u32,
}

/// Some cells of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cells {
    /// So many in a row, from the first on.
    Run {
        /// The first cell, from 0.
        start: u32,
        /// How many.
        length: u32,
    },
    /// These.
    List(Vec<u32>),
}

impl Cells {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Cells::Run { length, .. } => *length as usize,
            Cells::List(cells) => cells.len(),
        }
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (run, list) = match self {
            Cells::Run { start, length } => (*start..start + length, &[][..]),
            Cells::List(cells) => (0..0, &cells[..]),
        };
        run.chain(list.iter().copied())
    }
}

/// What a move leaves to the opponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// The game is over, and whoever moved has won: XXX, or nothing to move with.
    Over,
    /// Treblecross: the opponent makes XXX at once, here for one.
    Exposed {
        /// The lowest such cell.
        reply: u32,
    },
    /// The part that was played in falls into these, and the whole position gets a nim-sum of its own.
    Parts {
        /// What is left of the part; none if nothing.
        parts: Vec<Part>,
        /// The nim-sum of the whole position after the move; the move wins iff it is 0.
        nim_sum: u32,
    },
    /// End-Nim: so many stones on the pile; the move wins iff they are exactly the threshold of that end.
    Stones {
        /// What is left of the pile.
        stones: u64,
        /// What loses for the player to move.
        threshold: u64,
    },
}

impl Left {
    /// Whether the move wins: the opponent loses what is left.
    pub fn wins(&self) -> bool {
        match self {
            Left::Over => true,
            Left::Exposed { .. } => false,
            Left::Parts { nim_sum, .. } => *nim_sum == 0,
            Left::Stones { stones, threshold } => stones == threshold,
        }
    }
}

/// A move and what it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// What it leaves.
    pub left: Left,
}

/// A list, or as much of it as an explanation holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The first `LISTED` of them at most.
    pub items: Vec<T>,
    /// How many there are.
    pub total: u64,
}

impl<T> Listed<T> {
    /// Holds as much as may be held.
    pub fn of(mut items: Vec<T>) -> Listed<T> {
        let total = items.len() as u64;
        items.truncate(LISTED);
        Listed { items, total }
    }
}

/// Why a position is won or lost, in its game's own terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The game is over: whoever is to move has lost.
    Over,
    /// Treblecross: these cells make XXX at once. All other moves lose: the opponent then plays one of these.
    ImmediateWin {
        /// The cells, from 0.
        cells: Listed<u32>,
    },
    /// Treblecross without an immediate win: zones that are games apart, and cells that lose at once.
    Zones {
        /// The zones, from left to right.
        zones: Listed<Part>,
        /// The empty cells within distance 2 of an X: after a move there the opponent makes XXX.
        deadly: Listed<u32>,
        /// The nim-sum of the zones; the player to move wins iff it is not 0.
        nim_sum: u32,
    },
    /// Darkraft: the cells with row + column even and those with it odd never meet, and each falls into parts.
    Colours {
        /// Even, then odd.
        colours: [Colour; 2],
    },
    /// End-Nim: the thresholds at both ends.
    Thresholds {
        /// At the first pile.
        left: Threshold,
        /// At the last pile.
        right: Threshold,
    },
    /// End-Nim: one pile is taken whole.
    OnePile,
}

/// One colour of a darkraft position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colour {
    /// Its parts, by their first cell.
    pub parts: Vec<Part>,
    /// The nim-sum of its parts.
    pub value: u32,
}

/// The one pile at an end with which the player to move loses, the others being as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// The pile that loses; 0: the others alone are lost.
    pub value: u64,
    /// The pile that is there.
    pub pile: u64,
    /// Where the threshold comes from.
    pub rule: Rule,
}

/// The rule of Albert and Nowakowski that gives a threshold.
///
/// The stretch is what lies between the ends; a pile of `near` on the side of the far end pile `x`, and a pile of `far`
/// on the side of this end, would lose with the stretch alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// There is no stretch: of two piles, equal ones lose.
    Equal,
    /// There is one, and what becomes of it depends on where the pile at the other end lies.
    Stretch {
        /// The pile at the other end.
        x: u64,
        /// What loses on this side of the stretch.
        far: u64,
        /// What loses on the side of `x`.
        near: u64,
        /// How `x` lies to them.
        case: Case,
    },
}

/// Where the pile at the other end lies, and what follows for the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// x = near: stretch and x are lost as they stand, so the threshold is 0.
    Tie,
    /// x is below both, or above both: the threshold is x.
    Outside,
    /// near <= x <= far, not near itself: the threshold is x - 1.
    Less,
    /// far <= x <= near, not near itself: the threshold is x + 1.
    More,
}

/// Why a move was not judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The rules do not allow it; the words fit behind `move K: `.
    #[error("{0}")]
    Illegal(String),
    /// The work is no longer paid for.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A game in play: what an explanation asks of each game.
pub trait Play {
    /// What a move leaves, in the position as it is.
    ///
    /// # Errors
    /// The rules do not allow the move, or `Stopped`.
    fn left_by(&self, played: Move) -> Result<Left, Refused>;

    /// Plays a move that `left_by` allows.
    ///
    /// # Errors
    /// `Stopped`.
    fn play(&mut self, played: Move) -> Result<(), Stopped>;

    /// Every winning move, in increasing order; none when the game is over.
    ///
    /// # Errors
    /// `Stopped`.
    fn winning_moves(&self) -> Result<Vec<Move>, Stopped>;

    /// The moves, in increasing order: the first `LISTED` of them at most (End-Nim: half as many an end); and their number.
    fn moves(&self) -> Listed<Move>;

    /// Why the position is won or lost.
    ///
    /// # Errors
    /// `Stopped`.
    fn reason(&self) -> Result<Reason, Stopped>;

    /// The position.
    fn position(&self) -> Position;
}
