//! Looking at many pairs of heaps at once, the inner loops of the Grundy sequence of 0.007.
//!
//! A move from a heap of h leaves heaps of a and h - 3 - a, a *pair* whose value is g(a) xor g(h - 3 - a). For sixteen
//! heaps h = n..n+16 and one a the partners are sixteen adjacent values: a *lane* for each heap. They are all known when
//! g(0), ..., g(n - 1) are and a >= `FIRST`.

use crate::wide::wide;

/// Heaps worked on at once: a vector of 16-bit values.
pub(super) const LANES: usize = 16;
/// The first index whose partners are known for all lanes.
pub(super) const FIRST: usize = LANES - 3;
/// Candidates looked for at once in each lane; so many vectors and their hits fit the registers.
pub(super) const SLOTS: usize = 4;
/// Every value is below this (the largest up to 10^8 is 1407), and so is every xor of two.
pub(super) const VALUES: usize = 2048;

/// For each lane, not 0 where some pair has the value.
pub(super) type Seen = [[u8; VALUES]; LANES];
/// Values to look for: one for each slot and lane.
pub(super) type Candidates = [[u16; LANES]; SLOTS];

/// An index and its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) index: u32,
    pub(super) value: u16,
}

/// The end of the indices whose pairs, with those below `FIRST`, are all pairs of all lanes, n values being known.
pub(super) fn half(n: usize) -> usize {
    (n + LANES - 4) / 2 + 1
}

wide! {
    /// Marks what the pairs of these indices are worth. Indices too near to n to have known partners are left out.
    pub(super) fn stamp_listed / stamp_listed_portable(values: &[u16], list: &[Entry], seen: &mut Seen) {
        stamp(values, list.iter().copied(), seen);
    }
}

wide! {
    /// Marks what the pairs of every `step`-th index are worth, from `from` to `half`.
    pub(super) fn stamp_all / stamp_all_portable(values: &[u16], from: usize, step: usize, seen: &mut Seen) {
        stamp(values, every(values, from, step), seen);
    }
}

wide! {
    /// Which candidates the pairs of these indices have: not 0 for a hit. Indices too near to n are left out.
    pub(super) fn hits_listed / hits_listed_portable(
        values: &[u16], list: &[Entry], candidates: &Candidates
    ) -> Candidates {
        hits(values, list.iter().copied(), candidates)
    }
}

wide! {
    /// Which candidates the pairs of every `step`-th index have, from `from` to `half`: not 0 for a hit.
    pub(super) fn hits_in_all / hits_in_all_portable(
        values: &[u16], from: usize, step: usize, candidates: &Candidates
    ) -> Candidates {
        hits(values, every(values, from, step), candidates)
    }
}

