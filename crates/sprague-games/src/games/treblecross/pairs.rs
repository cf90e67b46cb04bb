//! Looking at many pairs of heaps at once, the inner loops of the Grundy sequence of 0.007.
//!
//! A move from a heap of h leaves heaps of a and h - 3 - a, a *pair* whose value is g(a) xor g(h - 3 - a). There are two
//! ways to look at many:
//! - *In lanes*: 32 heaps h = n..n+32, a lane each, and one index a. Its partners are 32 adjacent values, known for all
//!   lanes when g(0), ..., g(n - 1) are and a >= `FIRST`. So any list of indices will do.
//! - *Mirrored*: one heap, and a block of 64 adjacent indices, whose partners are 64 adjacent values in reverse.

use crate::wide::wide;

/// Heaps worked on at once in lanes: two vectors of 16-bit values.
pub(super) const LANES: usize = 32;
/// The first index whose partners are known for all lanes.
pub(super) const FIRST: usize = LANES - 3;
/// Candidates looked for at once in each lane; so many vectors and their hits nearly fit the registers.
pub(super) const SLOTS: usize = 4;
/// Every value is below this (the largest up to 10^8 is 1407), and so is every xor of two.
pub(super) const VALUES: usize = 2048;
/// Adjacent pairs that are looked at together.
pub(super) const BLOCK: usize = 64;

/// For each value of a heap, not 0 where some pair has it.
pub(super) type Seen = [u8; VALUES];
/// Values to look for: one for each slot and lane.
pub(super) type Candidates<const N: usize> = [[u16; N]; SLOTS];

/// An index and its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) index: u32,
    pub(super) value: u16,
}

wide! {
    /// Marks what the pairs of these indices are worth in each lane. Indices too near to n to have known partners are
    /// left out.
    pub(super) fn stamp_listed / stamp_listed_portable(values: &[u16], list: &[Entry], seen: &mut [Seen; LANES]) {
        /// Lanes whose marks stay in the nearest cache together.
        const NEAR: usize = 8;
        for (part, near) in seen.as_chunks_mut::<NEAR>().0.iter_mut().enumerate() {
            // A name for each lane: as an array of arrays the marks cost more to reach.
            let [seen0, seen1, seen2, seen3, seen4, seen5, seen6, seen7] = near;
            for entry in list {
                if let Some(partners) = partners(values, entry.index) {
                    let [left, right] = [0, 4].map(|at| four(partners, NEAR * part + at) ^ four(&[entry.value; LANES], 0));
                    let value = |four: u64, at: usize| (four >> (16 * at)) as usize % VALUES;
                    seen0[value(left, 0)] = 1;
                    seen1[value(left, 1)] = 1;
                    seen2[value(left, 2)] = 1;
                    seen3[value(left, 3)] = 1;
                    seen4[value(right, 0)] = 1;
                    seen5[value(right, 1)] = 1;
                    seen6[value(right, 2)] = 1;
                    seen7[value(right, 3)] = 1;
                }
            }
        }
    }
}

