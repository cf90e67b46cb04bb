//! The plain way to the thresholds of a row: every stretch, by its length.

use crate::theory::{Control, Stopped};

/// The thresholds of a row of at least two piles: the size of the first pile at which the mover loses, and that of the
/// last.
///
/// Rolls the thresholds of all stretches of one length into those of the next, in memory for two lengths.
pub(super) fn thresholds(piles: &[u64], control: &Control) -> Result<(u64, u64), Stopped> {
    // With stretches of `length` piles: `left[i]` is the pile that, put on the left of the stretch at `i`, makes the
    // mover lose, and `right[i]` the same on the right; both are 0 iff the mover loses the stretch itself.
    let (mut left, mut right) = (piles.to_vec(), piles.to_vec());
    for length in 1..piles.len() - 1 {
        for i in 0..piles.len() - length {
            let wider = grow(piles[i + length], left[i], right[i]);
            right[i] = grow(piles[i], right[i + 1], left[i + 1]);
            left[i] = wider;
        }
        control.spend(10 * (piles.len() - length) as u64)?;
    }
    Ok((left[1], right[0]))
}

/// The threshold on the far side of a stretch that a pile `x` makes longer, from the shorter stretch's thresholds on
/// the far side and on the side of `x`.
pub(super) fn grow(x: u64, far: u64, near: u64) -> u64 {
    if x == near {
        0
    } else if x < far.min(near) || x > far.max(near) {
        x
    } else if far > near {
        x - 1
    } else {
        x + 1
    }
}
