//! The fast way to solve a board: 64 cells at a time, every winning cell by one look at the table.
//!
//! A zone of L cells has value g(L + 2), and its cell i leaves zones worth g(i) xor g(L - 1 - i); the cell wins iff that
//! is t, the nim-sum of the other zones. Both ends of the zone meet the same values, so the winning cells of a zone are a
//! palindrome, and there is no special case at its edges. The winning cells of a zone of up to 64 cells are a word of a
//! small table, `W[L][t]`; those of a longer one are found in blocks of 64 over its left half.

use super::growth::FIRST_VALUES;
use super::pairs::any_mirrored;
use super::words::{neighbours, pack, within};
use crate::wide::wide;

/// Cells of a board whose words stay on the stack.
const SMALL: usize = 256;
/// Zones of a board of n cells: each needs a cell, and two and an X and two more between it and the next.
const fn most_zones(cells: usize) -> usize {
    cells / 6 + 1
}
const SMALL_WORDS: usize = SMALL / 64;
/// Values of zones of up to 64 cells are below this, and so are their xors.
const SMALL_VALUES: usize = 16;

/// `W[L][t]`: the cells i of a zone of L with g(i) xor g(L - 1 - i) = t, as bits.
static W: [[u64; SMALL_VALUES]; 65] = {
    let mut w = [[0; SMALL_VALUES]; 65];
    let mut length = 1;
    while length <= 64 {
        let mut i = 0;
        while i < length {
            w[length][(FIRST_VALUES[i] ^ FIRST_VALUES[length - 1 - i]) as usize] |= 1 << i;
            i += 1;
        }
        length += 1;
    }
    w
};

/// Every winning first move in increasing order, and the nim-sum of the zones, or `None` where a move wins at once.
///
/// Assumes a board of `.` and `X` without XXX, and a table that covers its longest zone + 2.
pub(super) fn solve(cells: &[u8], table: &[u16]) -> (Vec<u32>, Option<u32>) {
    if cells.len() <= SMALL { small(cells, table) } else { large(cells, table) }
}

/// Where each zone starts and ends, the end being the cell after.
///
/// Assumes as `solve`.
pub(super) fn zones(cells: &[u8]) -> Vec<[u32; 2]> {
    let mut words: Vec<u64> = cells.chunks(64).map(|cells| pack(cells).0).chain([0]).collect();
    let mut free = vec![0; words.len() - 1];
    split(&mut words, &mut free, cells.len());
    zone_edges(&free, cells.len(), &mut vec![0; 2 * most_zones(cells.len())]).as_chunks().0.to_vec()
}

wide! {
    /// A board whose words fit the stack.
    fn small / small_portable(cells: &[u8], table: &[u16]) -> (Vec<u32>, Option<u32>) {
        let count = cells.len().div_ceil(64);
        let mut words = [0; SMALL_WORDS + 1];
        let mut edges = [0; 2 * most_zones(SMALL)];
        on_words(cells, table, &mut words[..count + 1], &mut [0; SMALL_WORDS][..count], &mut edges)
    }
}

wide! {
    /// A board of any length.
    fn large / large_portable(cells: &[u8], table: &[u16]) -> (Vec<u32>, Option<u32>) {
        let count = cells.len().div_ceil(64);
        let mut words = vec![0; count + 1];
        let mut edges = vec![0; 2 * most_zones(cells.len())];
        on_words(cells, table, &mut words, &mut vec![0; count], &mut edges)
    }
}

