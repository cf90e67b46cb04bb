//! Compares the fast way through darkraft with the plain one on ever more random boards: `darkraft_long [BOARDS]`.

use sprague::games::darkraft::{Board, plain, solve};
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

    /// A board whose cells are `X` so many times in a hundred.
    fn board(&mut self, rows: u64, columns: u64, crosses: u64) -> Board {
        let cell = |_| if self.below(100) < crosses { b'X' } else { br"\/"[self.below(2) as usize] };
        let cells: Vec<u8> = (0..rows * columns).map(cell).collect();
        Board::new(columns as u32, cells.into()).expect("a board")
    }
}

fn check(board: &Board) {
    let control = Control::unlimited();
    let (fast, expected) = (solve(board, &control), plain(board, &control));
    assert!(fast == expected, "{board:?}: {fast:?}, plainly {expected:?}");
}

fn main() {
    let boards: u64 = std::env::args().nth(1).map_or(5_000_000, |boards| boards.parse().expect("a number of boards"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for done in 1..=boards {
        // Mostly small, since many small boards reach more cases than few large ones.
        let most = if done % 1000 == 0 { 20 } else { 5 };
        let (rows, columns) = (random.below(most) + 1, random.below(most) + 1);
        let crosses = random.below(101);
        check(&random.board(rows, columns, crosses));
        if done % 500_000 == 0 {
            println!("{done} small boards agree");
        }
    }
    // Values past 64 from 23 x 23 on, past 128 at about 40 x 40, past 255 at 64 x 64.
    for (rows, columns) in [(24, 24), (23, 25), (33, 31), (32, 40), (48, 48), (64, 20), (20, 64), (64, 64)] {
        for crosses in [80, 90, 99] {
            check(&random.board(rows, columns, crosses));
        }
        println!("{rows} x {columns} boards rich in X agree");
    }
}
