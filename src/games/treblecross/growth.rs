//! The Grundy sequence of 0.007, sixteen values at a time.
//!
//! g(n) is the least value that no pair (a, n - 3 - a) has. For sixteen heaps at once, a lane each:
//! 1. *Stamp*: some pairs, taken far apart, mark their values as seen. That leaves some ten unseen values below g(n).
//! 2. *Settle*: each lane's least unseen values are its candidates, and all other pairs are compared with all candidates.
//!    A candidate that some pair has gives way to the next unseen value; the least one that no pair has is the answer.
//! 3. The pairs of the first thirteen indices are looked at one by one, since their partners may be among the sixteen.
//!
//! From 2^16 on the *sparse space* of Berlekamp, Conway and Guy (Winning Ways, chapter 4) shortens the list of pairs. Call
//! a value rare iff it has an even number of bits in common with a mask, and common otherwise. Rare xor rare and common
//! xor common are rare, so a common value is found among the pairs with a rare index or nowhere: there are 22,442 of these
//! below 10^6. A rare value needs all pairs, but is nearly always found among the first few thousand. Any mask is right;
//! a bad one is slow.

use super::pairs::{
    Candidates, Entry, FIRST, LANES, SLOTS, Seen, VALUES, half, hits_in_all, hits_listed, some_pair, stamp_all,
    stamp_listed,
};
use std::array;

/// g(0), ..., g(66): the start of the growth, and the values of all zones that fit a word.
pub(super) const FIRST_VALUES: [u16; 67] = {
    let mut g = [0; 67];
    let mut n = 3;
    while n < g.len() {
        let (mut seen, mut a) = (0u64, 0);
        while a <= n - 3 {
            seen |= 1 << (g[a] ^ g[n - 3 - a]);
            a += 1;
        }
        g[n] = seen.trailing_ones() as u16;
        n += 1;
    }
    g
};

/// Known values before the first step; more than a vector, and the rest in whole steps up to any power of two.
const START: usize = 64;
/// Where the sparse space begins: below, too many values are rare.
const SPARSE_FROM: usize = 1 << 16;
/// The best mask from 2^17 on, by the histogram of the values.
const MASK: u16 = 0x7b8;
/// Parts that the pairs are dealt into like cards, so that each is a fair sample of them.
const PARTS: usize = 64;
/// Parts of the rare indices that are stamped.
const STAMPED_PARTS: usize = 16;
/// Pairs that are stamped before the sparse space begins. More find more than they cost up to about here.
const STAMPED: usize = 6000;
/// Pairs that are stamped to see rare values.
const STAMPED_FOR_RARE: usize = 4096;
/// A candidate that no pair has.
const NONE: u16 = u16::MAX;

/// About how many nanoseconds of one core the first `values` values take.
pub(super) const fn work(values: usize) -> u64 {
    let (dense, sparse) = if values < SPARSE_FROM { (values, 0) } else { (SPARSE_FROM, values - SPARSE_FROM) };
    // Measured: 0.15 s for 2^16, then 7 to 8 us a value.
    (dense * dense / 32 + sparse * 7500) as u64
}

/// Which values a search is for.
type Kind = [u8; VALUES];
/// All of them: a 0 for each.
const ALL: &Kind = &[0; VALUES];
/// The common ones, and a 1 for every other.
const COMMON: &Kind = &kind(false);
/// The rare ones, and a 1 for every other.
const RARE: &Kind = &kind(true);

const fn is_rare(value: u16) -> bool {
    (value & MASK).count_ones().is_multiple_of(2)
}

const fn kind(rare: bool) -> Kind {
    let mut others = [0; VALUES];
    let mut value = 0;
    while value < VALUES {
        others[value] = (is_rare(value as u16) != rare) as u8;
        value += 1;
    }
    others
}

/// g(0), g(1), ... as far as they are known, and what it takes to go on.
#[derive(Debug, Clone)]
pub struct Growth {
    values: Vec<u16>,
    /// The known indices of rare values from `FIRST` on, dealt into parts; empty before the sparse space begins.
    rare: [Vec<Entry>; PARTS],
    /// How many they are.
    rare_count: usize,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth::new()
    }
}

impl Growth {
    /// No values yet.
    pub const fn new() -> Growth {
        Growth { values: Vec::new(), rare: [const { Vec::new() }; PARTS], rare_count: 0 }
    }

