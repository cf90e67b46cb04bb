//! End-Nim: a row of piles; a move takes stones from the pile at either end; who cannot move loses.
//!
//! **Rules.** A player takes one stone or more from the leftmost or the rightmost pile. A pile that is used up is gone,
//! and its neighbour becomes the end. The player without a move loses. (M. H. Albert and R. J. Nowakowski, *The Game of
//! End-Nim*, Electronic Journal of Combinatorics 8(2), 2001.)
//!
//! **Method.** For each stretch of piles there is exactly one pile `l` that, put on its left, makes the mover lose, and
//! exactly one pile `r` on its right; both are 0 if the stretch itself is lost. A stretch of one pile has itself for
//! both. Let a stretch have `l` and `r`, and put a pile `x` on its right: the new `l` is 0 if `x = r`; `x` if `x` lies
//! below both or above both; else one less than `x` if `r < l`, one more if `l < r`. The new `r` when `x` comes on the
//! left is the mirror image. The first player wins a row iff its first pile is not the `l` of the others; the winning
//! move at an end leaves the threshold of the others where that is less than is there, so there is at most one at each
//! end. All this is Albert's and Nowakowski's.
//!
//! **Cost.** Their rule asks for every stretch, about half the square of the number of piles. Here a row takes one pass: a
//! stretch acts on its surroundings through a few numbers, which `stretch.rs` follows and proves. No formula is known
//! for nim-values of whole rows.

mod plain;
mod stretch;

use crate::theory::{Control, Stopped};
use plain::grow;
use stretch::Stretch;

/// The most piles a service should take in one row: they are solved faster than they are read, in a few milliseconds.
/// `solve` itself has no limit.
pub const MAX_PILES: u64 = 1_000_000;

/// The game's name on the wire and the command line.
pub const NAME: &str = "end-nim";

/// What a board is called in a sentence.
pub const A_BOARD: &str = "an End-Nim row";

size! {
    /// Piles.
    piles: "pile", MAX_PILES;
}

/// A row of piles, left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    // Invariant: no pile is 0. The row may be empty.
    piles: Vec<u64>,
}

/// Why something is no row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A pile has no stones.
    #[error("pile {} is empty: leave empty piles out", at + 1)]
    PileZero {
        /// The pile's place, from 0.
        at: u32,
    },
}

impl Board {
    /// A row of piles of one stone or more; no piles are a lost row.
    ///
    /// # Errors
    /// `PileZero` names the first pile of 0.
    pub fn new(piles: Vec<u64>) -> Result<Board, Fault> {
        match piles.iter().position(|&pile| pile == 0) {
            Some(at) => Err(Fault::PileZero { at: u32::try_from(at).unwrap_or(u32::MAX) }),
            None => Ok(Board { piles }),
        }
    }

    /// The piles, left to right.
    pub fn piles(&self) -> &[u64] {
        &self.piles
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        Size { piles: self.piles.len() as u64 }
    }

    /// The piles, left to right, without a copy.
    pub fn into_piles(self) -> Vec<u64> {
        self.piles
    }
}

/// An end of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first pile.
    Left,
    /// The last pile.
    Right,
}

/// A move: some stones off the pile at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// The end taken from.
    pub end: End,
    /// Stones taken, at least one.
    pub take: u64,
}

/// An answer: every winning first move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The winning moves, left before right, at most one at each end. The one winning move of a single pile is listed
    /// once, as left.
    pub winning_ends: Vec<Move>,
}

impl Solution {
    /// How many first moves win.
    pub fn winning_moves(&self) -> usize {
        self.winning_ends.len()
    }

    /// None: the game has no cells.
    pub fn winning_cells(&self) -> &[u32] {
        &[]
    }
}

/// The piles that would make the mover lose, had they stood at the ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// The first pile at which, with the others as they are, the mover loses; 0 if the others alone are lost.
    pub left: u64,
    /// The last pile at which the mover loses, likewise.
    pub right: u64,
}

