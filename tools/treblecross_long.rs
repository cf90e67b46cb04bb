//! The long check of Treblecross: ten million random boards, fast against plain, and the whole Grundy table by its hash.
//!
//! `cargo run --release --example treblecross_long [BOARDS [SEED]]` takes some minutes; it panics at a difference.

#[path = "../benches/boards/mod.rs"]
mod boards;

use sha2::{Digest, Sha256};
use sprague::games::treblecross::{self, Board, MAX_CELLS, Value};
use sprague::theory::Control;
use std::time::Instant;

use boards::Random;

/// SHA-256 of g(0), ..., g(1,000,000) of 0.007 as little-endian 16-bit numbers; three public programs agree.
const TABLE_HASH: &str = "9c03be6f0da685bb332acea7829b543a7eb01d8a9a3092570d6e67609d8a7bcb";

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().expect("a number"));
    let boards = arguments.next().unwrap_or(10_000_000);
    let seed = arguments.next().unwrap_or(1);
    compare_boards(boards, seed);
    check_table();
}

/// Solves random boards both ways: most short, so that everything that can meet does, and some of every longer class.
fn compare_boards(boards: u64, seed: u64) {
    let values = treblecross::plain::values(5002);
    let mut random = Random::seeded(seed);
    let (mut at_once, mut lost) = (0u64, 0u64);
    let start = Instant::now();
    for board in 0..boards {
        let longest = match board {
            _ if board % 100_000 == 0 => 5000,
            _ if board % 1000 == 0 => 600,
            _ if board % 50 == 0 => 200,
            _ => 40,
        };
        let cells = cells(&mut random, longest);
        let expected = treblecross::plain::solve(&cells, &values);
        let board = Board::new(cells.into()).expect("no XXX in it");
        let solution = treblecross::solve(&board, &Control::unlimited()).expect("no limit");
        let nimber = match solution.value {
            Value::Nimber(nimber) => Some(nimber),
            Value::ImmediateWin => None,
        };
        assert_eq!((solution.winning_cells, nimber), expected, "{:?}", board.cells());
        at_once += u64::from(nimber.is_none());
        lost += u64::from(nimber == Some(0));
    }
    println!("{boards} boards equal in {:.0?}: {at_once} won at once, {lost} lost", start.elapsed());
}

/// Grows the table to its end and compares it with values found elsewhere.
fn check_table() {
    let start = Instant::now();
    let value = |heap: usize| treblecross::zone_value(heap - 2, &Control::unlimited()).expect("no limit");
    value(MAX_CELLS as usize + 2);
    let took = start.elapsed();
    let mut hash = Sha256::new();
    hash.update([0; 4]);
    for heap in 2..=1_000_000 {
        hash.update((value(heap) as u16).to_le_bytes());
    }
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(found, TABLE_HASH);
    assert_eq!((value(500_000), value(1_000_000)), (321, 1025));
    println!("the table to 1,000,000 is right; it took {took:.1?}");
}

/// A board of 3 to `longest` cells without XXX; in two of three boards the X's are 3 or more apart.
fn cells(random: &mut Random, longest: u64) -> Vec<u8> {
    let mut cells = vec![b'.'; 3 + random.between(0, longest - 3) as usize];
    let nearest = if random.between(0, 2) == 0 { 1 } else { 3 };
    let spread = random.between(0, 5) * random.between(0, longest / 5) + 3;
    let mut at = random.between(0, spread) as usize;
    while at < cells.len() {
        cells[at] = b'X';
        if cells[at.saturating_sub(2)..=at] == *b"XXX" {
            cells[at] = b'.';
        }
        at += (nearest + random.between(0, spread)) as usize;
    }
    cells
}
