//! Compares the fast way through End-Nim with the plain one on ever more random rows: `end_nim_long [ROWS]`.

#[path = "../benches/boards/mod.rs"]
mod boards;

use sprague::games::end_nim::{Board, plain, solve};
use sprague::theory::Control;

use boards::Random;

/// A row of one of the kinds that differ to a solver.
fn row(random: &mut Random, piles: u64) -> Vec<u64> {
    let most = [2, 3, 5, 9, 1 << 30][random.between(0, 4) as usize];
    match random.between(0, 4) {
        0 => vec![random.between(1, most); piles as usize],
        1 => {
            let mut pile = random.between(1, 50);
            let mut step = || {
                pile = (pile + random.between(0, 2)).saturating_sub(1).max(1);
                pile
            };
            (0..piles).map(|_| step()).collect()
        }
        2 => (0..piles).map(|_| u64::MAX - random.between(0, most - 1)).collect(),
        3 => {
            // A tent or a valley.
            let top = random.between(0, piles - 1);
            let is_tent = random.between(0, 1) == 0;
            (0..piles).map(|at| if is_tent { piles - at.abs_diff(top) } else { at.abs_diff(top) + 1 }).collect()
        }
        _ => (0..piles).map(|_| random.between(1, most)).collect(),
    }
}

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(5_000_000, |rows| rows.parse().expect("a number of rows"));
    let mut random = Random::new();
    for done in 1..=rows {
        let most = if done % 10_000 == 0 { 3000 } else { 30 };
        let piles = random.between(1, most);
        let board = Board::new(row(&mut random, piles)).expect("a row");
        let control = Control::unlimited();
        let (fast, expected) = (solve(&board, &control), plain(&board, &control));
        assert!(fast == expected, "{board:?}: {fast:?}, plainly {expected:?}");
        if done % 500_000 == 0 {
            println!("{done} rows agree");
        }
    }
}
