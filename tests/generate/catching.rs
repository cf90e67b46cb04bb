//! The default sets catch every known wrong method.

use std::fmt::Write as _;

use sprague::games::{Board, Game};
use sprague::generate::TestFile;
use sprague::judge::Format;

use crate::making::{answers, boards, recipe, text};
use crate::wrong_others::{all_x_by_parity, no_zero, other_letters, ties_outside, waves_run_on};
use crate::wrong_treblecross::METHODS;

/// A wrong program: the text of a file, its boards, and what it prints.
type Program = Box<dyn Fn(&str, &[Board]) -> String>;

/// The wrong programs that somebody could hand in for a format.
fn programs(format: Format) -> Vec<(&'static str, Program)> {
    let mut programs: Vec<(&'static str, Program)> = Vec::new();
    let mut decides = |name, method: fn(&Board) -> bool| {
        let [first, second] = match format.name() {
            "poj3537" => ["1", "2"],
            "luogu-p2599" => ["1", "0"],
            _ => ["WIN", "LOSE"],
        };
        let print = move |boards: &[Board]| {
            boards.iter().map(|board| format!("{}\n", if method(board) { first } else { second })).collect()
        };
        programs.push((name, Box::new(move |_: &str, boards: &[Board]| print(boards))));
    };
    match format.name() {
        "poj3537" => decides("lost iff 3 divides the length", |board| !cells(board).len().is_multiple_of(3)),
        "codeforces138d" | "gdoi2016" => {
            decides("the other judge's letters", other_letters);
            decides("waves run on", waves_run_on);
            decides("all X by parity", all_x_by_parity);
        }
        "luogu-p2599" => {
            decides("ties outside", |board| ties_outside(piles(board)));
            decides("no case of 0", |board| no_zero(piles(board)));
            decides("the first player always wins", |_| true);
        }
        _ => {}
    }
    if format == Format::GDOI2016 {
        let blank = |text: &str, boards: &[Board]| {
            let more = if text.ends_with("\n\n") { "LOSE\n" } else { "" };
            answers(Format::GDOI2016, boards) + more
        };
        programs.push(("a trailing blank line is a case", Box::new(blank)));
    }
    if format.game() == Game::Treblecross {
        for (name, method, ..) in METHODS {
            // On empty boards, the only ones of poj3537, some go right: what they overlook is beside an X.
            let errs_on_empty_boards =
                name.contains("edge") || name.contains("neighbours") || name.contains("no maximum");
            if format == Format::POJ3537 && !errs_on_empty_boards {
                continue;
            }
            let has_empty_line = !name.starts_with("the end");
            programs.push((
                name,
                Box::new(move |_: &str, boards: &[Board]| {
                    let printed = boards
                        .iter()
                        .zip(1..)
                        .map(|(board, number)| treblecross_line(format, number, &method(cells(board)), has_empty_line));
                    printed.collect()
                }),
            ));
        }
    }
    programs
}

fn treblecross_line(format: Format, number: u64, positions: &[usize], has_empty_line: bool) -> String {
    let mut list = String::new();
    for position in positions {
        let _infallible = write!(list, "{}{position}", if list.is_empty() { "" } else { " " });
    }
    match (format.name(), positions.is_empty()) {
        ("uva10561", true) => if has_empty_line { "LOSING\n\n" } else { "LOSING\n" }.into(),
        ("uva10561", false) => format!("WINNING\n{list}\n"),
        ("lightoj1229", true) => format!("Case {number}: 0\n"),
        ("lightoj1229", false) => format!("Case {number}: {list}\n"),
        (_, is_lost) => if is_lost { "2\n" } else { "1\n" }.into(),
    }
}

fn cells(board: &Board) -> &[u8] {
    let Board::Treblecross(board) = board else { panic!("a Treblecross board") };
    board.cells()
}

fn piles(board: &Board) -> &[u64] {
    let Board::EndNim(board) = board else { panic!("an End-Nim row") };
    board.piles()
}

/// The programs that get every file right, by name.
fn missed(format: Format, files: &[TestFile]) -> Vec<&'static str> {
    let texts: Vec<String> = files.iter().map(text).collect();
    let read: Vec<(&String, Vec<Board>)> = texts.iter().map(|text| (text, boards(format, text))).collect();
    let right: Vec<String> = read.iter().map(|(_, boards)| answers(format, boards)).collect();
    let gets_right = |program: &Program| {
        let printed = read.iter().map(|(text, boards)| program(text, boards));
        printed.zip(&right).all(|(printed, right)| printed == *right)
    };
    programs(format).iter().filter(|(_, program)| gets_right(program)).map(|(name, _)| *name).collect()
}

#[test]
fn the_default_set_of_each_format_catches_every_wrong_method_that_concerns_it() {
    for format in Format::ALL {
        assert!(!programs(format).is_empty());
        for seed in 1..4 {
            let set = sprague::generate::Recipe { seed, ..recipe(format) }.set().unwrap();
            assert_eq!(missed(format, &set), [] as [&str; 0], "{format}, seed {seed}");
        }
    }
}

#[test]
fn so_does_one_default_file_where_a_file_has_several_cases() {
    for format in Format::ALL.into_iter().filter(|&format| format != Format::CODEFORCES138D) {
        let file = recipe(format).file().unwrap();
        let mut missed = missed(format, &[file]);
        // A blank line at the end comes in sets alone, in a file of its own.
        missed.retain(|name| *name != "a trailing blank line is a case");
        assert_eq!(missed, [] as [&str; 0], "{format}");
    }
}
