//! The Guangdong team selection of 2016: grids of darkraft, and who wins; the letters are the reverse of those at Codeforces.

use crate::description::*;

pub(super) const DESCRIPTION: Description = Description {
    name: "gdoi2016",
    aliases: &[],
    title: "grids to the end, L along \\ and R along / -> WIN or LOSE",
    game: Game::Darkraft,
    cases: Cases::End,
    case: &[
        Element::Number(Number { name: "n", limits: 1..=20 }),
        Element::Number(Number { name: "m", limits: 1..=20 }),
        Element::LineEnd,
        Element::Board(BoardWords::Grid { rows: "n", columns: "m", letters: &GridLetters::new('R', 'L', 'X') }),
    ],
    answer: AnswerWords { before: None, ask: Ask::Winner { win: "WIN", lose: "LOSE" } },
    kinds: &[Kind::Traps, Kind::Edges, Kind::Random, Kind::Dense, Kind::Sparse, Kind::OneWin, Kind::BlankEnd],
    sample: Sample {
        input: include_str!("../../samples/gdoi2016.in"),
        answer: include_str!("../../samples/gdoi2016.out"),
    },
};
