//! The Grundy sequence of 0.007 by its sparse space, 32 values at a time.
//!
//! g(n) is the least value that no pair (a, n - 3 - a) has. The *sparse space* of Berlekamp, Conway and Guy (Winning Ways,
//! chapter 4) shortens the list of pairs. Call a value rare iff it has an even number of bits in common with a mask, and
//! common otherwise. Rare xor rare and common xor common are rare, so a common value is found among the pairs with a rare
//! index or nowhere: there are 22,442 of these below 10^6. A rare value needs all pairs, but is nearly always found among
//! the first few thousand. Any mask is right; a bad one is slow.
//!
//! 1. *Stamp*: some pairs, taken far apart, mark their values as seen. That leaves some ten unseen values of either kind
//!    below g(n).
//! 2. *Settle* the common values, 32 heaps at once, a lane each: the least unseen ones are candidates, and all other
//!    pairs with a rare index are compared with all of them. A candidate that some pair has gives way to the next unseen
//!    value; the least one that no pair has stays.
//! 3. Settle the rare values below that, a heap at a time, with all pairs. The least one that stays is g(n).
//!
//! The pairs of the first 29 indices are looked at one by one, since their partners may be among the 32.

use super::pairs::{
    Candidates, Entry, FIRST, LANES, SLOTS, Seen, VALUES, hits_listed, hits_mirrored, stamp_listed, stamp_mirrored,
};
use std::array;

/// g(0), ..., g(66): the values of all zones that fit a word.
pub(super) const FIRST_VALUES: [u16; 67] = first_values();

/// The start of the sequence, by its definition.
const fn first_values<const N: usize>() -> [u16; N] {
    let mut g = [0; N];
    let mut n = 3;
    while n < N {
        let (mut seen, mut a) = (0u64, 0);
        while a <= n - 3 {
            seen |= 1 << (g[a] ^ g[n - 3 - a]);
            a += 1;
        }
        g[n] = seen.trailing_ones() as u16;
        n += 1;
    }
    g
}

/// Known values before the first step: enough for two blocks of pairs, and the rest in whole steps up to any power of two.
const START: usize = 128;
/// The best mask from 2^12 on, by the histogram of the values.
const MASK: u16 = 0x7b8;
/// Parts that the rare indices are dealt into like cards, so that each is a fair sample of them.
const PARTS: usize = 64;
/// Neighbours that are dealt together: their partners are near each other too.
const DEALT: usize = 8;
/// Rare indices whose pairs are stamped, but at most half of them all.
const STAMPED_RARE: usize = 5600;
/// Other pairs that are stamped, but at most a third of them all.
const STAMPED: usize = 4096;
/// Pairs that rare candidates are compared with at a time.
const COMPARED: usize = 1024;
/// A candidate that no pair has.
const NONE: u16 = u16::MAX;

/// About how many nanoseconds of one core the first `values` values take.
pub(super) const fn work(values: usize) -> u64 {
    // Measured: 0.3 s for 2^16, then 10 to 13 us a value.
    const LINEAR_FROM: usize = 1 << 16;
    let (square, linear) = if values < LINEAR_FROM { (values, 0) } else { (LINEAR_FROM, values - LINEAR_FROM) };
    (square * square / 14 + linear * 12_000) as u64
}

const fn is_rare(value: u16) -> bool {
    (value & MASK).count_ones().is_multiple_of(2)
}

