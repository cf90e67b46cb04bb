//! Recipes made and read back.

use std::io::Read as _;

use sprague::games::{self, Answer, Board, Outcome};
use sprague::generate::{Recipe, TestFile, Wish};
use sprague::judge::{self, Format, Next, Options, Reader};
use sprague::theory::Control;

/// Everything as it is without flags.
pub(crate) fn recipe(format: Format) -> Recipe {
    Recipe { format, kinds: Vec::new(), cases: None, sizes: None, seed: 1, wish: Wish::Mixed, strict: false }
}

/// A file's text.
pub(crate) fn text(file: &TestFile) -> String {
    let mut text = String::new();
    file.reader().read_to_string(&mut text).expect("every board is found");
    text
}

/// The boards of a text.
pub(crate) fn boards(format: Format, text: &str) -> Vec<Board> {
    let mut reader = Reader::new(format, Options::default(), text.as_bytes());
    let mut boards = Vec::new();
    loop {
        match reader.next_case().unwrap_or_else(|error| panic!("{format}: {error}\n{text}")) {
            Next::Case(case) => boards.push(case.board),
            Next::Starved => {}
            Next::End => return boards,
        }
    }
}

/// Who wins.
pub(crate) fn outcome(board: &Board) -> Outcome {
    games::solve(board, &Control::unlimited()).expect("unlimited").outcome()
}

/// The right answer file.
pub(crate) fn answers(format: Format, boards: &[Board]) -> String {
    let mut text = Vec::new();
    for (number, board) in (1..).zip(boards) {
        let answer = Answer::Solution(games::solve(board, &Control::unlimited()).expect("unlimited"));
        judge::write_answer(format, number, answer.outcome(), answer.winning_cells(), &mut text);
    }
    String::from_utf8(text).expect("text")
}
