//! Codeforces 138D, World of Darkraft: one grid, and who wins.

use crate::description::*;

pub(super) const DESCRIPTION: Description = Description {
    name: "codeforces138d",
    aliases: &[],
    title: "one grid, L along / and R along \\ -> WIN or LOSE",
    game: Game::Darkraft,
    cases: Cases::One { several: Some("for several cases use gdoi2016, whose letters differ") },
    case: &[
        Element::Number(Number { name: "n", limits: 1..=20 }),
        Element::Number(Number { name: "m", limits: 1..=20 }),
        Element::LineEnd,
        Element::Board(BoardWords::Grid { rows: "n", columns: "m", letters: &GridLetters::new('L', 'R', 'X') }),
    ],
    answer: AnswerWords { before: None, ask: Ask::Winner { win: "WIN", lose: "LOSE" } },
    kinds: &[Kind::Traps, Kind::Edges, Kind::Random, Kind::Dense, Kind::Sparse, Kind::OneWin],
    sample: Sample {
        input: include_str!("../../samples/codeforces138d.in"),
        answer: include_str!("../../samples/codeforces138d.out"),
    },
};
