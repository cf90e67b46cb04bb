//! What all the games share: nim-sum, mex, Grundy sequences of octal games, and who pays for an answer.
//!
//! The theorem behind the crate is Sprague's (1935) and Grundy's (1939): a position of an impartial game in which the
//! player without a move loses behaves, in sums, like one Nim heap. The heap's size is the position's *nim-value*, the
//! mex of its options' values; the value of a sum is the xor (*nim-sum*) of its parts' values, and the player to move
//! wins iff it is not 0.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a solve ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// Nobody waits for the answer any more.
    #[error("the solve was cancelled")]
    Cancelled,
    /// The work passed the budget.
    #[error("the work passed the budget")]
    OverBudget,
}

/// A flag that stops every solve that looks at it. Clones share one flag.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks every solve that holds this flag to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether `stop` was called.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether an answer is still paid for: a budget of work for one board, and a flag that stops it.
///
/// Work is counted in units of about a nanosecond of one core, the unit of every game's `cost`.
///
/// ```
/// use sprague_games::theory::{Control, StopFlag, Stopped};
///
/// let flag = StopFlag::default();
/// let control = Control::new(1000, flag.clone());
/// assert_eq!(control.spend(600), Ok(()));
/// assert_eq!(control.spend(600), Err(Stopped::OverBudget));
/// flag.stop(); // from any thread
/// assert_eq!(control.spend(1), Err(Stopped::Cancelled));
/// ```
#[derive(Debug)]
pub struct Control {
    left: Cell<u64>,
    flag: StopFlag,
}

impl Control {
    /// A budget of `work` units, and a flag.
    pub fn new(work: u64, flag: StopFlag) -> Control {
        Control { left: Cell::new(work), flag }
    }

    /// No limit and no flag: for tests, benches and work whose size is known to be small.
    pub fn unlimited() -> Control {
        Control::new(u64::MAX, StopFlag::default())
    }

    /// Pays for `work` units, before or after they are done; a solver calls it at least once a millisecond.
    ///
    /// What is spent depends on the board alone, never on timing, so whether a board is over budget does not either.
    ///
    /// # Errors
    /// `Cancelled` once the flag is set, `OverBudget` once the budget is used up.
    pub fn spend(&self, work: u64) -> Result<(), Stopped> {
        if self.flag.is_stopped() {
            return Err(Stopped::Cancelled);
        }
        match self.left.get().checked_sub(work) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(0);
                Err(Stopped::OverBudget)
            }
        }
    }
}

/// The least non-negative integer that is not among `values`.
///
/// ```
/// assert_eq!(sprague_games::theory::mex([0, 1, 3]), 2);
/// ```
pub fn mex(values: impl IntoIterator<Item = u32>) -> u32 {
    let mut seen = Vec::new();
    for value in values {
        let value = value as usize;
        if value >= seen.len() {
            seen.resize(value + 1, false);
        }
        seen[value] = true;
    }
    seen.iter().position(|&is_in| !is_in).unwrap_or(seen.len()) as u32
}

/// The nim-value of a sum: the xor of its parts' values.
///
/// ```
/// assert_eq!(sprague_games::theory::nim_sum([3, 5, 6]), 0); // three heaps that are lost together
/// ```
pub fn nim_sum(values: impl IntoIterator<Item = u32>) -> u32 {
    values.into_iter().fold(0, |sum, value| sum ^ value)
}

/// The nim-values of heaps of 0, 1, ..., `largest` tokens in the octal game 0.d1d2d3..., by its recurrence alone.
///
/// `digits[k - 1]` says what may be left of a heap from which k tokens are taken: nothing (1), one heap (2), two heaps
/// (4), or a sum of these (Guy and Smith, The G-values of various games, 1956). Takes `largest`^2 / 4 steps a digit
/// that has the 4.
///
/// ```
/// // Kayles, 0.77.
/// assert_eq!(sprague_games::theory::octal_sequence(&[7, 7], 10), [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2]);
/// ```
pub fn octal_sequence(digits: &[u8], largest: usize) -> Vec<u32> {
    let mut values: Vec<u32> = Vec::with_capacity(largest + 1);
    for heap in 0..=largest {
        let options = digits.iter().zip(1..=heap).flat_map(|(&digit, taken)| {
            let left = heap - taken;
            let nothing = (digit & 1 != 0 && left == 0).then_some(0);
            let one = (digit & 2 != 0 && left > 0).then(|| values[left]);
            let splits = if digit & 4 != 0 { 1..left / 2 + 1 } else { 0..0 };
            let values = &values;
            let two = splits.map(move |part| values[part] ^ values[left - part]);
            nothing.into_iter().chain(one).chain(two)
        });
        let value = mex(options);
        values.push(value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mex_is_the_first_gap() {
        assert_eq!(mex([]), 0);
        assert_eq!(mex([1, 2]), 0);
        assert_eq!(mex([0, 1, 3, 0, 7]), 2);
        assert_eq!(mex([2, 0, 1]), 3);
    }

    #[test]
    fn an_octal_game_of_single_takings_is_known_by_hand() {
        // 0.3: take one token. 0.33: take one or two. 0.1: take one token that is the whole heap.
        assert_eq!(octal_sequence(&[3], 5), [0, 1, 0, 1, 0, 1]);
        assert_eq!(octal_sequence(&[3, 3], 5), [0, 1, 2, 0, 1, 2]);
        assert_eq!(octal_sequence(&[1], 3), [0, 1, 0, 0]);
        assert_eq!(octal_sequence(&[], 2), [0, 0, 0]);
    }

    #[test]
    fn octal_games_have_their_published_periods() {
        // (digits, preperiod, period): Winning Ways, chapter 4, and Flammenkamp's tables.
        for (digits, preperiod, period) in [
            (&[7, 7][..], 71, 12),
            (&[0, 7], 53, 34),
            (&[1, 3, 7], 52, 34),
            (&[4, 5], 498, 20),
            (&[1, 5, 6], 3479, 349),
            (&[3, 5, 6], 7315, 142),
            (&[1, 6, 5], 5181, 1550),
        ] {
            // A period that holds this far holds for ever (Guy and Smith).
            let values = octal_sequence(digits, 2 * preperiod + 2 * period + digits.len());
            let repeats = |from: usize, by: usize| values[from..values.len() - by] == values[from + by..];
            assert!(repeats(preperiod, period), "{digits:?} from {preperiod} by {period}");
            assert!(!repeats(preperiod - 1, period), "{digits:?} repeats already from {}", preperiod - 1);
            assert!((1..period).all(|shorter| !repeats(preperiod, shorter)), "{digits:?} has a shorter period");
        }
    }

    #[test]
    fn a_budget_is_spent_once() {
        let control = Control::new(10, StopFlag::default());
        assert_eq!(control.spend(10), Ok(()));
        assert_eq!(control.spend(0), Ok(()));
        assert_eq!(control.spend(1), Err(Stopped::OverBudget));
    }

    #[test]
    fn a_set_flag_stops_every_holder() {
        let flag = StopFlag::default();
        let control = Control::new(u64::MAX, flag.clone());
        assert_eq!(control.spend(1), Ok(()));
        flag.stop();
        assert_eq!(control.spend(1), Err(Stopped::Cancelled));
    }
}