/// `winning` has a word more than the board, so that a zone's mask may reach over the end.
#[inline(always)]
fn on_words(
    cells: &[u8],
    table: &[u16],
    winning: &mut [u64],
    free: &mut [u64],
    edges: &mut [u32],
) -> (Vec<u32>, Option<u32>) {
    for (word, cells) in winning.iter_mut().zip(cells.chunks(64)) {
        *word = pack(cells).0;
    }
    if split(winning, free, cells.len()) {
        return (listed(winning), None);
    }
    let edges = zone_edges(free, cells.len(), edges);
    let zones = edges.as_chunks::<2>().0;
    let mut sum = 0;
    for [start, end] in zones {
        sum ^= table[(end - start + 2) as usize];
    }
    if sum == 0 {
        return (Vec::new(), Some(0));
    }
    winning.fill(0);
    for &[start, end] in zones {
        let (start, length) = (start as usize, (end - start) as usize);
        let rest = sum ^ table[length + 2];
        if length <= 64 {
            if (rest as usize) < SMALL_VALUES {
                set(winning, start, W[length][rest as usize]);
            }
        } else {
            long_zone(&table[..length], rest, winning, start);
        }
    }
    (listed(winning), Some(sum as u32))
}

/// Turns the X's in `words` into the cells that win at once, and writes the zones' cells to `free`; whether any wins.
#[inline(always)]
fn split(words: &mut [u64], free: &mut [u64], cells: usize) -> bool {
    let (mut before, mut any) = (0, 0);
    for at in 0..free.len() {
        let word = words[at];
        let [left1, left2, right1, right2] = neighbours(before, word, words[at + 1]);
        let empty = !word & within(cells, 64 * at);
        words[at] = empty & (left1 & left2 | left1 & right1 | right1 & right2);
        free[at] = empty & !(left1 | left2 | right1 | right2);
        any |= words[at];
        before = word;
    }
    any != 0
}

/// Where the zones start and end, one after the other: `start, end, start, end, ...`, the end being the cell after.
#[inline(always)]
fn zone_edges<'a>(free: &[u64], cells: usize, edges: &'a mut [u32]) -> &'a [u32] {
    let (mut count, mut before) = (0, 0);
    for (at, &word) in free.iter().enumerate() {
        let mut changes = word ^ (word << 1 | before >> 63);
        while changes != 0 {
            edges[count] = 64 * at as u32 + changes.trailing_zeros();
            count += 1;
            changes &= changes - 1;
        }
        before = word;
    }
    if count % 2 == 1 {
        edges[count] = cells as u32;
        count += 1;
    }
    &edges[..count]
}

/// Sets the bits of `mask` in `words`, its lowest at cell `start`.
#[inline(always)]
fn set(words: &mut [u64], start: usize, mask: u64) {
    let (at, by) = (start / 64, start % 64);
    words[at] |= mask << by;
    words[at + 1] |= mask >> 1 >> (63 - by);
}

/// Sets the cells i of a zone that starts at `start` for which `values[i] ^ values[L - 1 - i]` is `rest`, L > 64 being
/// the length of `values` and of the zone.
#[inline(always)]
fn long_zone(values: &[u16], rest: u16, words: &mut [u64], start: usize) {
    let length = values.len();
    for from in (0..length.div_ceil(2)).step_by(64) {
        let mirror = length - 64 - from;
        let (Some(left), Some(right)) = (values[from..].first_chunk(), values[mirror..].first_chunk()) else {
            continue;
        };
        if any_mirrored(left, right, rest) {
            let mask = pair_mask(left, right, rest);
            set(words, start + from, mask);
            set(words, start + mirror, mask.reverse_bits());
        }
    }
}

/// The i for which `left[i] ^ right[63 - i]` is `rest`, as bits.
#[inline(always)]
fn pair_mask(left: &[u16; 64], right: &[u16; 64], rest: u16) -> u64 {
    let mut mask = 0;
    for i in 0..64 {
        mask |= ((left[i] ^ right[63 - i] == rest) as u64) << i;
    }
    mask
}

