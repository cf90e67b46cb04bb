//! Cells as bits: 64 cells a word, cell i of the board at bit i % 64 of word i / 64, a set bit for an X.

use crate::wide::wide;

/// Eight bytes of `.`.
const DOTS: u64 = u64::from_le_bytes([b'.'; 8]);
/// The lowest bit of each byte.
const ONES: u64 = u64::from_le_bytes([1; 8]);

/// Packs up to 64 cells: a bit for each X, and whether every byte is `.` or `X`.
///
/// Cells that are not there count as `.`.
#[inline(always)]
pub(super) fn pack(cells: &[u8]) -> (u64, bool) {
    let (eights, rest) = cells.as_chunks::<8>();
    let (mut word, mut wrong) = (0, 0);
    for (place, &eight) in eights.iter().enumerate() {
        let (bits, unlike) = pack_eight(u64::from_le_bytes(eight));
        word |= bits << (8 * place);
        wrong |= unlike;
    }
    if !rest.is_empty() {
        let mut eight = [b'.'; 8];
        eight[..rest.len()].copy_from_slice(rest);
        let (bits, unlike) = pack_eight(u64::from_le_bytes(eight));
        word |= bits << (8 * eights.len());
        wrong |= unlike;
    }
    (word, wrong == 0)
}

/// The bits of eight cells, and 0 iff each is `.` or `X`.
#[inline(always)]
fn pack_eight(cells: u64) -> (u64, u64) {
    // `.` is 0x2e and `X` 0x58: bit 6 tells them apart, and their difference rebuilds the byte from that bit alone.
    let is_x = cells >> 6 & ONES;
    let wrong = cells ^ (DOTS + is_x * (b'X' - b'.') as u64);
    // Flag i moves 7i bits down: into one byte, the first cell's lowest, and no other comes there. (A product would do it
    // in one step, but not in vectors.)
    let twos = is_x | is_x >> 7;
    let fours = twos | twos >> 14;
    ((fours | fours >> 28) & 0xff, wrong)
}

wide! {
    /// Whether cells are `.` and `X` without XXX, and if so, a bound on the length of a run of `.` among them.
    ///
    /// The bound is at least the longest run, at most all cells, and less than 128 cells above the longest run.
    pub(super) fn zone_bound / zone_bound_portable(cells: &[u8]) -> Option<usize> {
        let (mut before, mut right, mut three) = (0, true, 0);
        let (mut empty, mut most_empty) = (0, 0);
        for chunk in cells.chunks(64) {
            let (word, is_right) = pack(chunk);
            right &= is_right;
            three |= word & (word << 1 | before >> 63) & (word << 2 | before >> 62);
            before = word;
            empty = if word == 0 { empty + 1 } else { 0 };
            most_empty = most_empty.max(empty);
        }
        // A run reaches at most 63 cells into the words on both sides of its empty ones.
        (right && three == 0).then(|| cells.len().min(64 * most_empty + 126))
    }
}

/// Each bit's left neighbours at distance 1 and 2, then its right ones, for a word between two others.
#[inline(always)]
pub(super) fn neighbours(before: u64, word: u64, after: u64) -> [u64; 4] {
    [word << 1 | before >> 63, word << 2 | before >> 62, word >> 1 | after << 63, word >> 2 | after << 62]
}

/// The bits of the word that starts at cell `from` which lie within a board of `cells` cells.
#[inline(always)]
pub(super) fn within(cells: usize, from: usize) -> u64 {
    match cells - from {
        64.. => u64::MAX,
        left => (1 << left) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_becomes_its_bit() {
        for cells in 0..=64 {
            for x in 0..cells {
                let mut board = vec![b'.'; cells];
                board[x] = b'X';
                assert_eq!(pack(&board), (1 << x, true), "cell {x} of {cells}");
            }
            assert_eq!(pack(&vec![b'.'; cells]), (0, true));
            assert_eq!(pack(&vec![b'X'; cells]), (within(cells, 0), true));
        }
    }

    #[test]
    fn every_other_byte_is_seen_in_every_place() {
        for byte in (0..=255).filter(|byte| !b".X".contains(byte)) {
            for at in 0..64 {
                for around in [b'.', b'X'] {
                    let mut board = vec![around; 64];
                    board[at] = byte;
                    assert!(!pack(&board).1, "byte {byte} at {at}");
                    assert!(!pack(&board[..=at]).1, "byte {byte} at the end, {at}");
                }
            }
        }
    }

    #[test]
    fn the_bound_is_little_above_the_longest_run() {
        for (before, run, after) in
            [(0, 3, 0), (1, 62, 40), (0, 64, 1), (63, 64, 64), (1, 1000, 1), (640, 5000, 640), (5, 127, 5)]
        {
            let mut cells = b"X.".repeat(before);
            cells.extend(vec![b'.'; run]);
            cells.extend(b"X.".repeat(after));
            let longest = cells.split(|&cell| cell == b'X').map(<[u8]>::len).max().unwrap_or(0);
            let bound = zone_bound(&cells).unwrap();
            assert!(
                (longest..longest + 128).contains(&bound) && bound <= cells.len(),
                "{before} {run} {after}: {bound}"
            );
            assert_eq!(zone_bound_portable(&cells), Some(bound));
            let last = cells.len() - 1;
            cells[last] = b'o';
            assert_eq!((zone_bound(&cells), zone_bound_portable(&cells)), (None, None));
        }
    }

    #[test]
    fn neighbours_cross_words() {
        let [left1, left2, right1, right2] = neighbours(1 << 63, 0b1, 0b10);
        assert_eq!((left1, left2), (0b11, 0b110));
        assert_eq!((right1, right2), (0, 1 << 63));
    }
}
