//! Judge text read and written, each beside the obvious way that makes a string of everything.

mod boards;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use boards::Random;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sprague::games::{Answer, Outcome, end_nim, solve, treblecross};
use sprague::judge::{self, Format, Next, Options, Reader};
use sprague::theory::Control;

const BOARDS: usize = 10_000;

/// Reads a whole file and counts its cases.
fn read(format: Format, text: &[u8]) -> u64 {
    let mut reader = Reader::new(format, Options::default(), text);
    let mut cases = 0;
    loop {
        match reader.next_case().expect("a good file") {
            Next::Case(_) => cases += 1,
            Next::Starved => {}
            Next::End => return cases,
        }
    }
}

fn reading(criterion: &mut Criterion) {
    let text = boards::uva10561(BOARDS);
    let mut group = criterion.benchmark_group("read 10,000 boards of uva10561");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(30).measurement_time(Duration::from_secs(2));
    group.bench_function("fast", |bench| bench.iter(|| read(Format::UVA10561, &text)));
    group.bench_function("plain", |bench| {
        bench.iter(|| {
            let text = std::str::from_utf8(&text).expect("ASCII");
            let board = |word: &str| treblecross::Board::new(word.to_owned().into()).expect("a board");
            text.split_ascii_whitespace().skip(1).map(board).map(black_box).fold(0, |count, _| count + 1)
        });
    });
    group.finish();

    let row = Random::new().end_nim(1_000_000, 1_000_000_000);
    let mut text = "1\n1000000\n".to_owned();
    row.piles().iter().for_each(|pile| write!(text, "{pile} ").expect("a string takes all"));
    let control = Control::unlimited();
    let mut group = criterion.benchmark_group("End-Nim, 1,000,000 piles up to 10^9");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10).measurement_time(Duration::from_secs(2));
    group.bench_function("read", |bench| bench.iter(|| read(Format::LUOGU_P2599, text.as_bytes())));
    group.bench_function("read plainly", |bench| {
        bench.iter(|| {
            let pile = |word: &str| word.parse::<u64>().expect("a pile");
            end_nim::Board::new(text.split_ascii_whitespace().skip(2).map(pile).collect())
        });
    });
    group.bench_function("solve", |bench| bench.iter(|| end_nim::solve(&row, &control)));
    group.finish();
}

fn writing(criterion: &mut Criterion) {
    let solved = |board| Answer::Solution(solve(&board, &Control::unlimited()).expect("no limit"));
    let answers: Vec<Answer> = boards::uva10561_boards(BOARDS).into_iter().map(solved).collect();
    let mut out = Vec::new();
    let mut group = criterion.benchmark_group("write 10,000 answers of uva10561");
    group.throughput(Throughput::Elements(BOARDS as u64)).sample_size(30).measurement_time(Duration::from_secs(2));
    group.bench_function("fast", |bench| {
        bench.iter(|| {
            out.clear();
            for answer in &answers {
                judge::write_answer(Format::UVA10561, 1, answer.outcome(), answer.winning_cells(), &mut out);
            }
            out.len()
        });
    });
    group.bench_function("plain", |bench| {
        bench.iter(|| {
            let mut out = String::new();
            for answer in &answers {
                let cells: Vec<String> = answer.winning_cells().iter().map(|cell| (cell + 1).to_string()).collect();
                let word = if answer.outcome() == Outcome::FirstPlayerWins { "WINNING" } else { "LOSING" };
                writeln!(out, "{word}\n{}", cells.join(" ")).expect("a string takes all");
            }
            out.len()
        });
    });
    group.finish();
}

criterion_group!(text, reading, writing);
criterion_main!(text);