/// The cells whose bits are set, in increasing order.
#[inline(always)]
fn listed(words: &[u64]) -> Vec<u32> {
    let count: u32 = words.iter().map(|word| word.count_ones()).sum();
    let mut cells = Vec::with_capacity(count as usize);
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            cells.push(64 * at as u32 + left.trailing_zeros());
            left &= left - 1;
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::treblecross::plain;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    const LONGEST: usize = 5000;

    /// The values of every heap that a board here has, by the plain recurrence.
    static VALUES: LazyLock<Vec<u32>> = LazyLock::new(|| plain::values(LONGEST + 2));
    static TABLE: LazyLock<Vec<u16>> = LazyLock::new(|| VALUES.iter().map(|&value| value as u16).collect());

    /// Cells with X's `low` to `high` apart and no XXX, the same for the same seed.
    fn spaced(seed: u64, cells: usize, low: u64, high: u64) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |low: u64, high: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (low + state % (high - low + 1)) as usize
        };
        let (mut board, mut at) = (vec![b'.'; cells], next(0, high));
        while at < cells {
            board[at] = b'X';
            at += next(low, high);
            if at >= 2 && board.get(at - 2..at) == Some(b"XX") {
                at += 1;
            }
        }
        board
    }

    #[test]
    fn boards_of_every_length_class_equal_the_plain_method() {
        let (mut immediate, mut lost, mut solved) = (0, 0, 0);
        for (lengths, count) in
            [(3..=200, 3), (60..=70, 40), (120..=140, 20), (250..=260, 10), (1000..=1000, 5), (LONGEST..=LONGEST, 1)]
        {
            for cells in lengths {
                for (low, high) in [(1, 40), (2, 9), (3, 20), (3, 90), (60, 140), (120, 5000)] {
                    for seed in 0..count {
                        let board = spaced(seed * 1000 + cells as u64, cells, low, high);
                        let expected = plain::solve(&board, &VALUES);
                        immediate += usize::from(expected.1.is_none());
                        lost += usize::from(expected.1 == Some(0));
                        solved += 1;
                        let text = String::from_utf8_lossy(&board);
                        assert_eq!(solve(&board, &TABLE), expected, "{text}");
                        assert_eq!(large_portable(&board, &TABLE), expected, "{text}");
                    }
                }
            }
        }
        assert!(immediate > solved / 10 && lost > solved / 100, "{immediate} at once, {lost} lost, of {solved}");
    }

    #[test]
    fn zones_that_cross_words_and_blocks_equal_the_plain_method() {
        // One zone of every length from 55 to 200 at every place in a word, with a zone of 1 cell beside it.
        for length in 55..=200 {
            for start in 0..64 {
                let mut board = vec![b'.'; start + length + 8];
                if start >= 3 {
                    board[start - 3] = b'X';
                }
                board[start + length + 2] = b'X';
                assert_eq!(solve(&board, &TABLE), plain::solve(&board, &VALUES), "{length} cells from {start}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_mirrored_board_has_the_mirrored_answer(seed: u64, cells in 3..700usize, low in 1..5u64, high in 5..300u64) {
            let mut board = spaced(seed, cells, low, high);
            let answer = solve(&board, &TABLE);
            board.reverse();
            let (mut moves, nimber) = solve(&board, &TABLE);
            moves.reverse();
            moves.iter_mut().for_each(|cell| *cell = cells as u32 - 1 - *cell);
            prop_assert_eq!((moves, nimber), answer);
        }

        #[test]
        fn a_move_wins_iff_it_leaves_a_lost_board(seed: u64, cells in 3..400usize, low in 1..5u64, high in 5..300u64) {
            let mut board = spaced(seed, cells, low, high);
            let (moves, _) = solve(&board, &TABLE);
            for cell in (0..cells).step_by(7) {
                if board[cell] == b'.' {
                    board[cell] = b'X';
                    let wins = board.windows(3).any(|three| three == b"XXX") || solve(&board, &TABLE).0.is_empty();
                    prop_assert_eq!(moves.contains(&(cell as u32)), wins, "cell {}", cell);
                    board[cell] = b'.';
                }
            }
        }
    }
}
