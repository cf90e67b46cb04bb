//! The fast solver of Treblecross against the plain one. A byte is a cell, or a run of empty cells.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sprague::games::treblecross::{Board, Value, plain, solve};
use sprague::theory::Control;

/// The plain solver takes the square of the cells and more.
const MOST_CELLS: usize = 200;

static VALUES: LazyLock<Vec<u32>> = LazyLock::new(|| plain::values(MOST_CELLS + 2));

fuzz_target!(|bytes: &[u8]| {
    let mut cells = Vec::new();
    for &byte in bytes {
        match byte {
            0..64 => cells.push(b'X'),
            64..128 => cells.push(b'.'),
            run => cells.resize(cells.len() + usize::from(run - 126), b'.'),
        }
    }
    cells.truncate(MOST_CELLS);
    let is_over = cells.windows(3).any(|three| three == b"XXX");
    match Board::new(cells.clone().into()) {
        Ok(board) => {
            assert!(cells.len() >= 3 && !is_over);
            let found = solve(&board, &Control::unlimited()).expect("nothing stops it");
            let value = match found.value {
                Value::Nimber(value) => Some(value),
                Value::ImmediateWin => None,
            };
            assert_eq!((found.winning_cells, value), plain::solve(&cells, &VALUES));
        }
        Err(_fault) => assert!(cells.len() < 3 || is_over),
    }
});
