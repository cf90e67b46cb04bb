//! End-Nim as people type it: a board as `3,1,9,4`, a move as `left:4`.

use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

use super::{Letters, NotationError, moves, write_moves};
use crate::explain::Move;
use crate::games::end_nim::{self, Board, End, Solution};
use crate::message;

pub(super) const BETWEEN: (&str, &str) = ("with commas between its piles", ",");

pub(super) fn board(text: &str, _letters: Letters) -> Result<Board, String> {
    let written: Vec<&str> = text.split(',').filter(|_| !text.is_empty()).collect();
    let read = |(pile, number): (&&str, usize)| {
        let pile = pile.trim();
        message::number(pile.as_bytes(), pile.len() as u64).map_err(|found| {
            let (of, most) = (written.len(), u64::MAX);
            format!("{found}: expected pile {number} of {of}, 1 to {most}; {}", joined(text, "piles", "3,1,9,4"))
        })
    };
    let piles: Result<Vec<u64>, String> = written.iter().zip(1..).map(read).collect();
    Board::new(piles?).map_err(|fault| fault.to_string())
}

/// How a list is written; where it has blanks for commas, what to type instead.
fn joined(text: &str, what: &str, example: &str) -> String {
    let parts: Vec<&str> = text.split_whitespace().collect();
    if parts.len() > 1 && !text.contains(',') {
        return format!("{what} have commas between them: type {}", parts.join(","));
    }
    format!("write {what} as {example}")
}

pub(super) fn write(board: &Board, _letters: Letters, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (pile, number) in board.piles().iter().zip(0..) {
        if number > 0 {
            f.write_char(',')?;
        }
        write!(f, "{pile}")?;
    }
    Ok(())
}

pub(super) fn read_move(_board: &Board, text: &str) -> Result<Move, String> {
    text.parse().map(Move::End).map_err(|error: NotationError| error.to_string())
}

impl Display for end_nim::Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.end {
            End::Left => "left",
            End::Right => "right",
        };
        write!(f, "{end}:{}", self.take)
    }
}

impl FromStr for end_nim::Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<end_nim::Move, NotationError> {
        let read = |text: &str| {
            let (end, take) = text.split_once(':')?;
            let end = match end {
                "left" => End::Left,
                "right" => End::Right,
                _ => return None,
            };
            Some(end_nim::Move { end, take: take.parse().ok()? })
        };
        read(text).ok_or_else(|| {
            let small = text.to_ascii_lowercase();
            NotationError(match text != small && read(&small).is_some() {
                true => format!("{text:?} is no move: write it small, as {small}"),
                false => format!("{text:?} is no move: write the end and the stones taken, as left:4"),
            })
        })
    }
}

pub(super) fn write_solution(solution: &Solution, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write_moves(solution.winning_ends.iter(), f)
}

pub(super) fn solution(text: &str) -> Option<Solution> {
    moves(text).map(|winning_ends| Solution { winning_ends })
}