wide! {
    /// Whether some pair of the heap after the next two has this value: `values[i] ^ values[L - 1 - i]` for some i.
    ///
    /// Assumes L >= 128. Looks at blocks of 64 far apart first: what is near behaves alike.
    pub(super) fn some_pair / some_pair_portable(values: &[u16], value: u16) -> bool {
        const APART: usize = 61;
        let (left, right) = (values.as_chunks().0, values.as_rchunks().1);
        let half = values.len().div_ceil(128);
        for first in 0..APART {
            for block in (first..half).step_by(APART) {
                if any_mirrored(&left[block], &right[right.len() - 1 - block], value) {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether `left[i] ^ right[63 - i]` is `value` for some i.
#[inline(always)]
pub(super) fn any_mirrored(left: &[u16; 64], right: &[u16; 64], value: u16) -> bool {
    let mut any = false;
    for i in 0..64 {
        any |= left[i] ^ right[63 - i] == value;
    }
    any
}

/// The partners of one index in all lanes, if they are known.
#[inline(always)]
fn partners(values: &[u16], index: u32) -> Option<&[u16; LANES]> {
    let at = (values.len() - 3).wrapping_sub(index as usize);
    // One comparison for both ends: an index above n - 3 wraps to a huge number.
    if at > values.len() - LANES { None } else { values[at..].first_chunk() }
}

/// Every `step`-th index from `from` to `half`.
#[inline(always)]
fn every(values: &[u16], from: usize, step: usize) -> impl Iterator<Item = Entry> + Clone {
    let known = &values[..half(values.len())];
    (from..known.len()).step_by(step).map(|index| Entry { index: index as u32, value: known[index] })
}

#[inline(always)]
fn stamp(values: &[u16], entries: impl Iterator<Item = Entry> + Clone, seen: &mut Seen) {
    // Four lanes at a time, so that what is marked stays in the nearest cache.
    for (quad, [seen0, seen1, seen2, seen3]) in seen.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        for entry in entries.clone() {
            if let Some(partners) = partners(values, entry.index) {
                let value = |lane: usize| (partners[4 * quad + lane] ^ entry.value) as usize % VALUES;
                seen0[value(0)] = 1;
                seen1[value(1)] = 1;
                seen2[value(2)] = 1;
                seen3[value(3)] = 1;
            }
        }
    }
}

#[inline(always)]
fn hits(values: &[u16], entries: impl Iterator<Item = Entry>, candidates: &Candidates) -> Candidates {
    // A name for each slot: as an array of arrays they would stay in memory, at half the speed.
    let [mut hits0, mut hits1, mut hits2, mut hits3] = [[0; LANES]; SLOTS];
    for entry in entries {
        if let Some(partners) = partners(values, entry.index) {
            let mut worth = *partners;
            worth.iter_mut().for_each(|worth| *worth ^= entry.value);
            compare(&worth, &candidates[0], &mut hits0);
            compare(&worth, &candidates[1], &mut hits1);
            compare(&worth, &candidates[2], &mut hits2);
            compare(&worth, &candidates[3], &mut hits3);
        }
    }
    [hits0, hits1, hits2, hits3]
}

/// Adds the lanes whose pair is worth the candidate.
#[inline(always)]
fn compare(worth: &[u16; LANES], candidates: &[u16; LANES], hits: &mut [u16; LANES]) {
    for ((hit, worth), candidate) in hits.iter_mut().zip(worth).zip(candidates) {
        *hit |= if worth == candidate { u16::MAX } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values without a pattern, and entries for some of them.
    fn sample(known: usize) -> (Vec<u16>, Vec<Entry>) {
        let values: Vec<u16> = (0..known as u64).map(|i| ((i * i * 0x9e37_79b9) >> 7) as u16 % 2048).collect();
        let entry = |index: usize| Entry { index: index as u32, value: values[index] };
        let list = (FIRST..known).step_by(3).map(entry).collect();
        (values, list)
    }

    /// The values of the pairs of the heap `n + lane` with these indices, one by one.
    fn worth(values: &[u16], lane: usize, indices: impl Iterator<Item = usize>) -> Vec<u16> {
        let whole = values.len() + lane - 3;
        indices.filter(|&index| index <= values.len() - 3).map(|index| values[index] ^ values[whole - index]).collect()
    }

    #[test]
    fn every_pair_of_every_lane_has_an_index_below_half() {
        for known in 64..300 {
            for lane in 0..LANES {
                let whole = known + lane - 3;
                let mut met = vec![false; whole + 1];
                for index in 0..half(known) {
                    (met[index], met[whole - index]) = (true, true);
                }
                assert!(met.iter().all(|&met| met), "{known} values, lane {lane}");
            }
        }
    }

    #[test]
    fn stamps_are_the_values_of_the_pairs() {
        for known in [64, 65, 100, 1000] {
            let (values, list) = sample(known);
            let (mut listed, mut listed_portable) = ([[0; VALUES]; LANES], [[0; VALUES]; LANES]);
            stamp_listed(&values, &list, &mut listed);
            stamp_listed_portable(&values, &list, &mut listed_portable);
            let (mut in_all, mut in_all_portable) = ([[0; VALUES]; LANES], [[0; VALUES]; LANES]);
            stamp_all(&values, 20, 2, &mut in_all);
            stamp_all_portable(&values, 20, 2, &mut in_all_portable);
            for lane in 0..LANES {
                let mut expected = [0; VALUES];
                let indices = list.iter().map(|entry| entry.index as usize);
                worth(&values, lane, indices).iter().for_each(|&value| expected[value as usize] = 1);
                assert_eq!(listed[lane], expected, "{known} values, lane {lane}");
                let mut expected = [0; VALUES];
                worth(&values, lane, (20..half(known)).step_by(2))
                    .iter()
                    .for_each(|&value| expected[value as usize] = 1);
                assert_eq!(in_all[lane], expected, "{known} values, lane {lane}");
            }
            assert_eq!((listed_portable, in_all_portable), (listed, in_all));
        }
    }

    #[test]
    fn hits_are_the_candidates_that_some_pair_has() {
        for known in [64, 200, 1000] {
            let (values, list) = sample(known);
            for first in (0..VALUES as u16).step_by(SLOTS * LANES) {
                let candidates: Candidates =
                    std::array::from_fn(|slot| std::array::from_fn(|lane| first + (slot * LANES + lane) as u16));
                let listed = hits_listed(&values, &list, &candidates);
                let in_all = hits_in_all(&values, FIRST, 3, &candidates);
                assert_eq!(hits_listed_portable(&values, &list, &candidates), listed);
                assert_eq!(hits_in_all_portable(&values, FIRST, 3, &candidates), in_all);
                for lane in 0..LANES {
                    let by_list = worth(&values, lane, list.iter().map(|entry| entry.index as usize));
                    let by_step = worth(&values, lane, (FIRST..half(known)).step_by(3));
                    for slot in 0..SLOTS {
                        let candidate = candidates[slot][lane];
                        assert_eq!(listed[slot][lane] != 0, by_list.contains(&candidate), "{candidate}");
                        assert_eq!(in_all[slot][lane] != 0, by_step.contains(&candidate), "{candidate}");
                    }
                }
            }
        }
    }

    #[test]
    fn some_pair_looks_at_all_of_them() {
        for known in [128, 129, 191, 192, 193, 1000, 10_007] {
            let (mut values, _) = sample(known);
            values.iter_mut().for_each(|value| *value &= !1);
            for at in (0..known).filter(|at| 2 * at + 1 != known).step_by(known / 128) {
                values[at] |= 1;
                let value = values[at] ^ values[known - 1 - at];
                assert!(some_pair(&values, value) && some_pair_portable(&values, value), "{at} of {known}");
                values[at] &= !1;
                assert!(!some_pair(&values, value) && !some_pair_portable(&values, value), "{at} of {known}");
            }
        }
    }
}
