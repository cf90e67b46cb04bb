//! End-Nim rows: large, nearly equal or climbing piles, and lost rows by setting an end pile to its threshold.

use super::dice::Dice;
use super::order::{Bounds, Order, Span};
use crate::description::BoardWords;
use crate::kind::Kind;
use sprague_games::games::Outcome;
use sprague_games::games::end_nim::{Board, MAX_PILES, thresholds};
use sprague_games::theory::Control;

/// Small rows that known wrong methods answer wrongly, the most telling first.
const TRAPS: [&[u64]; 8] =
    [&[1, 1, 2, 2], &[3, 2, 2], &[1, 2, 2, 1], &[2, 2], &[1, 1, 1, 1], &[1, 2, 1], &[3, 2, 1, 2], &[1]];

pub(super) const BOUNDS: Bounds =
    Bounds { units: ["pile", "piles"], least: 1, most: MAX_PILES, probed: 4096, searched: None };

/// Makes rows of a span of lengths.
#[derive(Debug)]
pub(super) struct Maker {
    span: Span,
    /// No larger pile is made.
    largest: u64,
}

impl Maker {
    pub(super) fn new(words: &BoardWords, span: Span) -> Maker {
        let largest = if let BoardWords::Piles { limits, .. } = words { *limits.end() } else { u64::MAX };
        Maker { span, largest }
    }

    pub(super) fn lacks(&self, outcome: Outcome) -> Option<String> {
        let is_won = self.span.high == 1 && outcome == Outcome::SecondPlayerWins;
        is_won.then(|| "a row of one pile is won: take it all; for lost rows let --size reach 2".into())
    }

    /// A row of the kind. One that is to be lost is lost unless the other piles alone are (or want a pile that is too large).
    pub(super) fn board(&self, order: Order, dice: &mut Dice) -> Board {
        let (Span { low, high }, largest) = (self.span, self.largest);
        let mut piles = match order.kind {
            Kind::Traps => match TRAPS.get(order.turn as usize) {
                Some(trap) if order.attempt == 0 && (low..=high).contains(&(trap.len() as u64)) => trap.to_vec(),
                _ => piles(dice.between(low, high.min(low.saturating_add(8))), 4, dice),
            },
            // Two tries with the shape itself, for whose lost neighbour there may be no room; then any row of that length.
            Kind::Edges if order.attempt < 2 => edge(self.span.end(order.turn / 6), order.turn % 6, largest),
            Kind::Edges => piles(self.span.end(order.turn / 6), if dice.chance(1, 2) { largest } else { 3 }, dice),
            kind => {
                let count = dice.between(low, high);
                match kind {
                    Kind::NearEqual => {
                        let most = *dice.pick(&[2, 10, 1000, largest.saturating_sub(4).max(1)]);
                        let base = dice.between(1, most);
                        let spread = dice.between(1, 3);
                        (0..count).map(|_| base + dice.between(0, spread)).collect()
                    }
                    Kind::Staircase => staircase(count, largest, dice),
                    _ => {
                        let most = *dice.pick(&[3, 5, 10, 1000, largest]);
                        piles(count, most, dice)
                    }
                }
            }
        };
        piles.iter_mut().for_each(|pile| *pile = (*pile).min(largest));
        let is_ready = order.attempt == 0 && matches!(order.kind, Kind::Traps | Kind::Edges);
        if order.lost == Some(true) && !is_ready {
            lose(&mut piles, largest, dice);
        }
        Board::new(piles).expect("no pile is 0")
    }
}

/// Sets a pile at an end to the one size that makes the mover lose, if there is one in reach.
fn lose(piles: &mut Vec<u64>, largest: u64, dice: &mut Dice) {
    if piles.len() == 1 {
        piles.push(piles[0]);
    }
    let mirrored = dice.chance(1, 2);
    if mirrored {
        piles.reverse();
    }
    let row = Board::new(std::mem::take(piles)).expect("no pile is 0");
    let found = thresholds(&row, &Control::unlimited()).ok().flatten();
    *piles = row.into_piles();
    if let Some(found) = found.filter(|found| (1..=largest).contains(&found.left)) {
        piles[0] = found.left;
    }
    if mirrored {
        piles.reverse();
    }
}

fn piles(count: u64, largest: u64, dice: &mut Dice) -> Vec<u64> {
    (0..count).map(|_| dice.between(1, largest)).collect()
}

/// Piles that climb by 1 or 2, fall, or do one after the other.
fn staircase(count: u64, largest: u64, dice: &mut Dice) -> Vec<u64> {
    let most = *dice.pick(&[1, 3, 1000, largest.div_ceil(2)]);
    let base = dice.between(1, most);
    let step = dice.between(1, 2);
    let shape = dice.below(4);
    let turn = dice.between(0, count);
    (0..count)
        .map(|at| {
            base + step
                * match shape {
                    0 => at,
                    1 => count - 1 - at,
                    2 => at.min((2 * turn).saturating_sub(at)),
                    _ => at.abs_diff(turn),
                }
        })
        .collect()
}

/// A row at the edge of what there is.
fn edge(count: u64, which: u64, largest: u64) -> Vec<u64> {
    let alternating = |even, odd| (0..count).map(|at| if at % 2 == 0 { even } else { odd }).collect();
    match which {
        0 => vec![1; count as usize],
        1 => vec![largest; count as usize],
        2 => alternating(1, largest),
        3 => alternating(largest, (largest - 1).max(1)),
        4 => alternating(1, 2),
        _ => alternating(largest, 1),
    }
}