wide! {
    /// Which candidates the pairs of these indices have: not 0 for a hit. Indices too near to n are left out.
    pub(super) fn hits_listed / hits_listed_portable(
        values: &[u16], list: &[Entry], candidates: &Candidates<LANES>
    ) -> Candidates<LANES> {
        // A name for each slot: as an array of arrays they would stay in memory, at half the speed.
        let [mut hits0, mut hits1, mut hits2, mut hits3] = [[0; LANES]; SLOTS];
        for entry in list {
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
}

wide! {
    /// Marks what every `step`-th block of the pairs `values[i] ^ values[L - 1 - i]` is worth, but for one cut short.
    pub(super) fn stamp_mirrored / stamp_mirrored_portable(values: &[u16], step: usize, seen: &mut Seen) {
        let (left, right): (&[[u16; BLOCK]], &[[u16; BLOCK]]) = (values.as_chunks().0, values.as_rchunks().1);
        for (left, right) in left.iter().zip(right.iter().rev()).take(values.len() / (2 * BLOCK)).step_by(step) {
            for i in 0..BLOCK {
                seen[(left[i] ^ right[BLOCK - 1 - i]) as usize % VALUES] = 1;
            }
        }
    }
}

wide! {
    /// Which candidates the pairs `values[i] ^ values[L - 1 - i]` of every `step`-th block from the block `first` have:
    /// not 0 for a hit. All blocks are all pairs.
    ///
    /// Assumes L >= 2 * BLOCK.
    pub(super) fn hits_mirrored / hits_mirrored_portable(
        values: &[u16], first: usize, step: usize, candidates: &Candidates<1>
    ) -> Candidates<1> {
        const VECTOR: usize = 16;
        let (left, right): (&[[u16; BLOCK]], &[[u16; BLOCK]]) = (values.as_chunks().0, values.as_rchunks().1);
        let [mut hits0, mut hits1, mut hits2, mut hits3] = [[0; VECTOR]; SLOTS];
        let [[candidate0], [candidate1], [candidate2], [candidate3]] = *candidates;
        for block in (first..values.len().div_ceil(2 * BLOCK)).step_by(step) {
            let (left, right) = (&left[block], &right[right.len() - 1 - block]);
            for at in (0..BLOCK).step_by(VECTOR) {
                // All in one loop: this is the form that compiles to vectors.
                for i in 0..VECTOR {
                    let worth = left[at + i] ^ right[BLOCK - 1 - at - i];
                    hits0[i] |= hit(worth, candidate0);
                    hits1[i] |= hit(worth, candidate1);
                    hits2[i] |= hit(worth, candidate2);
                    hits3[i] |= hit(worth, candidate3);
                }
            }
        }
        [hits0, hits1, hits2, hits3].map(|hits| [hits.iter().fold(0, |any, hit| any | hit)])
    }
}

/// Whether `left[i] ^ right[63 - i]` is `value` for some i.
#[inline(always)]
pub(super) fn any_mirrored(left: &[u16; BLOCK], right: &[u16; BLOCK], value: u16) -> bool {
    let mut any = false;
    for i in 0..BLOCK {
        any |= left[i] ^ right[BLOCK - 1 - i] == value;
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

/// Four adjacent values in one word, the first lowest.
#[inline(always)]
fn four(values: &[u16; LANES], at: usize) -> u64 {
    (0..4).fold(0, |word, i| word | u64::from(values[at + i]) << (16 * i))
}

/// Adds the lanes whose pair is worth the candidate.
#[inline(always)]
fn compare(worth: &[u16; LANES], candidates: &[u16; LANES], hits: &mut [u16; LANES]) {
    for ((hits, worth), candidate) in hits.iter_mut().zip(worth).zip(candidates) {
        *hits |= hit(*worth, *candidate);
    }
}

/// All ones if a pair is worth the candidate, else 0.
#[inline(always)]
fn hit(worth: u16, candidate: u16) -> u16 {
    if worth == candidate { u16::MAX } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array;

    /// Values without a pattern, and entries for some of them.
    fn sample(known: usize) -> (Vec<u16>, Vec<Entry>) {
        let values: Vec<u16> = (0..known as u64).map(|i| ((i * i * 0x9e37_79b9) >> 7) as u16 % 2048).collect();
        let entry = |index: usize| Entry { index: index as u32, value: values[index] };
        let list = (FIRST..known).step_by(3).map(entry).collect();
        (values, list)
    }

    /// The values of the pairs of the heap `n + lane` with the listed indices, one by one.
    fn worth_listed(values: &[u16], list: &[Entry], lane: usize) -> Vec<u16> {
        let whole = values.len() + lane - 3;
        let indices = list.iter().map(|entry| entry.index as usize).filter(|&index| index <= values.len() - 3);
        indices.map(|index| values[index] ^ values[whole - index]).collect()
    }

    /// The values of all pairs of these values, from the outermost.
    fn worth_mirrored(values: &[u16]) -> Vec<u16> {
        let half = values.len().div_ceil(2);
        values.iter().zip(values.iter().rev()).take(half).map(|(left, right)| left ^ right).collect()
    }

    fn marked(worth: &[u16]) -> Seen {
        let mut seen = [0; VALUES];
        worth.iter().for_each(|&value| seen[value as usize] = 1);
        seen
    }

    /// Every value once, in so many lanes and slots at a time.
    fn candidates<const N: usize>() -> impl Iterator<Item = Candidates<N>> {
        let all = |first: u16| array::from_fn(|slot| array::from_fn(|lane| first + (slot * N + lane) as u16));
        (0..VALUES as u16).step_by(SLOTS * N).map(all)
    }

    #[test]
    fn stamps_in_lanes_are_the_values_of_the_pairs() {
        for known in [128, 129, 191, 1000] {
            let (values, list) = sample(known);
            let (mut seen, mut portable) = ([[0; VALUES]; LANES], [[0; VALUES]; LANES]);
            stamp_listed(&values, &list, &mut seen);
            stamp_listed_portable(&values, &list, &mut portable);
            for (lane, seen) in seen.iter().enumerate() {
                assert_eq!(*seen, marked(&worth_listed(&values, &list, lane)), "{known} values, lane {lane}");
            }
            assert_eq!(portable, seen);
        }
    }

    #[test]
    fn hits_in_lanes_are_the_candidates_that_some_pair_has() {
        for known in [128, 200, 1000] {
            let (values, list) = sample(known);
            let worth: [Vec<u16>; LANES] = array::from_fn(|lane| worth_listed(&values, &list, lane));
            for candidates in candidates() {
                let hits = hits_listed(&values, &list, &candidates);
                assert_eq!(hits_listed_portable(&values, &list, &candidates), hits);
                for (hits, candidates) in hits.iter().zip(&candidates) {
                    for ((hit, candidate), worth) in hits.iter().zip(candidates).zip(&worth) {
                        assert_eq!(*hit != 0, worth.contains(candidate), "{candidate} of {known}");
                    }
                }
            }
        }
    }

    #[test]
    fn mirrored_stamps_are_the_values_of_whole_blocks_of_pairs() {
        for known in [0, 127, 128, 129, 300, 1000] {
            let (values, _) = sample(known);
            let worth = worth_mirrored(&values);
            for step in [1, 2, 5] {
                let (mut seen, mut portable) = ([0; VALUES], [0; VALUES]);
                stamp_mirrored(&values, step, &mut seen);
                stamp_mirrored_portable(&values, step, &mut portable);
                let blocks = worth[..known / 2].as_chunks::<BLOCK>().0.iter().step_by(step);
                assert_eq!(
                    seen,
                    marked(&blocks.flatten().copied().collect::<Vec<u16>>()),
                    "{known} values, step {step}"
                );
                assert_eq!(portable, seen);
            }
        }
    }

    #[test]
    fn mirrored_hits_are_the_candidates_that_some_pair_has() {
        for known in [128, 129, 191, 192, 193, 1000] {
            let (values, _) = sample(known);
            let worth = worth_mirrored(&values);
            for candidates in candidates() {
                let hits = hits_mirrored(&values, 0, 1, &candidates);
                assert_eq!(hits_mirrored_portable(&values, 0, 1, &candidates), hits);
                // Blocks taken in turns are all of them.
                let turns = [0, 1, 2].map(|first| hits_mirrored(&values, first, 3, &candidates));
                for slot in 0..SLOTS {
                    let candidate = candidates[slot][0];
                    assert_eq!(hits[slot] != [0], worth.contains(&candidate), "{candidate} of {known}");
                    assert_eq!(turns.iter().any(|hits| hits[slot] != [0]), hits[slot] != [0]);
                }
            }
        }
    }

    #[test]
    fn every_single_pair_is_looked_at() {
        for known in [128, 129, 191, 192, 193, 1000, 10_007] {
            let mut values = sample(known).0;
            values.iter_mut().for_each(|value| *value &= !1);
            for at in (0..known).filter(|at| 2 * at + 1 != known).step_by(known / 128) {
                values[at] |= 1;
                let candidates = [[values[at] ^ values[known - 1 - at]], [1], [1], [1]];
                assert_ne!(hits_mirrored(&values, 0, 1, &candidates)[0], [0], "{at} of {known}");
                values[at] &= !1;
                assert_eq!(hits_mirrored(&values, 0, 1, &candidates)[0], [0], "{at} of {known}");
            }
        }
    }
}
