//! Judge text of any format: no panic, no endless reading, and the same cases and faults however the text arrives.
//!
//! The first byte chooses the format, the second the size of the pieces, the rest is the text.
#![no_main]

use std::io::{self, Read};

use libfuzzer_sys::fuzz_target;
use sprague::games::Sizes;
use sprague::judge::{Format, Next, Options, ReadError, Reader};

/// Gives at most `piece` bytes a read.
struct Pieces<'a> {
    text: &'a [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.piece.min(buffer.len());
        self.text.by_ref().take(piece as u64).read(buffer)
    }
}

/// Everything the reader says of a text but when it waits.
fn read(format: Format, options: Options, text: &[u8], piece: usize) -> Vec<String> {
    let mut reader = Reader::new(format, options, Pieces { text, piece });
    let mut said = Vec::new();
    // Each step but the last takes a byte, or waits for a piece that has one.
    for _ in 0..2 * text.len() + 4 {
        match reader.next_case() {
            Ok(Next::Starved) => {}
            Ok(Next::End) => return said,
            Ok(Next::Case(case)) => said.push(format!("{case:?} {}", case.place_of(0))),
            Err(ReadError::Input(fault)) => said.push(fault.to_string()),
            Err(ReadError::Io(error)) => panic!("the source does not fail: {error}"),
        }
    }
    panic!("no end of {text:?}");
}

fuzz_target!(|bytes: &[u8]| {
    let [format, piece, text @ ..] = bytes else { return };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    let piece = usize::from(*piece) % 32 + 1;
    // Small, so that an empty board given by its length alone costs little here.
    let mut sizes = Sizes::default();
    (sizes.treblecross.cells, sizes.end_nim.piles) = (5000, 5000);
    for strict in [false, true] {
        let options = Options { strict, sizes };
        assert_eq!(read(format, options, text, usize::MAX), read(format, options, text, piece), "strict: {strict}");
    }
});
