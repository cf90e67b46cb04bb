//! Luogu P2599, ZJOI 2009: rows of End-Nim piles, and whether the first player wins.

use crate::description::*;

pub(super) const DESCRIPTION: Description = Description {
    name: "luogu-p2599",
    aliases: &["zjoi2009", "bzoj1413", "acwing1322"],
    title: "T rows of piles -> 1 if the first player wins, else 0",
    game: Game::EndNim,
    cases: Cases::Count(1..=10),
    case: &[
        Element::Number(Number { name: "n", limits: 1..=1000 }),
        Element::LineEnd,
        Element::Board(BoardWords::Piles { count: "n", limits: 1..=1_000_000_000 }),
    ],
    answer: AnswerWords { before: None, ask: Ask::Winner { win: "1", lose: "0" } },
    kinds: &[Kind::Traps, Kind::Edges, Kind::Random, Kind::NearEqual, Kind::Staircase, Kind::OneWin],
    sample: Sample {
        input: include_str!("../../samples/luogu-p2599.in"),
        answer: include_str!("../../samples/luogu-p2599.out"),
    },
};
