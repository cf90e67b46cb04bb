//! Sources that drip, stall, break, or never end a line; and arbitrary bytes.

use std::cell::Cell;
use std::fs;
use std::io::{self, Read};
use std::rc::Rc;

use proptest::prelude::*;
use sprague::judge::{Format, Next, Options, ReadError, Reader};

use crate::reading::{SIZES, SMALL_SIZES, inputs, read_all};

/// A source that gives a few bytes at a time, and an interruption now and then.
struct Drip<'a> {
    left: &'a [u8],
    portions: Vec<usize>,
    reads: usize,
}

impl<'a> Drip<'a> {
    fn new(left: &'a [u8], portions: Vec<usize>) -> Drip<'a> {
        Drip { left, portions, reads: 0 }
    }
}

impl Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.reads.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let portion = self.portions[self.reads % self.portions.len()].min(self.left.len()).min(out.len());
        let (now, later) = self.left.split_at(portion);
        out[..portion].copy_from_slice(now);
        self.left = later;
        Ok(portion)
    }
}

#[test]
fn a_board_of_64_mib_is_counted_and_the_next_one_read() {
    let length = 64 << 20;
    let source = b"2\n".chain(io::repeat(b'.').take(length)).chain(&b"\n...\n"[..]);
    let found = read_all(Format::UVA10561, Options { strict: false, sizes: SIZES }, source);
    let message = "2:1: case 1: a board of 67108864 cells is over the server's limit of 1000000 cells";
    assert_eq!(found[0].as_ref().unwrap_err().to_string(), message);
    assert_eq!(found[1].as_ref().unwrap().number, 2);
}

/// Gives one portion a read and counts the reads.
struct Pipe {
    portions: std::vec::IntoIter<&'static [u8]>,
    reads: Rc<Cell<usize>>,
}

impl Read for Pipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reads.set(self.reads.get() + 1);
        let portion = self.portions.next().unwrap_or_default();
        out[..portion.len()].copy_from_slice(portion);
        Ok(portion.len())
    }
}

#[test]
fn before_a_pipe_is_waited_for_the_caller_is_told_once_a_case() {
    let portions: Vec<&[u8]> = vec![b"2 2 LR RL 1 ", b"2 L", b"R 2", b" 2", b" LL\n", b"LR", b"\n"];
    let reads = Rc::new(Cell::new(0));
    let mut reader = Reader::new(
        Format::GDOI2016,
        Options::default(),
        Pipe { portions: portions.into_iter(), reads: reads.clone() },
    );
    let mut story = Vec::new();
    loop {
        match reader.next_case().unwrap() {
            Next::Case(case) => story.push(format!("case {} after read {}", case.number, reads.get())),
            Next::Starved => story.push(format!("starved after read {}", reads.get())),
            Next::End => break,
        }
    }
    let expected = [
        "case 1 after read 1",
        "starved after read 1",
        "case 2 after read 3",
        "starved after read 3",
        "case 3 after read 7",
        "starved after read 7",
    ];
    assert_eq!(story, expected);
}

#[test]
fn a_source_that_fails_ends_the_reading_after_the_cases_before() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let mut reader = Reader::new(Format::POJ3537, Options::default(), b"3 4 ".chain(Broken));
    let mut story = Vec::new();
    for _ in 0..5 {
        story.push(match reader.next_case() {
            Ok(Next::Case(_)) => "case",
            Ok(Next::Starved) => "starved",
            Ok(Next::End) => "end",
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::ConnectionReset => "broken",
            Err(_) => "fault",
        });
    }
    assert_eq!(story, ["case", "case", "starved", "broken", "end"]);
}

#[test]
fn a_source_that_keeps_up_is_called_starving_at_its_end_alone() {
    let input = format!("50000 {}", "...X...X...\n".repeat(50_000));
    let mut reader = Reader::new(Format::UVA10561, Options::default(), input.as_bytes());
    let mut starved_after = Vec::new();
    let mut cases = 0;
    loop {
        match reader.next_case().unwrap() {
            Next::Case(_) => cases += 1,
            Next::Starved => starved_after.push(cases),
            Next::End => break,
        }
    }
    assert_eq!((cases, starved_after), (50_000, vec![50_000]));
}

/// Bytes that look like files: pieces of every format, white space, and anything.
fn file_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["1", "2", "3", "12", "0", "+1", "007", "-1", "18446744073709551615", "99999999999999999999"]),
        6 => prop::sample::select(vec!["...", "X..X", "..", "XXX", ".x.", "LR", "LRX", "X", "L", "RRRRRRRRRRRR", "\u{d7}"]),
        8 => prop::sample::select(vec![" ", "\n", "\r\n", "\t", "\n\n", "\u{0B}"]),
    ];
    let piece = prop_oneof![20 => piece.prop_map(|piece| piece.as_bytes().to_vec()), 1 => prop::collection::vec(any::<u8>(), 1..4)];
    let mark = prop::sample::select(vec!["", "", "\u{FEFF}"]);
    (mark, prop::collection::vec(piece, 0..60))
        .prop_map(|(mark, pieces)| [mark.as_bytes().to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_read_the_same_however_they_come(
        bytes in file_like(),
        format in prop::sample::select(Format::ALL.to_vec()),
        strict in any::<bool>(),
        portions in prop::collection::vec(1_usize..8, 1..6),
    ) {
        let options = Options { strict, sizes: SMALL_SIZES };
        let whole = read_all(format, options, &bytes[..]);
        let dripped = read_all(format, options, Drip::new(&bytes, portions));
        prop_assert_eq!(whole, dripped);
    }

    #[test]
    fn a_judge_file_reads_the_same_however_it_comes(
        format in prop::sample::select(Format::ALL.to_vec()),
        which in any::<prop::sample::Index>(),
        portions in prop::collection::vec(1_usize..8000, 1..6),
    ) {
        let paths = inputs("cases", format);
        let bytes = fs::read(&paths[which.index(paths.len())]).unwrap();
        let whole = read_all(format, Options::default(), &bytes[..]);
        let dripped = read_all(format, Options::default(), Drip::new(&bytes, portions));
        prop_assert!(whole == dripped);
    }
}