/// Which values a search is for: a 0 for each, and a 1 for every other.
type Kind = Seen;
const COMMON: &Kind = &kind(false);
const RARE: &Kind = &kind(true);

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
    /// The known indices of rare values from `FIRST` on, dealt into parts.
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

    /// Finds the next 32 values (the first time, 128 more), in well under a millisecond.
    pub fn step(&mut self) {
        if self.values.is_empty() {
            self.values.extend(first_values::<START>());
            self.list_rare(FIRST);
        }
        let n = self.values.len();
        let mut seen = [[0; VALUES]; LANES];
        let (stamped, other) = self.rare.split_at(self.stamped_parts());
        stamped.iter().for_each(|part| stamp_listed(&self.values, part, &mut seen));
        for (lane, seen) in seen.iter_mut().enumerate() {
            self.stamp_all(lane, seen);
        }
        let settle_common = |seen: &[Seen; LANES], known: &[u16], below| {
            settle(seen, COMMON, below, other.len(), |part, candidates| hits_listed(known, &other[part], candidates))
        };
        let common = settle_common(&seen, &self.values, [NONE; LANES]);
        for lane in 0..LANES {
            // The pairs of the first indices whose partners are among the 32.
            for index in 0..(lane + 1).saturating_sub(3) {
                seen[lane][(self.values[index] ^ self.values[n + lane - 3 - index]) as usize] = 1;
            }
            let mut least = common[lane];
            if seen[lane][least as usize] != 0 {
                let only_here = array::from_fn(|other| if other == lane { NONE } else { 0 });
                least = settle_common(&seen, &self.values[..n], only_here)[lane];
            }
            let pairs = &self.values[..n + lane - 2];
            let parts = (pairs.len() / (2 * COMPARED)).max(1);
            let look = |part, candidates: &_| hits_mirrored(pairs, part, parts, candidates);
            let [value] = settle(array::from_ref(&seen[lane]), RARE, [least], parts, look);
            self.values.push(value);
        }
        self.list_rare(n);
    }

    /// How many parts of the rare indices are stamped.
    fn stamped_parts(&self) -> usize {
        (STAMPED_RARE * PARTS / self.rare_count).clamp(1, PARTS / 2)
    }

    /// Marks the values of a sample of all pairs of a lane's heap, and of those with the first indices and known partners.
    fn stamp_all(&self, lane: usize, seen: &mut Seen) {
        let whole = self.values.len() + lane - 3;
        // The first index whose partner is known.
        let first = lane.saturating_sub(2);
        for index in first..FIRST {
            seen[(self.values[index] ^ self.values[whole - index]) as usize] = 1;
        }
        let pairs = &self.values[first..=whole - first];
        stamp_mirrored(pairs, (pairs.len() / (2 * STAMPED)).max(3), seen);
    }

    /// Adds the rare ones of the values from `n` on to the list.
    fn list_rare(&mut self, n: usize) {
        for (index, &value) in self.values.iter().enumerate().skip(n).filter(|(_, value)| is_rare(**value)) {
            self.rare[self.rare_count / DEALT % PARTS].push(Entry { index: index as u32, value });
            self.rare_count += 1;
        }
    }
}

/// The least unseen value of a kind that no pair has, in each lane, or `below` where there is none below that.
///
/// `look` compares one of so many parts of the pairs with candidates; all parts and what was seen are all pairs that can
/// have a value of the kind.
fn settle<const N: usize>(
    seen: &[Seen; N],
    kind: &Kind,
    below: [u16; N],
    parts: usize,
    look: impl Fn(usize, &Candidates<N>) -> Candidates<N>,
) -> [u16; N] {
    let mut least = below;
    let mut from = [0; N];
    let mut take = |lane: usize, least: &[u16; N]| {
        let candidate = next_unseen(&seen[lane], kind, from[lane], least[lane]);
        from[lane] = candidate.saturating_add(1);
        candidate
    };
    let mut candidates: Candidates<N> = [(); SLOTS].map(|()| array::from_fn(|lane| take(lane, &least)));
    // When the candidate was taken, counted in parts.
    let mut taken = [[0; N]; SLOTS];
    let mut now = 0;
    while candidates != [[NONE; N]; SLOTS] {
        let hits = look(now % parts, &candidates);
        now += 1;
        for slot in 0..SLOTS {
            if now < parts && hits[slot] == [0; N] {
                continue;
            }
            for lane in 0..N {
                let candidate = candidates[slot][lane];
                if candidate > least[lane] {
                    candidates[slot][lane] = NONE;
                } else if hits[slot][lane] != 0 {
                    candidates[slot][lane] = take(lane, &least);
                    taken[slot][lane] = now;
                } else if now - taken[slot][lane] >= parts {
                    candidates[slot][lane] = NONE;
                    least[lane] = least[lane].min(candidate);
                }
            }
        }
    }
    least
}

/// The least value of the kind from `from` on and below `below` that is unseen, or `NONE`.
fn next_unseen(seen: &Seen, kind: &Kind, from: u16, below: u16) -> u16 {
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
            (RARE, 0, NONE, 5),
            (RARE, 5, NONE, 5),
            (RARE, 6, NONE, 40),
            (RARE, 6, 41, 40),
            (RARE, 6, 40, NONE),
            (RARE, 41, NONE, NONE),
            (COMMON, 0, NONE, 8),
            (COMMON, 8, NONE, 8),
            (COMMON, 9, NONE, NONE),
            (COMMON, NONE, NONE, NONE),
        ] {
            assert_eq!(next_unseen(&seen, kind, from, below), expected, "from {from} below {below}");
        }
    }
}
