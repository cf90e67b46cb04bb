//! Which case a piece of an answer file belongs to.
//!
//! What is no answer stands between two answers if what follows is then right for as many cases as if it stood in a case's
//! place, and otherwise in one. Where answers have the numbers of their cases, that of a later case is left to it, and
//! anything else that is not the next case's stands between two if that case's answer follows, and otherwise in its place.

use super::answers::{Chunk, Says};
use sprague_games::games::{Answer, Outcome};

/// How many pieces ahead are looked at, and how many of them may be no answers: where many are, the next few say enough.
pub(super) const LOOK_AHEAD: usize = 256;
/// See `LOOK_AHEAD`.
pub(super) const MOST_UNREADABLE: usize = 8;

/// Where a piece belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belongs {
    /// To the case that is next, right or wrong.
    Here,
    /// To none: the next case's answer stands behind it. Perhaps it did belong to the case, and every answer comes a case
    /// early from here on.
    Between { perhaps_here: bool },
    /// To a later case: the next one has no answer.
    Later,
}

/// Whether what a piece says is right.
pub(super) fn agrees(says: &Says, answer: &Answer) -> bool {
    match says {
        Says::Winner(outcome) => *outcome == answer.outcome(),
        Says::Moves { outcome, positions } => {
            let mut positions = positions.clone();
            positions.sort_unstable();
            positions.dedup();
            let right = answer.winning_cells().iter().map(|&cell| u64::from(cell) + 1);
            let said = if right.len() == 0 { Outcome::SecondPlayerWins } else { Outcome::FirstPlayerWins };
            *outcome == said && right.eq(positions)
        }
        Says::Nothing | Says::Later(_) | Says::Unreadable(_) | Says::TooLong => false,
    }
}

/// Where the first piece, which is no answer, belongs. Each list has whether the file ends with it; `answers` begin with the
/// next case's.
pub(super) fn of_unreadable(pieces: (&[Chunk], bool), answers: (&[&Answer], bool)) -> Belongs {
    let ((pieces, pieces_end), (answers, answers_end)) = (pieces, answers);
    let is_unreadable = |piece: &Chunk| matches!(piece.says, Says::Unreadable(_));
    let unreadable = pieces.iter().take_while(|piece| is_unreadable(piece)).count();
    let behind = &pieces[unreadable..];
    let readable = behind.iter().take_while(|piece| !is_unreadable(piece)).count();
    let is_to_the_end = pieces_end && answers_end && readable == behind.len();
    // For how many cases what follows is right if so many of the first pieces stand in the places of cases; that both end
    // together counts as one more.
    let right = |in_place: usize| {
        let answers = answers.get(in_place..).unwrap_or_default();
        let agreeing = behind[..readable].iter().zip(answers).filter(|(piece, answer)| agrees(&piece.says, answer));
        agreeing.count() + usize::from(is_to_the_end && answers.len() == readable)
    };
    let right: Vec<usize> = (0..=unreadable).map(right).collect();
    let most = right.iter().max().copied().unwrap_or(0);
    match right.iter().position(|&right| right == most) {
        Some(in_place) if most > 0 && in_place < unreadable => {
            Belongs::Between { perhaps_here: right[in_place + 1..].contains(&most) }
        }
        _ => Belongs::Here,
    }
}

/// Where the first piece belongs in a format whose answers are numbered; `cases_left` is how many cases follow, as far as
/// that is known.
pub(super) fn of_numbered(number: u64, pieces: &[Chunk], cases_left: Option<usize>) -> Belongs {
    let mut numbers = pieces.iter().map(|piece| piece.label);
    let this = numbers.next().flatten();
    let behind = numbers.flatten().find(|&behind| behind >= number);
    let is_case = |later: u64| cases_left.is_none_or(|left| later - number <= left as u64);
    match this {
        Some(this) if this == number => Belongs::Here,
        _ if behind == Some(number) => Belongs::Between { perhaps_here: false },
        // Followed by one that is no larger it is out of order: the number itself is wrong.
        Some(this) if this > number && is_case(this) && behind.is_none_or(|behind| behind > this) => Belongs::Later,
        _ => Belongs::Here,
    }
}
