//! Writes answers and boards as judges have them.

use sprague_games::games::{Board, Outcome};

use super::darkraft;
use super::end_nim;
use super::format::{Cases, Format};
use super::text;
use super::treblecross;

/// Appends the answer of case `number`: of `outcome` in the formats that are `outcome_only`, else of `winning_cells`
/// (counted from 0, increasing), where none means that the first player loses.
pub fn write_answer(format: Format, number: u64, outcome: Outcome, winning_cells: &[u32], out: &mut Vec<u8>) {
    match format {
        Format::Uva10561 => treblecross::write_uva10561(winning_cells, out),
        Format::Lightoj1229 => treblecross::write_lightoj1229(number, winning_cells, out),
        Format::Poj3537 => treblecross::write_poj3537(outcome, out),
        Format::Codeforces138d | Format::Gdoi2016 => darkraft::write(outcome, out),
        Format::LuoguP2599 => end_nim::write(outcome, out),
    }
}

/// Appends what stands before the cases of a file of `total` cases: T, in the formats that have it.
pub fn write_heading(format: Format, total: u64, out: &mut Vec<u8>) {
    if let Cases::Counted { .. } = format.cases() {
        text::write_numbers([total], out);
        out.push(b'\n');
    }
}

/// Appends a board of the format's game as the judge writes it: what `Reader` takes, in the statement's layout.
///
/// # Panics
/// The board is of another game.
pub fn write_board(format: Format, board: &Board, out: &mut Vec<u8>) {
    match (format, board) {
        (Format::Uva10561 | Format::Lightoj1229, Board::Treblecross(board)) => treblecross::write_cells(board, out),
        (Format::Poj3537, Board::Treblecross(board)) => treblecross::write_length(board, out),
        (Format::Codeforces138d, Board::Darkraft(board)) => {
            darkraft::write_grid(board, &darkraft::CODEFORCES_LETTERS, out);
        }
        (Format::Gdoi2016, Board::Darkraft(board)) => darkraft::write_grid(board, &darkraft::GDOI_LETTERS, out),
        (Format::LuoguP2599, Board::EndNim(board)) => end_nim::write_row(board, out),
        (format, board) => panic!("{format} has no words for a board of {}", board.game().name()),
    }
}

/// Appends the line that stands, alone, in the place of a case without an answer, in every format.
pub fn write_error_line(out: &mut Vec<u8>) {
    out.extend_from_slice(b"ERROR\n");
}