    /// All values known so far.
    pub fn values(&self) -> &[u16] {
        &self.values
    }

    /// Finds the next sixteen values (the first time, 64 more), in well under a millisecond.
    pub fn step(&mut self) {
        if self.values.is_empty() {
            self.values.extend(&FIRST_VALUES[..START]);
        }
        let n = self.values.len();
        let mut seen = [[0; VALUES]; LANES];
        self.stamp(&mut seen);
        let found = self.settle(n, &seen, &[NONE; LANES]);
        for lane in 0..LANES {
            // The pairs of the first indices whose partners are among the sixteen.
            for index in 0..(lane + 1).saturating_sub(3) {
                seen[lane][(self.values[index] ^ self.values[n + lane - 3 - index]) as usize] = 1;
            }
            let mut value = found[lane];
            if seen[lane][value as usize] != 0 {
                let only_here = array::from_fn(|other| if other == lane { NONE } else { 0 });
                value = self.settle(n, &seen, &only_here)[lane];
            }
            if n >= SPARSE_FROM {
                value = least_rare(&self.values[..n + lane - 2], &seen[lane], value);
            }
            self.values.push(value);
        }
        self.list_rare(n);
    }

    /// Marks the values of a sample of the pairs of the next sixteen heaps, and of those with the first indices and
    /// known partners.
    fn stamp(&self, seen: &mut Seen) {
        let (values, n) = (&self.values[..], self.values.len());
        if n < SPARSE_FROM {
            (0..stamped_parts(n)).for_each(|part| stamp_all(values, FIRST + part, PARTS, seen));
        } else {
            self.rare[..stamped_parts(n)].iter().for_each(|part| stamp_listed(values, part, seen));
            stamp_all(values, FIRST, half(n) / STAMPED_FOR_RARE, seen);
        }
        for (lane, seen) in seen.iter_mut().enumerate() {
            for index in lane.saturating_sub(2)..FIRST {
                seen[(values[index] ^ values[n + lane - 3 - index]) as usize] = 1;
            }
        }
    }

    /// The least unseen value of each lane that no pair of the heaps from `n` on has (in the sparse space, the least
    /// common one), or `below` where there is none below that.
    ///
    /// Assumes that all pairs were stamped which are in the stamped parts or have an index below `FIRST`.
    fn settle(&self, n: usize, seen: &Seen, below: &[u16; LANES]) -> [u16; LANES] {
        let values = &self.values[..n];
        let kind = if n < SPARSE_FROM { ALL } else { COMMON };
        let first_part = stamped_parts(n);
        let cycle = PARTS - first_part;
        let mut least = *below;
        let mut from = [0; LANES];
        let mut take = |lane: usize, least: &[u16; LANES]| {
            let candidate = next_unseen(&seen[lane], kind, from[lane], least[lane]);
            from[lane] = candidate.saturating_add(1);
            candidate
        };
        let mut candidates: Candidates = [(); SLOTS].map(|()| array::from_fn(|lane| take(lane, &least)));
        // When the candidate was taken, counted in parts.
        let mut taken = [[0; LANES]; SLOTS];
        let mut now = 0;
        while candidates != [[NONE; LANES]; SLOTS] {
            let part = first_part + now % cycle;
            let hits = if n < SPARSE_FROM {
                hits_in_all(values, FIRST + part, PARTS, &candidates)
            } else {
                hits_listed(values, &self.rare[part], &candidates)
            };
            now += 1;
            for slot in 0..SLOTS {
                if now < cycle && hits[slot] == [0; LANES] {
                    continue;
                }
                for lane in 0..LANES {
                    let candidate = candidates[slot][lane];
                    if candidate > least[lane] {
                        candidates[slot][lane] = NONE;
                    } else if hits[slot][lane] != 0 {
                        candidates[slot][lane] = take(lane, &least);
                        taken[slot][lane] = now;
                    } else if now - taken[slot][lane] >= cycle {
                        candidates[slot][lane] = NONE;
                        least[lane] = least[lane].min(candidate);
                    }
                }
            }
        }
        least
    }

    /// Adds the rare ones of the values from `n` on to the list; at its start, all.
    fn list_rare(&mut self, n: usize) {
        let from = match self.values.len() {
            ..SPARSE_FROM => return,
            SPARSE_FROM => FIRST,
            _ => n,
        };
        for index in from..self.values.len() {
            let value = self.values[index];
            if is_rare(value) {
                self.rare[self.rare_count % PARTS].push(Entry { index: index as u32, value });
                self.rare_count += 1;
            }
        }
    }
}

