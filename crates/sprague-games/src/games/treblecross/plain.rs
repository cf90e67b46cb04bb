//! The slow obvious way to solve a board, kept as the reference: every move is made, and judged by the theory.
//!
//! It shares nothing with the fast kernels: no packed words, no masks, no palindrome. n cells take about n^2 steps.

use crate::theory::{nim_sum, octal_sequence};

/// The nim-values of 0.007 for heaps of 0 to `largest` tokens by the plain recurrence; a zone of L cells is a heap of
/// L + 2 tokens.
pub fn values(largest: usize) -> Vec<u32> {
    octal_sequence(&[0, 0, 7], largest)
}

/// Every winning first move in increasing order, and the nim-sum of the zones, or `None` where a move wins at once.
///
/// Assumes a board of `.` and `X` without XXX, and `values` of heaps up to its length + 2.
pub fn solve(cells: &[u8], values: &[u32]) -> (Vec<u32>, Option<u32>) {
    let immediate = moves_to(cells, is_over);
    if !immediate.is_empty() {
        return (immediate, None);
    }
    let lost = |after: &[u8]| !is_won_at_once(after) && zone_sum(after, values) == 0;
    (moves_to(cells, lost), Some(zone_sum(cells, values)))
}

/// The empty cells in which an X makes a board that is `wanted`.
fn moves_to(cells: &[u8], wanted: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let mut board = cells.to_vec();
    let mut moves = Vec::new();
    for at in 0..board.len() {
        if board[at] == b'.' {
            board[at] = b'X';
            if wanted(&board) {
                moves.push(at as u32);
            }
            board[at] = b'.';
        }
    }
    moves
}

/// Whether there is an XXX.
fn is_over(cells: &[u8]) -> bool {
    cells.windows(3).any(|three| three == b"XXX")
}

/// Whether some move makes an XXX.
fn is_won_at_once(cells: &[u8]) -> bool {
    cells.windows(3).any(|three| three.iter().filter(|&&cell| cell == b'X').count() == 2)
}

/// The nim-sum of the zones: the runs of cells that are 3 or more away from every X.
fn zone_sum(cells: &[u8], values: &[u32]) -> u32 {
    let is_free = |at: usize| !cells[at.saturating_sub(2)..cells.len().min(at + 3)].contains(&b'X');
    let free: Vec<bool> = (0..cells.len()).map(is_free).collect();
    nim_sum(free.split(|&is_free| !is_free).filter(|zone| !zone.is_empty()).map(|zone| values[zone.len() + 2]))
}