/// Nanoseconds a pile takes at most: among piles of 1 and 3 in no order, where the processor cannot guess what comes.
const PILE: u64 = 5;

/// Estimates the work of `solve`, in units of about a nanosecond.
pub fn cost(board: &Board) -> u64 {
    let is_at_once = board.piles.len() < 2 || at_once(&board.piles).is_some();
    50 + if is_at_once { 0 } else { board.piles.len() as u64 * PILE }
}

/// Solves a row.
///
/// ```
/// use sprague_games::games::end_nim::{Board, End, Move, solve};
/// use sprague_games::theory::Control;
///
/// let row = Board::new(vec![5, 2, 3])?;
/// let solution = solve(&row, &Control::unlimited())?;
/// assert_eq!(solution.winning_ends, [Move { end: End::Left, take: 2 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `Stopped` when `control` says that the answer is no longer paid for.
pub fn solve(board: &Board, control: &Control) -> Result<Solution, Stopped> {
    by(board, control, fast)
}

/// The thresholds of both ends of a row; a row of one pile or none has no others to speak of.
///
/// # Errors
/// Those of `solve`.
pub fn thresholds(board: &Board, control: &Control) -> Result<Option<Thresholds>, Stopped> {
    match *board.piles {
        [] | [_] => Ok(None),
        [..] => fast(&board.piles, control).map(Some),
    }
}

/// The thresholds of two piles or more.
fn fast(piles: &[u64], control: &Control) -> Result<Thresholds, Stopped> {
    control.spend(50)?;
    if let Some(thresholds) = at_once(piles) {
        return Ok(thresholds);
    }
    let (first, last) = (piles[0], piles[piles.len() - 1]);
    let mut stretch = Stretch::of(piles[1]);
    // A block takes a third of a millisecond.
    for block in piles[2..piles.len() - 1].chunks(1 << 16) {
        control.spend(block.len() as u64 * PILE)?;
        stretch = block.iter().fold(stretch, |stretch, &pile| stretch.append(pile));
    }
    let (left, right) = stretch.thresholds();
    Ok(Thresholds { left: grow(last, left, right), right: grow(first, right, left) })
}

/// The thresholds of two piles or more, if the two piles at each end settle them: so it is in most rows of large piles.
fn at_once(piles: &[u64]) -> Option<Thresholds> {
    let (first, last) = (piles[0], piles[piles.len() - 1]);
    match piles[1..piles.len() - 1] {
        [] => Some(Thresholds { left: last, right: first }),
        [_] => None,
        [start, .., end] => Some(Thresholds { left: apart(last, end, start)?, right: apart(first, start, end)? }),
    }
}

/// The threshold on the far side of a stretch of two piles and more that a pile `x` makes longer, if the stretch's
/// end piles `near` and `far` settle it.
///
/// A threshold is 0 or differs by at most 1 from the pile at the other end, and both are 0 only together. So if `x` is
/// 2 or more away from both ends, its order among the thresholds is its order among the ends, and where both
/// thresholds are 0 it is `x` above both: were it between the ends, they would be 2 or more apart and not lost.
fn apart(x: u64, near: u64, far: u64) -> Option<u64> {
    if x.abs_diff(near) < 2 || x.abs_diff(far) < 2 {
        return None;
    }
    // The far side's threshold is about the near pile, and the near side's about the far one.
    Some(grow(x, near, far))
}

/// Solves a row the obvious way, every stretch by its length: what `solve` is compared with.
///
/// # Errors
/// Those of `solve`.
pub fn plain(board: &Board, control: &Control) -> Result<Solution, Stopped> {
    by(board, control, |piles, control| {
        plain::thresholds(piles, control).map(|(left, right)| Thresholds { left, right })
    })
}

