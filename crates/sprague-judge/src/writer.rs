//! Answers, headings and boards as judges have them.

use sprague_games::games::{Board, Outcome};

use super::description::{AnswerWords, Ask, Before, BoardWords, Cases, Element};
use super::format::Format;
use super::text;

/// Appends the answer of case `number`: of `outcome` in the formats that are `outcome_only`, else of `winning_cells`
/// (counted from 0, increasing), where none means that the first player loses.
pub fn write_answer(format: Format, number: u64, outcome: Outcome, winning_cells: &[u32], out: &mut Vec<u8>) {
    let AnswerWords { before, ask } = &format.0.answer;
    if let Some(Before { left, right }) = before {
        out.extend_from_slice(left.as_bytes());
        text::write_numbers([number], out);
        out.extend_from_slice(right.as_bytes());
    }
    match ask {
        Ask::Winner { win, lose } => {
            out.extend_from_slice(if outcome == Outcome::FirstPlayerWins { win } else { lose }.as_bytes());
        }
        Ask::Moves { none, .. } if winning_cells.is_empty() => out.extend_from_slice(none.as_bytes()),
        Ask::Moves { head, .. } => {
            out.extend_from_slice(head.as_bytes());
            text::write_numbers(winning_cells.iter().map(|&cell| u64::from(cell) + 1), out);
        }
    }
    out.push(b'\n');
}

/// Appends what stands before the cases of a file of `total` cases: T, in the formats that have it.
pub fn write_heading(format: Format, total: u64, out: &mut Vec<u8>) {
    match format.0.cases {
        Cases::Count(_) => {
            text::write_numbers([total], out);
            out.push(b'\n');
        }
        Cases::End | Cases::One { .. } => {}
    }
}

/// Appends a board of the format's game as the judge writes it: what `Reader` takes, in the statement's layout.
///
/// # Panics
/// The board is of another game.
pub fn write_board(format: Format, board: &Board, out: &mut Vec<u8>) {
    assert!(board.game() == format.game(), "{format} has no words for a board of {}", board.game().name());
    let mut begins_line = true;
    for element in format.0.case {
        if !begins_line && !matches!(element, Element::LineEnd) {
            out.push(b' ');
        }
        begins_line = match element {
            Element::Number(number) => {
                text::write_numbers([format.0.unit(number.name).of(board)], out);
                false
            }
            Element::LineEnd => {
                out.push(b'\n');
                true
            }
            Element::Board(words) => write_words(words, board, out),
        };
    }
    if !begins_line {
        out.push(b'\n');
    }
}

/// Whether the next element begins a line.
fn write_words(words: &BoardWords, board: &Board, out: &mut Vec<u8>) -> bool {
    match (words, board) {
        (BoardWords::Cells { letters, .. }, Board::Treblecross(board)) => {
            out.extend(board.cells().iter().map(|&cell| letters.letter(cell)));
        }
        (BoardWords::Length(_), Board::Treblecross(board)) => text::write_numbers([board.cells().len() as u64], out),
        (BoardWords::Piles { .. }, Board::EndNim(board)) => text::write_numbers(board.piles().iter().copied(), out),
        (BoardWords::Grid { letters, .. }, Board::Darkraft(board)) => {
            for row in board.cells().chunks_exact(board.columns() as usize) {
                out.extend(row.iter().map(|&cell| letters.letter(cell)));
                out.push(b'\n');
            }
            return true;
        }
        (BoardWords::Cells { .. } | BoardWords::Length(_) | BoardWords::Piles { .. } | BoardWords::Grid { .. }, _) => {
            unreachable!("a format writes boards of its own game")
        }
    }
    false
}

/// Appends the line that stands, alone, in the place of a case without an answer, in every format.
pub fn write_error_line(out: &mut Vec<u8>) {
    out.extend_from_slice(b"ERROR\n");
}
