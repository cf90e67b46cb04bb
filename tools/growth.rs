//! How cost grows with size, every solver beside its plain method: prints CSV, `work,size,method,seconds`.
//!
//! `cargo run --release --example growth > docs/growth.csv && benches/plot` takes some two minutes on an idle machine.

#[path = "../benches/boards/mod.rs"]
mod boards;

use std::hint::black_box;
use std::time::{Duration, Instant};

use sprague::games::{darkraft, end_nim, treblecross};
use sprague::theory::Control;

use boards::Random;

/// A plain method is tried on the next larger board only if it took less than this many seconds on the last; less than
/// a tenth where its time is the square of the size.
const PATIENCE: f64 = 2.0;

fn main() {
    println!("work,size,method,seconds");
    let values = treblecross::plain::values(1 << 12);
    let control = Control::unlimited();
    let mut random = Random::new();

    let mut is_patient = true;
    for cells in [20, 63, 200, 632, 2000, 6325, 20_000, 63_246, 200_000, 632_456, 1_000_000] {
        let work = "Treblecross, 10 % X: cells";
        let board = random.treblecross(cells, 3, 17);
        row(work, cells, "fast", || treblecross::solve(&board, &control));
        let plain = || row(work, cells, "plain", || treblecross::plain::solve(board.cells(), &values));
        is_patient = is_patient && plain() < PATIENCE / 10.0;
    }
    for (work, crosses) in [("darkraft, random letters: rows", 33), ("darkraft, 90 % X: rows", 90)] {
        let mut is_patient = true;
        for side in [4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64] {
            let board = random.darkraft(side, side, crosses);
            row(work, side as usize, "fast", || darkraft::solve(&board, &control));
            let plain = || row(work, side as usize, "plain", || darkraft::plain(&board, &control));
            is_patient = is_patient && plain() < PATIENCE;
        }
    }
    for (work, most) in [("End-Nim, up to 10^9: piles", 1_000_000_000), ("End-Nim, 1 and 2: piles", 2)] {
        let mut is_patient = true;
        for piles in [10, 32, 100, 316, 1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000] {
            let board = random.end_nim(piles, most);
            row(work, piles, "fast", || end_nim::solve(&board, &control));
            let plain = || row(work, piles, "plain", || end_nim::plain(&board, &control));
            is_patient = is_patient && plain() < PATIENCE / 10.0;
        }
    }
    table();
}

/// The Grundy table, each method once from nothing.
fn table() {
    let mut growth = treblecross::growth::Growth::new();
    let start = Instant::now();
    for size in [1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000] {
        while growth.values().len() <= size {
            growth.step();
        }
        println!("\"Grundy table of 0.007: values\",{size},fast,{}", start.elapsed().as_secs_f64());
    }
    for size in [1000, 3162, 10_000, 31_623, 100_000] {
        let start = Instant::now();
        let values = treblecross::plain::values(size);
        println!("\"Grundy table of 0.007: values\",{size},plain,{}", start.elapsed().as_secs_f64());
        assert!(values.iter().zip(growth.values()).all(|(&plain, &fast)| plain == u32::from(fast)));
    }
}

/// Prints the median over rounds of the time of one call, and returns it.
fn row<R>(work: &str, size: usize, method: &str, mut call: impl FnMut() -> R) -> f64 {
    let mut once = |calls: u32| {
        let start = Instant::now();
        (0..calls).for_each(|_| drop(black_box(call())));
        start.elapsed() / calls
    };
    let first = once(1);
    // Rounds of a tenth of a second, as far as one call is shorter than that.
    let calls = (Duration::from_millis(100).as_nanos() / first.as_nanos().max(1)).clamp(1, 100_000) as u32;
    let rounds = if first < Duration::from_secs(1) { 5 } else { 1 };
    let mut times: Vec<Duration> = (0..rounds).map(|_| once(calls)).collect();
    times.sort();
    let seconds = times[rounds / 2].as_secs_f64();
    println!("\"{work}\",{size},{method},{seconds:e}");
    seconds
}
