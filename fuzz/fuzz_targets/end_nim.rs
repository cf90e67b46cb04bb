//! The fast solver of End-Nim against the plain one.
//!
//! The first byte says how a byte becomes a pile: few sizes make ties, differences make neighbours, powers make gaps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sprague::games::end_nim::{Board, plain, solve};
use sprague::theory::Control;

/// The plain solver takes the square of the piles.
const MOST_PILES: usize = 300;

fuzz_target!(|bytes: &[u8]| {
    let [kind, bytes @ ..] = bytes else { return };
    let mut last = 1000u64;
    let piles = bytes.iter().take(MOST_PILES).map(|&byte| {
        let step = u64::from(byte);
        last = match kind % 4 {
            0 => step % 4 + 1,
            1 => step + 1,
            2 => (last + step % 8).saturating_sub(3).max(1),
            _ => (1u64.rotate_left(u32::from(byte >> 2)) - 1).wrapping_add(step % 4).max(1),
        };
        last
    });
    let board = Board::new(piles.collect()).expect("no pile is empty");
    assert_eq!(solve(&board, &Control::unlimited()), plain(&board, &Control::unlimited()));
});
