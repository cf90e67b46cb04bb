//! What a judge's format is made of: a value of these types says all that is known of one.

use std::ops::RangeInclusive;

use sprague_games::games::{Board, Outcome, Sizes};

pub(crate) use super::kind::Kind;
pub(crate) use super::letters::{CellLetters, GridLetters};
pub(crate) use sprague_games::games::Game;

/// A format: its names, the words of its files and answers, the limits of its statement, its sample.
#[derive(Debug)]
pub(crate) struct Description {
    /// The name, in small letters.
    pub name: &'static str,
    /// The names of the same problem, in the same format, elsewhere.
    pub aliases: &'static [&'static str],
    /// What goes in and what comes out, in one line.
    pub title: &'static str,
    /// The game whose boards it writes.
    pub game: Game,
    /// How the cases of a file are counted.
    pub cases: Cases,
    /// A case, element by element.
    pub case: &'static [Element],
    /// The words of its answer.
    pub answer: AnswerWords,
    /// The kinds of boards that test files have.
    pub kinds: &'static [Kind],
    /// The published sample.
    pub sample: Sample,
}

/// How the cases of a file are counted.
#[derive(Debug)]
pub(crate) enum Cases {
    /// T stands first; the statement's limits of T.
    Count(RangeInclusive<u64>),
    /// To the end of the file.
    End,
    /// There is one.
    One {
        /// What somebody with several should do.
        several: Option<&'static str>,
    },
}

/// What stands in a case. Readers take any white space between elements; the statement's layout has a space, or the end
/// of a line.
#[derive(Debug)]
pub(crate) enum Element {
    /// A number that an element behind it names.
    Number(Number),
    /// The end of a line, but for the last of the case.
    LineEnd,
    /// The board: there is one.
    Board(BoardWords),
}

/// A number by the letter that the statement has for it.
#[derive(Debug)]
pub(crate) struct Number {
    pub name: &'static str,
    /// The statement's.
    pub limits: RangeInclusive<u64>,
}

/// How a board is written.
#[derive(Debug)]
pub(crate) enum BoardWords {
    /// A Treblecross board as a word of cells.
    Cells {
        letters: CellLetters,
        /// How many cells the statement has.
        limits: RangeInclusive<u64>,
    },
    /// An empty Treblecross board as its length.
    Length(Number),
    /// A darkraft grid as rows of letters, a line each.
    Grid {
        /// The number of rows, by its name.
        rows: &'static str,
        /// The number of columns, by its name.
        columns: &'static str,
        letters: &'static GridLetters,
    },
    /// A row of End-Nim piles.
    Piles {
        /// The number of piles, by its name.
        count: &'static str,
        /// The statement's limits of a pile.
        limits: RangeInclusive<u64>,
    },
}

/// What sizes of boards are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Cell,
    Row,
    Column,
    Pile,
}

/// An answer: what stands before it, and what it says.
#[derive(Debug)]
pub(crate) struct AnswerWords {
    pub before: Option<Before>,
    pub ask: Ask,
}

/// What stands before each answer, on both sides of the case's number.
#[derive(Debug)]
pub(crate) struct Before {
    pub left: &'static str,
    pub right: &'static str,
}

/// What an answer says.
#[derive(Debug)]
pub(crate) enum Ask {
    /// Who wins: the word if the first player does, and the one if not.
    Winner { win: &'static str, lose: &'static str },
    /// The winning cells, counted from 1, with one space between: what stands before them, and what in place of none. In an
    /// answer that has its case's number before it there is no head, and a number in place of none.
    Moves { head: &'static str, none: &'static str },
}

/// A published input with its answer.
#[derive(Debug)]
pub(crate) struct Sample {
    pub input: &'static str,
    pub answer: &'static str,
}

