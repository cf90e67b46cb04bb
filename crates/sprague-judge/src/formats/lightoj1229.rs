//! LightOJ 1229, Treblecross: the boards, and every winning position behind the number of its case.

use crate::description::*;

pub(super) const DESCRIPTION: Description = Description {
    name: "lightoj1229",
    aliases: &[],
    title: "T boards -> Case k: every winning position, or 0",
    game: Game::Treblecross,
    cases: Cases::Count(1..=200),
    case: &[Element::Board(BoardWords::Cells { letters: CellLetters { empty: b'.', taken: b'X' }, limits: 3..=200 })],
    answer: AnswerWords { before: Some(Before::new("Case {k}: ")), ask: Ask::Moves { head: "", none: "0" } },
    kinds: &[Kind::Traps, Kind::Edges, Kind::Random, Kind::Dense, Kind::Sparse, Kind::OneWin],
    sample: Sample {
        input: include_str!("../../samples/lightoj1229.in"),
        answer: include_str!("../../samples/lightoj1229.out"),
    },
};
