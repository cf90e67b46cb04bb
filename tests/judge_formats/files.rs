//! Files under tests/cases and tests/bad_input, their layouts, and the answers as they are written.

use std::fs;
use std::io::Read;

use sprague::games::{self, Board, Outcome, Solution};
use sprague::judge::{Case, Format, Options, write_answer, write_error_line};
use sprague::theory::Control;

use crate::reading::{SIZES, SMALL_SIZES, inputs, read_all};

fn solve(board: &Board) -> Solution {
    games::solve(board, &Control::unlimited()).expect("unlimited")
}

fn winning_cells(solution: &Solution) -> &[u32] {
    match solution {
        Solution::Treblecross(solution) => &solution.winning_cells,
        Solution::Darkraft(solution) => &solution.winning_cells,
        Solution::EndNim(_) => &[],
    }
}

/// The answer file of a run that keeps going, and its messages.
fn answers(format: Format, options: Options, source: impl Read) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let mut messages = Vec::new();
    for found in read_all(format, options, source) {
        match found {
            Ok(case) => {
                let solution = solve(&case.board);
                write_answer(format, case.number, solution.outcome(), winning_cells(&solution), &mut out);
            }
            Err(error) => {
                if error.case.is_some() {
                    write_error_line(&mut out);
                }
                messages.push(error.to_string());
            }
        }
    }
    (String::from_utf8(out).unwrap(), messages)
}

#[test]
fn every_judge_file_has_its_answer_byte_for_byte() {
    for format in Format::ALL {
        for path in inputs("cases", format) {
            let (out, messages) = answers(format, Options::default(), fs::File::open(&path).unwrap());
            assert_eq!(messages, [""; 0], "{}", path.display());
            assert!(out == fs::read_to_string(path.with_extension("out")).unwrap(), "{}", path.display());
        }
    }
}

#[test]
fn the_winning_moves_are_those_of_the_moves_files() {
    let mut files = 0;
    for format in Format::ALL {
        for path in inputs("cases", format) {
            let Ok(moves) = fs::read_to_string(path.with_extension("moves")) else { continue };
            files += 1;
            let cases = read_all(format, Options::default(), fs::File::open(&path).unwrap());
            assert_eq!(cases.len(), moves.lines().count(), "{}", path.display());
            for (case, expected) in cases.into_iter().map(Result::unwrap).zip(moves.lines()) {
                assert_eq!(moves_in_words(&case.board), expected, "{} case {}", path.display(), case.number);
            }
        }
    }
    assert!(files >= 4, "only {files} files of moves");
}

fn moves_in_words(board: &Board) -> String {
    let words: Vec<String> = match (board, solve(board)) {
        (Board::Darkraft(board), Solution::Darkraft(solution)) => {
            let columns = board.columns();
            solution.winning_cells.iter().map(|cell| format!("{},{}", cell / columns + 1, cell % columns + 1)).collect()
        }
        (_, Solution::EndNim(solution)) => {
            let end = |end| if end == games::end_nim::End::Left { "left" } else { "right" };
            solution.winning_ends.iter().map(|won| format!("{}:{}", end(won.end), won.take)).collect()
        }
        (_, solution) => winning_cells(&solution).iter().map(|cell| (cell + 1).to_string()).collect(),
    };
    if words.is_empty() { "-".into() } else { words.join(" ") }
}

/// NAME.in gives the messages NAME.err and, going on after faults, the answers NAME.out. A name that begins with
/// `strict-` is read with --strict, one with `small-server-` with small sizes.
#[test]
fn every_bad_file_has_its_messages_and_its_answers() {
    for format in Format::ALL {
        for path in inputs("bad_input", format) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let sizes = if name.starts_with("small-server-") { SMALL_SIZES } else { SIZES };
            let options = Options { strict: name.starts_with("strict-"), sizes };
            let expected = |extension| fs::read_to_string(path.with_extension(extension)).unwrap();
            let input = fs::read(&path).unwrap();
            let (out, messages) = answers(format, options, &input[..]);
            let messages: String = messages.iter().map(|message| format!("{message}\n")).collect();
            // The flag is the program's to name.
            assert_eq!(messages, expected("err").replace(" (--strict)", ""), "{}", path.display());
            assert_eq!(out, expected("out"), "{}", path.display());
        }
    }
}

#[test]
fn the_published_samples_have_the_published_answers() {
    for format in Format::ALL {
        let (input, answer) = format.sample();
        let options = Options { strict: true, ..Options::default() };
        assert_eq!(answers(format, options, input.as_bytes()), (answer.into(), vec![]), "{format}");
    }
}

