//! What is to be seen of each cell: who wins with it, and which part it belongs to.

use crate::explain::{Explanation, Move, Reason};

/// What a move in a cell comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// No move: taken, inactive.
    None,
    /// It wins.
    Wins,
    /// Treblecross: the opponent makes XXX at once.
    LosesAtOnce,
    /// It loses.
    Loses,
}

/// The largest board that is drawn cell by cell; a longer one is told in words.
pub(super) const DRAWN: usize = 4096;

/// A mark for each cell; there is no move in one that is `taken`.
pub(super) fn marks(explanation: &Explanation, cells: &[u8], taken: u8) -> Vec<Mark> {
    let is_over = explanation.reason == Reason::Over;
    let otherwise = match explanation.reason {
        Reason::ImmediateWin { .. } => Mark::LosesAtOnce,
        _ => Mark::Loses,
    };
    let mark = |&cell: &u8| if cell == taken || is_over { Mark::None } else { otherwise };
    let mut marks: Vec<Mark> = cells.iter().map(mark).collect();
    if let Reason::Zones { deadly, .. } = &explanation.reason {
        for &cell in &deadly.items {
            marks[cell as usize] = Mark::LosesAtOnce;
        }
    }
    for choice in &explanation.winning_moves.items {
        if let Move::Cell(cell) = choice.played {
            marks[cell as usize] = Mark::Wins;
        }
    }
    marks
}

/// A name for each of so many cells that belongs to a part, a space for others: a, b, c ...; darkraft's odd colour A, B, C ...
pub(super) fn names(explanation: &Explanation, cells: usize) -> Vec<char> {
    let mut names = vec![' '; cells];
    let mut put = |parts: &[crate::explain::reason::Part], first: char| {
        for (part, number) in parts.iter().zip(0..) {
            for cell in part.cells.iter() {
                names[cell as usize] = name(first, number);
            }
        }
    };
    match &explanation.reason {
        Reason::Zones { zones, .. } => put(&zones.items, 'a'),
        Reason::Colours { colours: [even, odd] } => {
            put(&even.parts, 'a');
            put(&odd.parts, 'A');
        }
        _ => {}
    }
    names
}

/// The name of a part, from `a` or `A` on; after 26 they begin again.
pub(super) fn name(first: char, number: usize) -> char {
    char::from(first as u8 + (number % 26) as u8)
}