impl Description {
    /// The description, if its parts fit together; otherwise it does not compile.
    pub(crate) const fn checked(self) -> Description {
        let (before, after) = self.case.split_at(self.board_at());
        let game = match self.board() {
            BoardWords::Cells { .. } | BoardWords::Length(_) => Game::Treblecross,
            BoardWords::Grid { rows, columns, .. } => {
                let (_, _) = (self.number(rows), self.number(columns));
                let is_alone =
                    matches!(before, [] | [.., Element::LineEnd]) && matches!(after, [_] | [_, Element::LineEnd, ..]);
                assert!(is_alone, "the rows of a grid are lines of their own");
                Game::Darkraft
            }
            BoardWords::Piles { count, .. } => {
                let _ = self.number(count);
                Game::EndNim
            }
        };
        assert!(game as u8 == self.game as u8, "the board is another game's");
        let mut at = 0;
        while at < self.case.len() {
            if let Element::Number(number) = &self.case[at] {
                let _ = self.unit(number.name);
            }
            at += 1;
        }
        match self.answer.ask {
            Ask::Winner { win, lose } => assert!(!is_same(win, lose), "won and lost have the same word"),
            Ask::Moves { head, none } => {
                assert!(matches!(game, Game::Treblecross), "the moves of other games have no words yet");
                assert!(!is_same(head, none), "won and lost have the same word");
                let is_headed = !head.is_empty();
                assert!(is_headed != self.answer.before.is_some(), "answers begin with a word or the case's number");
            }
        }
        self
    }

    /// The board of a case.
    pub(crate) const fn board(&self) -> &'static BoardWords {
        match &self.case[self.board_at()] {
            Element::Board(board) => board,
            Element::Number(_) | Element::LineEnd => panic!("it is a board"),
        }
    }

    /// Which element the one board of a case is.
    const fn board_at(&self) -> usize {
        let (mut at, mut found) = (0, None);
        while at < self.case.len() {
            if matches!(self.case[at], Element::Board(_)) {
                assert!(found.is_none(), "a case has one board");
                found = Some(at);
            }
            at += 1;
        }
        found.expect("a case has a board")
    }

    /// A number that the board is read by.
    pub(crate) const fn number(&self, name: &str) -> &'static Number {
        let mut at = 0;
        while at < self.case.len() {
            match &self.case[at] {
                Element::Number(number) if is_same(number.name, name) => return number,
                Element::Number(_) | Element::LineEnd => at += 1,
                Element::Board(_) => break,
            }
        }
        panic!("there is no number of that name before the board")
    }

    /// What the number of a name counts.
    pub(crate) const fn unit(&self, name: &str) -> Unit {
        match self.board() {
            BoardWords::Length(length) if is_same(length.name, name) => Unit::Cell,
            BoardWords::Grid { rows, .. } if is_same(rows, name) => Unit::Row,
            BoardWords::Grid { columns, .. } if is_same(columns, name) => Unit::Column,
            BoardWords::Piles { count, .. } if is_same(count, name) => Unit::Pile,
            BoardWords::Cells { .. } | BoardWords::Length(_) | BoardWords::Grid { .. } | BoardWords::Piles { .. } => {
                panic!("a number that counts nothing")
            }
        }
    }

    /// The statement's limits of boards: cells, rows and columns each, or piles.
    pub(crate) fn sizes(&self) -> &'static RangeInclusive<u64> {
        match self.board() {
            BoardWords::Cells { limits, .. } => limits,
            BoardWords::Length(length) => &length.limits,
            BoardWords::Grid { rows, .. } => &self.number(rows).limits,
            BoardWords::Piles { count, .. } => &self.number(count).limits,
        }
    }

    /// The most cases of one file that the statement allows; none where a file may have any number.
    pub(crate) fn most_cases(&self) -> Option<u64> {
        match &self.cases {
            Cases::Count(limits) => Some(*limits.end()),
            Cases::One { .. } => Some(1),
            Cases::End => None,
        }
    }

    /// A number as messages name it: `n, the number of rows`.
    pub(crate) fn named(&self, number: &Number) -> String {
        format!("{}, the number of {}s", number.name, self.unit(number.name).word())
    }

    /// A case as messages name it: `n and m, and n rows of m letters`.
    pub(crate) fn case_in_words(&self) -> String {
        let board = match self.board() {
            BoardWords::Cells { .. } => "a board".into(),
            BoardWords::Length(length) => length.name.into(),
            BoardWords::Grid { rows, columns, .. } => format!("{rows} rows of {columns} letters"),
            BoardWords::Piles { count, .. } => format!("{count} piles"),
        };
        match &*line_in_words(&self.case[..self.board_at()]) {
            "" => board,
            numbers => format!("{numbers}, and {board}"),
        }
    }
}

