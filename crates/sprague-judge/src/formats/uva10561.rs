//! UVa 10561, Treblecross: the boards, and every winning position.

use crate::description::*;

pub(super) const DESCRIPTION: Description = Description {
    name: "uva10561",
    aliases: &[],
    title: "T boards -> WINNING and every winning position, or LOSING and an empty line",
    game: Game::Treblecross,
    cases: Cases::Count(1..=99),
    case: &[Element::Board(BoardWords::Cells { letters: CellLetters { empty: b'.', taken: b'X' }, limits: 3..=200 })],
    answer: AnswerWords { before: None, ask: Ask::Moves { head: "WINNING\n", none: "LOSING\n" } },
    kinds: &[Kind::Traps, Kind::Edges, Kind::Random, Kind::Dense, Kind::Sparse, Kind::OneWin],
    sample: Sample {
        input: include_str!("../../samples/uva10561.in"),
        answer: include_str!("../../samples/uva10561.out"),
    },
};
