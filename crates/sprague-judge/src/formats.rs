//! The descriptions of the formats, a file each.

use super::description::Description;
use super::format::Format;

/// Takes the names of constants and files in listing order.
macro_rules! formats {
    ($($constant:ident: $file:ident),+ $(,)?) => {
        $(mod $file;)+

        impl Format {
            /// Every format, in listing order.
            pub const ALL: [Format; [$(stringify!($file)),+].len()] = [$(Format::$constant),+];

            $(
                #[doc = concat!("`", stringify!($file), "`, see `Format::title`.")]
                pub const $constant: Format = {
                    static DESCRIPTION: Description = $file::DESCRIPTION.checked();
                    Format(&DESCRIPTION)
                };
            )+
        }
    };
}

formats! {
    UVA10561: uva10561,
    LIGHTOJ1229: lightoj1229,
    POJ3537: poj3537,
    CODEFORCES138D: codeforces138d,
    GDOI2016: gdoi2016,
    LUOGU_P2599: luogu_p2599,
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use sprague_games::games::{Answer, Board, Game, Outcome, solve};
    use sprague_games::theory::Control;

    use crate::check::Checker;
    use crate::description::{AnswerWords, Ask, Before, BoardWords, Cases, Description, Element, Number, Sample};
    use crate::generate::{Kind, Recipe, Wish};
    use crate::letters::CellLetters;
    use crate::{Case, Diagnostic, Format, Next, Options, Reader, validate, write_answer, write_board};

    /// Letters, limits and words that no judge has.
    static OTHER: Description = Description {
        name: "other",
        aliases: &[],
        title: "",
        game: Game::Treblecross,
        cases: Cases::End,
        case: &[Element::Board(BoardWords::Cells { letters: CellLetters { empty: b'_', taken: b'#' }, limits: 3..=9 })],
        answer: AnswerWords {
            before: Some(Before::new("Case #{k}: ")),
            ask: Ask::Winner { win: "Alice", lose: "Bob" },
        },
        kinds: &[Kind::Traps, Kind::Random],
        sample: Sample { input: "___\n", answer: "Case #1: Alice\n" },
    }
    .checked();
    /// A number before the board on its line.
    static TOGETHER: Description = Description {
        name: "together",
        game: Game::EndNim,
        cases: Cases::One { several: None },
        case: &[
            Element::Number(Number { name: "k", limits: 1..=5 }),
            Element::Board(BoardWords::Piles { count: "k", limits: 1..=7 }),
        ],
        answer: AnswerWords { before: None, ask: Ask::Winner { win: "yes", lose: "no" } },
        ..OTHER_PARTS
    }
    .checked();
    const OTHER_PARTS: Description = Description {
        name: "",
        aliases: &[],
        title: "",
        game: Game::Treblecross,
        cases: Cases::End,
        case: &[],
        answer: AnswerWords { before: None, ask: Ask::Winner { win: "", lose: "" } },
        kinds: &[Kind::Staircase],
        sample: Sample { input: "", answer: "" },
    };

    fn cases(format: Format, text: &str, strict: bool) -> Vec<Result<Case, String>> {
        let mut reader = Reader::new(format, Options { strict, ..Options::default() }, text.as_bytes());
        let mut cases = Vec::new();
        loop {
            match reader.next_case() {
                Ok(Next::Case(case)) => cases.push(Ok(case)),
                Ok(Next::Starved) => {}
                Ok(Next::End) => return cases,
                Err(error) => cases.push(Err(error.to_string())),
            }
        }
    }

    fn faults(format: Format, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        validate(format, text.as_bytes(), &mut |fault| faults.push(fault.to_string())).unwrap();
        faults
    }

    fn text(recipe: Recipe) -> String {
        let mut text = String::new();
        recipe.file().unwrap().reader().read_to_string(&mut text).unwrap();
        text
    }

    fn recipe(format: Format) -> Recipe {
        Recipe { format, kinds: vec![], cases: None, sizes: None, seed: 1, wish: Wish::Mixed, strict: true }
    }

    #[test]
    fn reader_writer_validator_and_generator_go_by_the_description() {
        let format = Format(&OTHER);
        let made = text(recipe(format));
        assert_eq!(faults(format, &made), [""; 0]);
        let mut written = Vec::new();
        for case in cases(format, &made, true) {
            write_board(format, &case.unwrap().board, &mut written);
        }
        assert_eq!(String::from_utf8(written).unwrap(), made);
        assert!(made.contains('#') && made.contains('_'), "{made}");

        let bad = "cell 2 is '.': a cell is '_' or '#'";
        assert_eq!(cases(format, "_._", false)[0].as_ref().unwrap_err(), &format!("1:2: case 1: {bad}"));
        assert_eq!(faults(format, "_._\n"), [format!("1:2: case 1: {bad}")]);
        assert_eq!(faults(format, "__________\n"), ["1:1: case 1: a board of 10 cells: the statement has 3 to 9"]);
    }

    #[test]
    fn a_line_may_hold_a_number_and_the_board() {
        let format = Format(&TOGETHER);
        let made = text(recipe(format));
        assert_eq!((made.lines().count(), faults(format, &made)), (1, vec![]));
        let found = cases(format, "2 1 8", true).remove(0).unwrap_err();
        assert!(found.ends_with("case 1: pile 2 of 2 is 8: the statement allows 1 to 7"), "{found}");
        assert_eq!(faults(format, "2 1\n"), ["1:3: case 1: the line has 1 pile: expected 2"]);
        assert_eq!(faults(format, "2\n"), ["1:2: case 1: the line has 0 piles: expected 2"]);
        assert_eq!(faults(format, ""), ["1:1: the file is empty: expected k, and k piles"]);
        let found = cases(format, "1 1 1", false).remove(1).unwrap_err();
        assert_eq!(found, "1:5: found \"1\" after the one case of together");
    }

    #[test]
    fn the_checker_goes_by_the_description() {
        let format = Format(&OTHER);
        let solved = |case: Result<Case, String>| {
            let board = case.unwrap().board;
            let answer = Answer::Solution(solve(&board, &Control::unlimited()).unwrap());
            (board, answer)
        };
        let right: Vec<(Board, Answer)> = cases(format, "___ ______ #__", false).into_iter().map(solved).collect();
        let outcomes: Vec<bool> =
            right.iter().map(|(_, answer)| answer.outcome() == Outcome::FirstPlayerWins).collect();
        assert_eq!(outcomes, [true, false, false]);
        let mut written = Vec::new();
        for ((_, answer), number) in right.iter().zip(1..) {
            write_answer(format, number, answer.outcome(), answer.winning_cells(), &mut written);
        }
        let written = String::from_utf8(written).unwrap();
        assert_eq!(written, "Case #1: Alice\nCase #2: Bob\nCase #3: Bob\n");

        for (text, told) in [
            (&*written, &[][..]),
            ("case #1: alice\nCase #2: Bob\nCase #3: Bob\n", &["1: words are written in other letters"][..]),
            (
                "Case #1: Alice\nCase #2: Carol\nCase #3: Bob\n",
                &["2: \"Carol\" is no answer: expected Case #2: Alice or Bob"],
            ),
            (
                "Case #1: Alice\nhello\nCase #2: Bob\nCase #3: Bob\n",
                &["2: \"hello\" is no answer: expected Case #2: Alice or Bob; the answer behind it is right"],
            ),
            ("Case #1: Alice\nCase #3: Bob\n", &["2: no answer: the one of case 3 stands in its place"]),
            ("Case #1: Alice\nCase #2: Alice\nCase #3: Bob\n", &["2: printed Alice, right is Bob"]),
        ] {
            let mut checker = Checker::new(format, text.as_bytes());
            let mut found = Vec::new();
            for (at, (board, answer)) in right.iter().enumerate() {
                let number = at as u64 + 1;
                if checker.is_right(number, answer).unwrap() {
                    continue;
                }
                let following = right[at + 1..].iter().map(|(board, answer)| (board, answer)).collect();
                let mistake = checker.mistake(number, board, answer, &(following, true)).unwrap();
                let told = |found: Diagnostic| format!("{}: {}", found.place, found.message);
                found.extend(mistake.map(|mistake| told(mistake.found)));
            }
            assert_eq!(checker.rest().unwrap(), None, "{text}");
            assert_eq!(found.len(), told.len(), "{text}: {found:?}");
            assert!(found.iter().zip(told).all(|(found, told)| found.starts_with(told)), "{text}: {found:?}");
        }
    }
}
