//! Compares the fast way through darkraft with the plain one on ever more random boards: `darkraft_long [BOARDS]`.

#[path = "../benches/boards/mod.rs"]
mod boards;

use sprague::games::darkraft::{Board, plain, solve};
use sprague::theory::Control;

use boards::Random;

fn check(board: &Board) {
    let control = Control::unlimited();
    let (fast, expected) = (solve(board, &control), plain(board, &control));
    assert!(fast == expected, "{board:?}: {fast:?}, plainly {expected:?}");
}

fn main() {
    let boards: u64 = std::env::args().nth(1).map_or(5_000_000, |boards| boards.parse().expect("a number of boards"));
    let mut random = Random::new();
    for done in 1..=boards {
        // Mostly small, since many small boards reach more cases than few large ones.
        let most = if done % 1000 == 0 { 20 } else { 5 };
        let (rows, columns) = (random.between(1, most) as u32, random.between(1, most) as u32);
        let crosses = random.between(0, 100);
        check(&random.darkraft(rows, columns, crosses));
        if done % 500_000 == 0 {
            println!("{done} small boards agree");
        }
    }
    // Values past 64 from 23 x 23 on, past 128 at about 40 x 40, past 255 at 64 x 64.
    for (rows, columns) in [(24, 24), (23, 25), (33, 31), (32, 40), (48, 48), (64, 20), (20, 64), (64, 64)] {
        for crosses in [80, 90, 99] {
            check(&random.darkraft(rows, columns, crosses));
        }
        println!("{rows} x {columns} boards rich in X agree");
    }
}
