//! The known wrong methods for End-Nim and darkraft, written from their descriptions: each says whether the first player wins.

use std::collections::HashMap;

use bytes::Bytes;
use sprague::games::{Board, Outcome, darkraft};

use crate::making::outcome;

fn is_won(board: &Board) -> bool {
    outcome(board) == Outcome::FirstPlayerWins
}

/// The rule of Albert and Nowakowski with ties put outside: a pile equal to a threshold counts as below or above both.
pub(crate) fn ties_outside(piles: &[u64]) -> bool {
    by_thresholds(
        piles,
        |x, near, far| if x <= near.min(far) || x >= near.max(far) { x } else { between(x, near, far) },
    )
}

/// The same rule without its case of 0.
pub(crate) fn no_zero(piles: &[u64]) -> bool {
    by_thresholds(piles, |x, near, far| if x < near.min(far) || x > near.max(far) { x } else { between(x, near, far) })
}

fn between(x: u64, near: u64, far: u64) -> u64 {
    if near > far { x - 1 } else { x + 1 }
}

/// `grow(x, near, far)`: the threshold on the side of `near` when a pile x comes on the other side.
fn by_thresholds(piles: &[u64], grow: fn(u64, u64, u64) -> u64) -> bool {
    let [first, others @ ..] = piles else { return false };
    let Some(last) = others.len().checked_sub(1) else { return true };
    // (l, r) of the stretches of one length.
    let mut thresholds: Vec<(u64, u64)> = others.iter().map(|&pile| (pile, pile)).collect();
    for length in 2..=others.len() {
        let longer = |from: usize| {
            let ((left, right), (l, r)) = (thresholds[from], thresholds[from + 1]);
            (grow(others[from + length - 1], left, right), grow(others[from], r, l))
        };
        thresholds = (0..=last + 1 - length).map(longer).collect();
    }
    thresholds[0].0 != *first
}

/// The other judge's letters.
pub(crate) fn other_letters(board: &Board) -> bool {
    let Board::Darkraft(board) = board else { panic!("a darkraft board") };
    let other = |&cell: &u8| match cell {
        b'/' => b'\\',
        b'\\' => b'/',
        other => other,
    };
    let cells: Bytes = board.cells().iter().map(other).collect();
    is_won(&Board::Darkraft(darkraft::Board::new(board.columns(), cells).unwrap()))
}

/// "All X is won iff both sides are odd"; anything else is answered rightly.
pub(crate) fn all_x_by_parity(board: &Board) -> bool {
    match board {
        Board::Darkraft(grid) if grid.cells().iter().all(|&cell| cell == b'X') => {
            grid.rows() % 2 == 1 && grid.columns() % 2 == 1
        }
        _ => is_won(board),
    }
}

/// Waves that run on through cells that are out; grids of more than 12 cells are answered rightly.
pub(crate) fn waves_run_on(board: &Board) -> bool {
    match board {
        Board::Darkraft(grid) if grid.cells().len() <= 12 => {
            wins(grid, (1 << grid.cells().len()) - 1, &mut HashMap::new())
        }
        _ => is_won(board),
    }
}

fn wins(grid: &darkraft::Board, active: u32, known: &mut HashMap<u32, bool>) -> bool {
    if let Some(&found) = known.get(&active) {
        return found;
    }
    let columns = grid.columns() as i32;
    let found = (0..grid.cells().len()).filter(|at| active >> at & 1 == 1).any(|at| {
        let (row, column) = (at as i32 / columns, at as i32 % columns);
        let stays = |other: &usize| {
            let (rows, across) = (*other as i32 / columns - row, *other as i32 % columns - column);
            let (falling, rising) = (rows == across, rows == -across);
            !(match grid.cells()[at] {
                b'\\' => falling,
                b'/' => rising,
                _ => falling || rising,
            })
        };
        let after = (0..grid.cells().len()).filter(stays).fold(0, |mask, other| mask | (active & 1 << other));
        !wins(grid, after, known)
    });
    known.insert(active, found);
    found
}

#[test]
fn each_method_is_wrong_as_it_is_known_to_be() {
    assert!(ties_outside(&[1, 1, 2, 2]), "it is lost");
    assert!(!no_zero(&[3, 2, 2]), "it is won: take all 3");
    // What they depart from.
    assert!(!by_thresholds(&[1, 1, 2, 2], |x, near, far| match x {
        x if x == far => 0,
        x if x < near.min(far) || x > near.max(far) => x,
        x => between(x, near, far),
    }));
    let grid = |columns, cells: &str| {
        Board::Darkraft(darkraft::Board::new(columns, Bytes::copy_from_slice(cells.as_bytes())).unwrap())
    };
    for (board, method) in [
        (grid(2, r"X//\"), other_letters as fn(&Board) -> bool),
        (grid(3, r"///////\\"), waves_run_on),
        (grid(3, r"\\\\\\/\/"), waves_run_on),
        (grid(11, &"X".repeat(77)), all_x_by_parity),
    ] {
        assert_ne!(method(&board), is_won(&board), "{board:?}");
    }
}
