//! Compares the fast way through End-Nim with the plain one on ever more random rows: `end_nim_long [ROWS]`.

use sprague::games::end_nim::{Board, plain, solve};
use sprague::theory::Control;

/// Reproducible random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// A row of one of the kinds that differ to a solver.
    fn row(&mut self, piles: u64) -> Vec<u64> {
        let most = [2, 3, 5, 9, 1 << 30][self.below(5) as usize];
        match self.below(5) {
            0 => vec![self.below(most) + 1; piles as usize],
            1 => {
                let mut pile = self.below(50) + 1;
                let mut step = || {
                    pile = (pile + self.below(3)).saturating_sub(1).max(1);
                    pile
                };
                (0..piles).map(|_| step()).collect()
            }
            2 => (0..piles).map(|_| u64::MAX - self.below(most)).collect(),
            3 => {
                // A tent or a valley.
                let top = self.below(piles);
                let is_tent = self.below(2) == 0;
                (0..piles).map(|at| if is_tent { piles - at.abs_diff(top) } else { at.abs_diff(top) + 1 }).collect()
            }
            _ => (0..piles).map(|_| self.below(most) + 1).collect(),
        }
    }
}

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(5_000_000, |rows| rows.parse().expect("a number of rows"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for done in 1..=rows {
        let most = if done % 10_000 == 0 { 3000 } else { 30 };
        let piles = random.below(most) + 1;
        let board = Board::new(random.row(piles)).expect("a row");
        let control = Control::unlimited();
        let (fast, expected) = (solve(&board, &control), plain(&board, &control));
        assert!(fast == expected, "{board:?}: {fast:?}, plainly {expected:?}");
        if done % 500_000 == 0 {
            println!("{done} rows agree");
        }
    }
}
