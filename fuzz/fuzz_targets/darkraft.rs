//! The fast solver of darkraft against the plain one. The first byte is the columns, then a byte is a cell.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sprague::games::darkraft::{Board, plain, solve};
use sprague::theory::Control;

/// Rows and columns at most: the plain solver takes more than their fourth power.
const MOST: usize = 12;

fuzz_target!(|bytes: &[u8]| {
    let [columns, letters @ ..] = bytes else { return };
    let columns = usize::from(*columns) % MOST + 1;
    let rows = (letters.len() / columns).min(MOST);
    let cells: Vec<u8> = letters[..rows * columns].iter().map(|&letter| br"\/X"[usize::from(letter) % 3]).collect();
    match Board::new(columns as u32, cells.into()) {
        Ok(board) => assert_eq!(solve(&board, &Control::unlimited()), plain(&board, &Control::unlimited())),
        Err(_fault) => assert_eq!(rows, 0),
    }
});
