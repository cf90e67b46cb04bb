//! POJ 3537, Crosses and Crosses: Treblecross from the empty board, and who wins.

use crate::description::*;

pub(super) const DESCRIPTION: Description = Description {
    name: "poj3537",
    aliases: &["gym100078c"],
    title: "lengths of empty boards, to the end -> 1 or 2, the player who wins",
    game: Game::Treblecross,
    cases: Cases::End,
    case: &[Element::Board(BoardWords::Length(Number { name: "n", limits: 3..=2000 }))],
    answer: AnswerWords { before: None, ask: Ask::Winner { win: "1", lose: "2" } },
    kinds: &[Kind::Traps, Kind::Edges, Kind::Random],
    sample: Sample {
        input: include_str!("../../samples/poj3537.in"),
        answer: include_str!("../../samples/poj3537.out"),
    },
};