/// Elements as messages name them: `n and m`.
pub(crate) fn line_in_words(elements: &[Element]) -> String {
    let word = |element: &Element| match element {
        Element::Number(number) | Element::Board(BoardWords::Length(number)) => Some(number.name),
        Element::Board(BoardWords::Cells { .. }) => Some("a board"),
        Element::Board(BoardWords::Grid { .. }) => Some("rows"),
        Element::Board(BoardWords::Piles { .. }) => Some("piles"),
        Element::LineEnd => None,
    };
    elements.iter().filter_map(word).collect::<Vec<_>>().join(" and ")
}

impl AnswerWords {
    /// Who wins by a word that says so.
    pub(crate) fn outcome(&self, word: &[u8]) -> Option<Outcome> {
        let is_said = |outcome| word.eq_ignore_ascii_case(self.word(outcome).as_bytes());
        [Outcome::FirstPlayerWins, Outcome::SecondPlayerWins].into_iter().find(|&outcome| is_said(outcome))
    }

    /// The word that says who wins; empty where moves alone say it.
    pub(crate) fn word(&self, outcome: Outcome) -> &'static str {
        let (first, second) = match self.ask {
            Ask::Winner { win, lose } => (win, lose),
            Ask::Moves { head, none } => (head.trim_end(), none.trim_end()),
        };
        if outcome == Outcome::FirstPlayerWins { first } else { second }
    }

    /// How many words stand before an answer.
    pub(crate) fn words_before(&self) -> usize {
        self.before.as_ref().map_or(0, |before| if before.word().is_empty() { 1 } else { 2 })
    }
}

impl Unit {
    /// One of them.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Unit::Cell => "cell",
            Unit::Row => "row",
            Unit::Column => "column",
            Unit::Pile => "pile",
        }
    }

    /// The most of them that a server takes.
    pub(crate) fn limit(self, sizes: &Sizes) -> u64 {
        match self {
            Unit::Cell => sizes.treblecross.cells,
            Unit::Row => sizes.darkraft.rows,
            Unit::Column => sizes.darkraft.columns,
            Unit::Pile => sizes.end_nim.piles,
        }
    }

    /// How many of them a board has.
    pub(crate) fn of(self, board: &Board) -> u64 {
        match (self, board) {
            (Unit::Cell, Board::Treblecross(board)) => board.cells().len() as u64,
            (Unit::Row, Board::Darkraft(board)) => board.rows().into(),
            (Unit::Column, Board::Darkraft(board)) => board.columns().into(),
            (Unit::Pile, Board::EndNim(board)) => board.piles().len() as u64,
            (Unit::Cell | Unit::Row | Unit::Column | Unit::Pile, _) => 0,
        }
    }
}

impl Before {
    /// What a text with `{k}` in the place of the number says: `Case #{k}: `. There is one word at most before that of the
    /// number, and none behind it.
    pub(crate) const fn new(text: &'static str) -> Before {
        let mut at = 0;
        while at + 3 <= text.len() {
            let (left, rest) = text.split_at(at);
            if is_same(rest.split_at(3).0, "{k}") {
                return Before { left, right: rest.split_at(3).1 };
            }
            at += 1;
        }
        panic!("there is no {{k}}, the case's number")
    }

    /// The word before that of the number; empty if there is none.
    pub(crate) fn word(&self) -> &'static str {
        self.left.rsplit_once(' ').map_or("", |(word, _)| word)
    }

    /// The case's number, if a word is that of the number.
    pub(crate) fn number(&self, word: &[u8]) -> Option<u64> {
        let sign = self.left.rsplit_once(' ').map_or(self.left, |(_, sign)| sign);
        let digits = word.strip_prefix(sign.as_bytes())?.strip_suffix(self.right.trim_end().as_bytes())?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