/// Reads the winning moves off the thresholds that the given method finds for two piles and more.
fn by(
    board: &Board,
    control: &Control,
    thresholds: impl Fn(&[u64], &Control) -> Result<Thresholds, Stopped>,
) -> Result<Solution, Stopped> {
    let winning_ends = match *board.piles {
        [] => Vec::new(),
        [only] => vec![Move { end: End::Left, take: only }],
        [first, .., last] => {
            let Thresholds { left, right } = thresholds(&board.piles, control)?;
            let leave =
                |end, pile: u64, threshold: u64| (threshold < pile).then(|| Move { end, take: pile - threshold });
            leave(End::Left, first, left).into_iter().chain(leave(End::Right, last, right)).collect()
        }
    };
    Ok(Solution { winning_ends })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::StopFlag;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn solved(piles: &[u64]) -> Vec<Move> {
        solve(&Board::new(piles.to_vec()).unwrap(), &Control::unlimited()).unwrap().winning_ends
    }

    fn solved_plainly(piles: &[u64]) -> Vec<Move> {
        plain(&Board::new(piles.to_vec()).unwrap(), &Control::unlimited()).unwrap().winning_ends
    }

    /// Every winning move by a search of the whole game tree, from the rules alone.
    fn search(piles: &[u64], known: &mut HashMap<Vec<u64>, bool>) -> Vec<Move> {
        let mut moves = Vec::new();
        let ends = [(End::Left, 0), (End::Right, piles.len().wrapping_sub(1))];
        for (end, at) in ends.into_iter().take(piles.len().min(2)) {
            for take in 1..=piles[at] {
                let mut left = piles.to_vec();
                left[at] -= take;
                left.retain(|&pile| pile > 0);
                let won = match known.get(&left) {
                    Some(&won) => won,
                    None => {
                        let won = !search(&left, known).is_empty();
                        known.insert(left, won);
                        won
                    }
                };
                if !won {
                    moves.push(Move { end, take });
                }
            }
        }
        moves
    }

    /// Every row of so many piles of 1 to `most`.
    fn every(piles: u32, most: u64) -> impl Iterator<Item = Vec<u64>> {
        (0..most.pow(piles)).map(move |code| (0..piles).map(|at| code / most.pow(at) % most + 1).collect())
    }

    #[test]
    fn every_small_row_is_solved_as_a_search_of_its_game_tree_does() {
        let mut known = HashMap::new();
        for (piles, most) in [(0, 1), (1, 9), (2, 9), (3, 6), (4, 5), (5, 5), (6, 3), (8, 2)] {
            for row in every(piles, most) {
                assert_eq!(solved(&row), search(&row, &mut known), "{row:?}");
            }
        }
    }

    #[test]
    fn ties_go_to_the_right_side() {
        // Taking the second pile's tie for "below both" or "above both" makes this row lost.
        assert_eq!(solved(&[1, 1, 2, 2]), []);
        assert_eq!(solved(&[3]), [Move { end: End::Left, take: 3 }]);
        assert_eq!(solved(&[3, 5]), [Move { end: End::Right, take: 2 }]);
        assert_eq!(solved(&[4, 4]), []);
    }

    #[test]
    fn a_pile_of_no_stones_is_refused() {
        let fault = Board::new(vec![2, 0, 1, 0]).unwrap_err();
        assert_eq!(fault, Fault::PileZero { at: 1 });
        assert_eq!(fault.to_string(), "pile 2 is empty: leave empty piles out");
        assert!(Board::new(vec![u64::MAX; 2]).is_ok());
    }

    #[test]
    fn thresholds_are_the_piles_that_lose() {
        for piles in every(5, 3).chain(every(2, 5)) {
            let board = Board::new(piles.clone()).unwrap();
            let Thresholds { left, right } = thresholds(&board, &Control::unlimited()).unwrap().unwrap();
            for (at, threshold) in [(0, left), (piles.len() - 1, right)] {
                let mut lost = piles.clone();
                lost[at] = threshold;
                lost.retain(|&pile| pile > 0);
                assert_eq!(solved(&lost), [], "{piles:?} {at}");
            }
        }
        assert_eq!(thresholds(&Board::new(vec![5]).unwrap(), &Control::unlimited()), Ok(None));
        assert_eq!(thresholds(&Board::new(vec![]).unwrap(), &Control::unlimited()), Ok(None));
    }

    #[test]
    fn long_rows_of_every_kind_are_solved_as_the_plain_way_does() {
        let long = |of: fn(u64) -> u64| (0..1500).map(of).collect::<Vec<u64>>();
        for row in [
            long(|_| 7),
            long(|at| at + 1),
            long(|at| at.abs_diff(750) + 1),
            long(|at| 1000 - at.abs_diff(700)),
            long(|at| ((at * at * 7919) >> 5) % 2 + 1),
            long(|at| at * 7919 % 13 + 1),
            long(|at| u64::MAX - at * at % 3),
            long(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        ] {
            assert_eq!(solved(&row), solved_plainly(&row), "{row:?}");
        }
    }

    #[test]
    fn a_set_flag_stops_the_solve() {
        let flag = StopFlag::default();
        flag.stop();
        let board = Board::new(vec![1, 1, 2]).unwrap();
        assert_eq!(solve(&board, &Control::new(u64::MAX, flag)), Err(Stopped::Cancelled));
    }

    #[test]
    fn a_row_is_solved_for_its_cost_and_for_nothing_less() {
        let far_apart: Vec<u64> = (0..1_000_000).map(|at| at * 7 % 1_000_003 + 1).collect();
        for (piles, expected) in [(far_apart, 50), (vec![7; 1000], 5050), (vec![1; 1_000_000], 5_000_050)] {
            let board = Board::new(piles).unwrap();
            let spends = |budget| solve(&board, &Control::new(budget, StopFlag::default()));
            assert_eq!(cost(&board), expected);
            assert!(spends(expected).is_ok());
            assert_eq!(spends(expected - 16), Err(Stopped::OverBudget), "three piles are not paid for");
        }
    }

    /// Rows of the kinds that differ to a solver: far apart, small, staircases, equal, next to the largest pile.
    fn any_row() -> impl Strategy<Value = Vec<u64>> {
        let staircase = |steps: Vec<i8>, start: u64| {
            steps.into_iter().scan(start, |pile, step| {
                *pile = pile.saturating_add_signed(i64::from(step)).max(1);
                Some(*pile)
            })
        };
        prop_oneof![
            prop::collection::vec(1..=u64::MAX, 0..60),
            prop::collection::vec(1..=9u64, 0..60),
            prop::collection::vec(1..=2u64, 0..60),
            prop::collection::vec(u64::MAX - 4..=u64::MAX, 0..60),
            (prop::collection::vec(-1..=1i8, 0..60), 1..50u64).prop_map(move |(s, from)| staircase(s, from).collect()),
            (prop::collection::vec(-2..=2i8, 0..60), u64::MAX - 9..=u64::MAX)
                .prop_map(move |(s, from)| staircase(s, from).collect()),
            (1..=u64::MAX, 0..60usize).prop_map(|(pile, piles)| vec![pile; piles]),
        ]
    }

    proptest! {
        #[test]
        fn any_row_is_solved_as_the_plain_way_does(piles in any_row()) {
            prop_assert_eq!(solved(&piles), solved_plainly(&piles));
        }

        #[test]
        fn a_row_turned_round_has_its_ends_changed(piles in any_row()) {
            prop_assume!(piles.len() > 1);
            let mut moves = solved(&piles.iter().rev().copied().collect::<Vec<_>>());
            moves.reverse();
            for played in &mut moves {
                played.end = if played.end == End::Left { End::Right } else { End::Left };
            }
            prop_assert_eq!(moves, solved(&piles));
        }

        #[test]
        fn two_equal_neighbours_more_in_a_run_change_nothing(piles in any_row(), at in any::<prop::sample::Index>()) {
            prop_assume!(piles.len() > 2);
            let at = at.index(piles.len() - 2) + 1;
            let mut longer = piles.clone();
            longer.splice(at..at, [piles[at]; 2]);
            prop_assert_eq!(solved(&longer), solved(&piles));
        }
    }
}