/// How many parts of the pairs are stamped when n values are known; never all.
fn stamped_parts(n: usize) -> usize {
    if n < SPARSE_FROM { (STAMPED * PARTS / half(n)).clamp(1, PARTS - 1) } else { STAMPED_PARTS }
}

/// The least value of the kind from `from` on and below `below` that is unseen, or `NONE`.
fn next_unseen(seen: &[u8; VALUES], kind: &Kind, from: u16, below: u16) -> u16 {
    /// The lowest bit of each byte.
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let (seen, kind) = (seen.as_chunks().0, kind.as_chunks().0);
    let start = from as usize / 8;
    let mut skipped = !(u64::MAX << (8 * (from % 8)));
    for (eight, (&seen, &others)) in seen.iter().zip(kind).enumerate().skip(start) {
        let left = !(u64::from_le_bytes(seen) | u64::from_le_bytes(others) | skipped) & ONES;
        if left != 0 {
            let value = 8 * eight as u16 + left.trailing_zeros() as u16 / 8;
            return if value < below { value } else { NONE };
        }
        skipped = 0;
    }
    NONE
}

/// The least unseen rare value below `below` that no pair has, or `below`. `values` are those that pairs are made of.
fn least_rare(values: &[u16], seen: &[u8; VALUES], below: u16) -> u16 {
    let mut value = next_unseen(seen, RARE, 0, below);
    while value != NONE && some_pair(values, value) {
        value = next_unseen(seen, RARE, value + 1, below);
    }
    value.min(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::octal_sequence;
    use sha2::{Digest, Sha256};

    fn grown(largest: usize) -> Vec<u16> {
        let mut growth = Growth::new();
        while growth.values().len() <= largest {
            growth.step();
        }
        growth.values()[..=largest].to_vec()
    }

    #[test]
    fn the_sequence_is_that_of_the_plain_recurrence() {
        let plain: Vec<u16> = octal_sequence(&[0, 0, 7], 10_000).iter().map(|&value| value as u16).collect();
        assert_eq!(grown(10_000), plain);
        assert_eq!(FIRST_VALUES, plain[..FIRST_VALUES.len()]);
    }

    #[test]
    fn the_sequence_has_the_published_values() {
        // OEIS A395248, and three public programs; hashes of the values as little-endian u16.
        let values = grown(100_000);
        let start = [0, 0, 0, 1, 1, 1, 2, 2, 0, 3, 3, 1, 1, 1, 0, 4, 3, 3, 3, 2, 2, 2, 4, 4, 0, 5];
        assert_eq!(values[..start.len()], start);
        assert_eq!((values[100], values[1000], values[10_000], values[100_000]), (0, 18, 33, 565));
        for (largest, hash) in [
            (1000, "30691cb45861f043451f4b1928c612256cd33f7eebf94718c5c982e1a5fee3a5"),
            (10_000, "5f237b6d4ccb9ac237e4f641a3a4f02d60274248fd67f7b63ab2c03d54e13356"),
            (100_000, "ca1e48c207e5b814e87c0c335ea1cbf53ad9c92dbb1160e6a538630d51826e09"),
        ] {
            let bytes: Vec<u8> = values[..=largest].iter().flat_map(|value| value.to_le_bytes()).collect();
            let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, hash, "to {largest}");
        }
    }

    #[test]
    fn the_next_unseen_value_is_of_the_kind_and_in_the_bounds() {
        let mut seen = [1; VALUES];
        (seen[5], seen[8], seen[40]) = (0, 0, 0);
        assert_eq!((is_rare(5), is_rare(8), is_rare(40)), (true, false, true));
        for (kind, from, below, expected) in [
            (ALL, 0, NONE, 5),
            (ALL, 5, NONE, 5),
            (ALL, 6, NONE, 8),
            (ALL, 9, NONE, 40),
            (ALL, 9, 41, 40),
            (ALL, 9, 40, NONE),
            (ALL, 41, NONE, NONE),
            (COMMON, 0, NONE, 8),
            (RARE, 6, NONE, 40),
            (COMMON, 9, NONE, NONE),
            (ALL, NONE, NONE, NONE),
        ] {
            assert_eq!(next_unseen(&seen, kind, from, below), expected, "from {from} below {below}");
        }
    }
}
