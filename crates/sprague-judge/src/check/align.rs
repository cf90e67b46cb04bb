//! Which case a piece of an answer file belongs to, once something in it is no answer.

use std::cmp::Ordering;

use super::answers::{Chunk, Says};
use sprague_games::games::{Answer, Outcome};

/// Chunks that are looked at, and how many of them may be no answers: where many are, the next few say enough.
pub const SIGHT: usize = 256;
/// See `SIGHT`.
pub const UNREADABLE: usize = 8;

/// Bytes of chunks that belong nowhere, after which a case's answer is no longer looked for.
pub const PASSED: usize = 64 * 1024;

/// What a wrong answer costs, and a chunk that is none.
const FAULT: usize = 2;
/// What an answer too many costs, or one too few: a file has as many as it has cases.
const MISCOUNT: usize = 3;

/// Where a chunk belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belongs {
    /// To the case that is next, right or wrong.
    Here,
    /// To the next case, or to none: nothing in sight tells.
    Unclear,
    /// To none: the next case's answer stands behind it.
    Nowhere,
    /// To a later case: the next one has no answer.
    Ahead,
}

/// Whether what a chunk says is right.
pub fn agrees(says: &Says, answer: &Answer) -> bool {
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
        _ => false,
    }
}

/// Whether the first chunk stands between answers, or in the place of one: whatever leaves fewer faults with what
/// follows. It is one that says nothing, or the answer of the case before if one that says nothing was taken for that.
/// Each list has whether the file ends with it; `answers` are no shorter than `chunks`, unless they end.
pub fn of_stray(chunks: (&[Chunk], bool), answers: (&[&Answer], bool)) -> Belongs {
    let ((chunks, chunks_end), (answers, answers_end)) = (chunks, answers);
    let is_unreadable = |chunk: &Chunk| matches!(chunk.says, Says::Unreadable(_));
    let unreadable = chunks.iter().filter(|chunk| is_unreadable(chunk)).count();
    // By how many of the chunks before belong nowhere: the fewest faults from here to the end, from the last chunk back.
    let at_end = |strays: usize| match chunks_end {
        true => MISCOUNT * (answers.len() + strays).saturating_sub(chunks.len()),
        false => 0,
    };
    let mut faults: Vec<usize> = (0..unreadable + 3).map(at_end).collect();
    for (before, chunk) in chunks.iter().enumerate().skip(1).rev() {
        let choices = |strays: usize| {
            let Some(answer) = answers.get(before - strays.min(before)) else {
                return if answers_end { MISCOUNT * (chunks.len() - before) } else { 0 };
            };
            match chunk.says {
                Says::Unreadable(_) => FAULT + faults[strays].min(faults[strays + 1]),
                _ if agrees(&chunk.says, answer) => faults[strays],
                _ => FAULT + faults[strays],
            }
        };
        // More than that is not to be had.
        faults = (0..unreadable + 2).map(choices).chain([usize::MAX / 2]).collect();
    }
    let [here, nowhere] = match is_unreadable(&chunks[0]) {
        false if agrees(&chunks[0].says, answers[0]) => [0, 0],
        false => [FAULT, 0],
        true => [FAULT, FAULT],
    };
    // Every second chunk: a program that says something before each answer.
    let alternates =
        unreadable > 1 && chunks.iter().enumerate().all(|(at, chunk)| is_unreadable(chunk) == (at % 2 == 0));
    match (here + faults[0]).cmp(&(nowhere + faults[1])) {
        Ordering::Less => Belongs::Here,
        Ordering::Greater => Belongs::Nowhere,
        Ordering::Equal if alternates => Belongs::Nowhere,
        Ordering::Equal => Belongs::Unclear,
    }
}

/// Where the first chunk belongs in a format whose answers are numbered; `cases_left` is how many cases follow, as far as
/// that is known.
pub fn of_numbered(number: u64, chunks: &[Chunk], cases_left: Option<usize>) -> Belongs {
    let mut labels = chunks.iter().map(|chunk| chunk.label);
    let (this, behind) = (labels.next().flatten(), labels);
    let next = behind.clone().next().flatten();
    match this {
        Some(label) if label == number => Belongs::Here,
        Some(label) if label > number => {
            let is_no_case = cases_left.is_some_and(|left| label - number > left as u64);
            match next {
                Some(next) if next == number => Belongs::Nowhere,
                // Out of order: the number itself is wrong.
                Some(next) if next > number && next <= label => Belongs::Here,
                _ if is_no_case => Belongs::Here,
                _ => Belongs::Ahead,
            }
        }
        _ => {
            let found = behind.flatten().find(|&label| label >= number);
            if found == Some(number) { Belongs::Nowhere } else { Belongs::Here }
        }
    }
}