#[test]
fn every_accepted_layout_reads_the_same() {
    type Layout = (&'static str, fn(&str) -> String);
    let layouts: [Layout; 10] = [
        ("carriage returns", |input| input.replace('\n', "\r\n")),
        ("byte order mark", |input| format!("\u{FEFF}{input}")),
        ("byte order mark and blank line", |input| format!("\u{FEFF}\n{input}")),
        ("blank lines", |input| format!("\n\n{}\n \n", input.replace('\n', "\n\n \n"))),
        ("blanks at line ends", |input| input.replace('\n', " \t \n")),
        ("blanks at line starts", |input| format!("  {}", input.replace('\n', "\n\t "))),
        ("tabs", |input| input.replace(' ', "\t\t")),
        ("all on one line", |input| input.replace('\n', " ")),
        ("one word a line", |input| input.replace(' ', "\n")),
        ("vertical tabs and form feeds", |input| input.replace('\n', "\u{0B}\u{0C}")),
    ];
    let boards = |format, input: &str| -> Vec<(u64, Board)> {
        let cases = read_all(format, Options::default(), input.as_bytes());
        cases
            .into_iter()
            .map(|case| case.unwrap_or_else(|error| panic!("{format}: {error}")))
            .map(|case| (case.number, case.board))
            .collect()
    };
    for format in Format::ALL {
        for path in inputs("cases", format) {
            let input = fs::read_to_string(path).unwrap();
            let expected = boards(format, &input);
            for (name, layout) in layouts {
                let laid_out = layout(&input);
                assert!(boards(format, &laid_out) == expected, "{format}: {name}");
                assert!(boards(format, laid_out.trim_end()) == expected, "{format}: {name}, no final newline");
            }
        }
    }
}

#[test]
fn numbers_may_have_a_plus_sign_and_leading_zeros() {
    let boards = |input: &str| -> Vec<Board> {
        let cases = read_all(Format::LUOGU_P2599, Options { strict: true, ..Options::default() }, input.as_bytes());
        cases.into_iter().map(|case| case.unwrap().board).collect()
    };
    let zeros = "0".repeat(300);
    assert_eq!(boards("+02 +3 007 +8 000000000000000000000000001000000000\n0001 5 "), boards("2 3 7 8 1000000000 1 5"));
    assert_eq!(boards(&format!("1 1 {zeros}12")), boards("1 1 12"));
}

#[test]
fn piles_of_every_length_to_64_bits_are_read() {
    let piles: Vec<u64> = (0..20).flat_map(|digits| [10_u64.pow(digits), u64::MAX / 10_u64.pow(digits)]).collect();
    let words: Vec<String> = piles.iter().map(u64::to_string).collect();
    for separator in [" ", "\n", "\r\n        "] {
        let input = format!("1 {} {}{separator}", piles.len(), words.join(separator));
        let found = read_all(Format::LUOGU_P2599, Options::default(), input.as_bytes());
        let Ok(Case { board: Board::EndNim(board), .. }) = &found[0] else { panic!("{found:?}") };
        assert_eq!(board.piles(), piles);
    }
}

#[test]
fn an_offset_into_a_board_is_a_place_in_the_file() {
    let place = |format, input: &str, case: usize, offset| {
        let found = read_all(format, Options::default(), input.as_bytes());
        found[case].as_ref().unwrap().place_of(offset).to_string()
    };
    assert_eq!(place(Format::UVA10561, "\u{FEFF}2 ...\n\n  .X..", 0, 1), "1:4");
    assert_eq!(place(Format::UVA10561, "2 ...\n\n  .X..", 1, 3), "3:6");
    assert_eq!(place(Format::GDOI2016, "1 1 X\n2 3\nLRX  LLL", 1, 2), "3:3");
    assert_eq!(place(Format::GDOI2016, "1 1 X\n2 3\nLRX  LLL", 1, 4), "3:7");
    assert_eq!(place(Format::LUOGU_P2599, "1\n 3\n1 2 3", 0, 2), "2:2");
    assert_eq!(place(Format::POJ3537, "3\n12", 1, 7), "2:1");
}

#[test]
fn names_and_aliases_lead_to_their_format_and_to_no_other() {
    let mut names = Vec::new();
    for format in Format::ALL {
        for name in [&[format.name()], format.aliases()].concat() {
            assert_eq!(Format::from_name(name), Some(format));
            names.push(name);
        }
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), count), (10, 10));
    assert_eq!(Format::from_name("uva10562"), None);
}

#[test]
fn positions_are_written_as_rust_writes_numbers() {
    let edges = (0..8).flat_map(|digits| [10_u32.pow(digits) - 1, 10_u32.pow(digits), 10_u32.pow(digits) + 1]);
    let cells: Vec<u32> = edges.chain(0..2000).chain([u32::MAX - 1, u32::MAX]).collect();
    let words: Vec<String> = cells.iter().map(|&cell| (u64::from(cell) + 1).to_string()).collect();
    let written = |format, number, cells: &[u32]| {
        let outcome = if cells.is_empty() { Outcome::SecondPlayerWins } else { Outcome::FirstPlayerWins };
        let mut out = b"before ".to_vec();
        write_answer(format, number, outcome, cells, &mut out);
        String::from_utf8(out).unwrap()
    };
    for count in (0..100).chain([cells.len()]) {
        let positions = words[..count].join(" ");
        let word = if count == 0 { "LOSING" } else { "WINNING" };
        assert_eq!(written(Format::UVA10561, 7, &cells[..count]), format!("before {word}\n{positions}\n"));
        let shown = if count == 0 { "0" } else { &positions };
        let number = u64::MAX - count as u64;
        assert_eq!(written(Format::LIGHTOJ1229, number, &cells[..count]), format!("before Case {number}: {shown}\n"));
    }
}
