//! Times reading and solving a judge file apart, board by board on one thread: `time_solver FORMAT FILE [plain]`.
//!
//! Prints the median, over rounds, of the seconds that reading and solving the whole file take: `BOARDS READ SOLVE`.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use sprague::games::{Board, darkraft, end_nim, solve, treblecross};
use sprague::judge::{Format, Next, Options, Reader};
use sprague::theory::Control;

/// Rounds stop after this time, but there is always one whose round before has warmed up the machine and the tables.
const ENOUGH: Duration = Duration::from_secs(3);
const MOST_ROUNDS: usize = 101;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format, file, method @ ..] = &arguments[..] else { return Err("time_solver FORMAT FILE [plain]".into()) };
    let format = Format::from_name(format).ok_or("no such format")?;
    let is_plain = method.first().is_some_and(|word| word == "plain");
    let text = std::fs::read(file)?;
    let values = treblecross::plain::values(if is_plain { 4096 } else { 0 });
    let (mut reading, mut solving, mut count) = (Vec::new(), Vec::new(), 0);
    let begun = Instant::now();
    for round in 0..MOST_ROUNDS {
        if round > 1 && begun.elapsed() > ENOUGH {
            break;
        }
        let start = Instant::now();
        let boards = read(format, &text)?;
        let read = start.elapsed();
        let start = Instant::now();
        for board in &boards {
            if is_plain { plainly(board, &values) } else { drop(black_box(solve(board, &Control::unlimited())?)) }
        }
        if round > 0 {
            reading.push(read);
            solving.push(start.elapsed());
        }
        count = boards.len();
    }
    println!("{count} {} {}", median(reading), median(solving));
    Ok(())
}

fn read(format: Format, text: &[u8]) -> Result<Vec<Board>, Box<dyn Error>> {
    let mut reader = Reader::new(format, Options::default(), text);
    let mut boards = Vec::new();
    loop {
        match reader.next_case()? {
            Next::Case(case) => boards.push(case.board),
            Next::Starved => {}
            Next::End => return Ok(boards),
        }
    }
}

/// Assumes Treblecross boards whose zones `values` covers.
fn plainly(board: &Board, values: &[u32]) {
    let control = Control::unlimited();
    match board {
        Board::Treblecross(board) => drop(black_box(treblecross::plain::solve(board.cells(), values))),
        Board::Darkraft(board) => drop(black_box(darkraft::plain(board, &control))),
        Board::EndNim(board) => drop(black_box(end_nim::plain(board, &control))),
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}
