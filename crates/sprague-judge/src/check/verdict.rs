//! What is wrong with a contestant's answer, in words: the claim, the truth, and the move that shows it.

use super::answers::{Given, Says};
use crate::Format;
use crate::description::{AnswerWords, Ask, Before};
use sprague_games::draw::words;
use sprague_games::explain::{Explanation, Move, Reason};
use sprague_games::games::{Answer, Board, Outcome};
use sprague_games::message::count;
use sprague_games::notation::show_move;

/// Positions of a list that are shown.
const SHOWN: usize = 12;

/// How an answer is at odds with what is right, before any reason is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// What it says is right; how it is laid out is not.
    Presentation(String),
    /// It is wrong, and no move is needed to show it; with the word of the text at fault, from 0.
    Plain(String, usize),
    /// It is wrong, and an explanation shows it; with the word of the text at fault, from 0.
    Refuted(Refutation, usize),
}

/// What an explanation is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refutation {
    /// It says that the first player loses: a winning move.
    WrongLoss,
    /// It says that the first player wins, without a move: why not.
    WrongWin,
    /// It lists a move, from 0, that loses.
    LosingMove(u32),
    /// It does not list a move, from 0, that wins.
    MissingMove(u32),
}

/// The words in which a format says who wins.
fn word(format: Format, outcome: Outcome) -> &'static str {
    match format.0.answer.word(outcome) {
        "" => "positions",
        word => word,
    }
}

/// Compares what an answer says with what is right; `right` is the answer to the byte.
pub(super) fn fault(format: Format, number: u64, board: &Board, answer: &Answer, given: &Given, right: &[u8]) -> Fault {
    let outcome = answer.outcome();
    match &given.says {
        Says::Nothing => Fault::Plain(format!("no answer: the file ends after {}", count(number - 1, "answer")), 0),
        Says::Later(found) => Fault::Plain(format!("no answer: the one of case {found} stands in its place"), 0),
        Says::TooLong => Fault::Plain(
            "what stands here is longer than any answer could be, and nothing behind it is looked at".into(),
            0,
        ),
        &Says::Unreadable(at) => {
            Fault::Plain(format!("{} is no answer: expected {}", given.word(at), expected(format, number)), at)
        }
        Says::Winner(said) if *said == outcome => Fault::Presentation(presentation(format, &given.text, right, &[])),
        Says::Winner(Outcome::FirstPlayerWins) => Fault::Refuted(Refutation::WrongWin, 0),
        Says::Winner(Outcome::SecondPlayerWins) => Fault::Refuted(Refutation::WrongLoss, 0),
        Says::Moves { outcome: said, positions } => {
            let is_wrong = moves(format, *said, positions, board, answer.winning_cells());
            is_wrong.unwrap_or_else(|| Fault::Presentation(presentation(format, &given.text, right, positions)))
        }
    }
}

/// The line of an answer file on which a fault is to be seen.
pub(super) fn line(fault: &Fault, given: &Given, right: &[u8]) -> u64 {
    match *fault {
        Fault::Presentation(_) => given.line_of_difference(right),
        Fault::Plain(_, word) | Fault::Refuted(_, word) => given.line_of_word(word),
    }
}

/// What would be an answer of a case.
pub(super) fn expected(format: Format, number: u64) -> String {
    let AnswerWords { before, ask } = &format.0.answer;
    let label = before.as_ref().map(|Before { left, right }| format!("{left}{number}{right}")).unwrap_or_default();
    match ask {
        Ask::Winner { win, lose } => format!("{label}{win} or {lose}"),
        Ask::Moves { head: "", none } => format!("{label}and positions, or {none}"),
        Ask::Moves { head, none } => format!("{label}{} or {}, and positions", head.trim_end(), none.trim_end()),
    }
}

fn moves(format: Format, said: Outcome, positions: &[u64], board: &Board, winning: &[u32]) -> Option<Fault> {
    let Board::Treblecross(strip) = board else { return None };
    let cells = strip.cells();
    // Words before the positions.
    let words = &format.0.answer;
    let (what, head) = match words.word(Outcome::FirstPlayerWins) {
        "" => ("the case's number", words.words_before()),
        word => (word, words.words_before() + 1),
    };
    if said == Outcome::SecondPlayerWins {
        return match (winning, positions) {
            ([], []) => None,
            ([], [first, ..]) => {
                let word = words.word(Outcome::SecondPlayerWins);
                Some(Fault::Plain(format!("position {first} stands behind {word}"), head))
            }
            ([_, ..], _) => Some(Fault::Refuted(Refutation::WrongLoss, 0)),
        };
    }
    for (&position, word) in positions.iter().zip(head..) {
        let at = position.checked_sub(1).and_then(|at| usize::try_from(at).ok()).filter(|&at| at < cells.len());
        let Some(at) = at else {
            let size = count(cells.len() as u64, "cell");
            return Some(Fault::Plain(format!("position {position} is not on the board of {size}"), word));
        };
        if cells[at] == b'X' {
            return Some(Fault::Plain(format!("position {position} is taken"), word));
        }
        if winning.binary_search(&(at as u32)).is_err() {
            return Some(Fault::Refuted(Refutation::LosingMove(at as u32), word));
        }
    }
    if positions.is_empty() && !winning.is_empty() {
        return Some(Fault::Plain(format!("no position stands behind {what}"), 0));
    }
    if let Some(&missing) = winning.iter().find(|&&cell| !positions.contains(&(u64::from(cell) + 1))) {
        return Some(Fault::Refuted(Refutation::MissingMove(missing), head));
    }
    // Nothing is listed and nothing is to be listed: the word alone is wrong.
    positions.is_empty().then_some(Fault::Refuted(Refutation::WrongWin, 0))
}

/// What is wrong with the layout of an answer that says the right thing.
fn presentation(format: Format, text: &[u8], right: &[u8], positions: &[u64]) -> String {
    if let Some(pair) = positions.windows(2).find(|pair| pair[0] >= pair[1]) {
        let twice = positions.iter().find(|one| positions.iter().filter(|other| other == one).count() > 1);
        return match twice {
            Some(twice) => format!("position {twice} is listed twice"),
            None => format!("positions are not in increasing order: {} stands before {}", pair[0], pair[1]),
        };
    }
    let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
    let blank_at_end = text.split(|&byte| byte == b'\n').any(|line| line.ends_with(b" ") || line.ends_with(b"\t"));
    if text.contains(&b'\r') {
        "lines end in CR LF, not in LF alone".into()
    } else if !text.ends_with(b"\n") {
        "the newline at the end of the last line is missing".into()
    } else if text[0].is_ascii_whitespace() {
        "there is white space before the answer".into()
    } else if blank_at_end {
        "there are blanks at the end of a line".into()
    } else if text.eq_ignore_ascii_case(right) {
        "words are written in other letters, capital and small".into()
    } else if right.ends_with(b"\n\n") && lines(text) < lines(right) {
        format!("the empty line after {} is missing", word(format, Outcome::SecondPlayerWins))
    } else if lines(text) > lines(right) {
        "there is an empty line too many".into()
    } else {
        "white space, or a number's zeros in front, is not as it should be".into()
    }
}

/// What was printed in a case, and what is right, of formats that list positions: a clause.
pub(super) fn claim(format: Format, given: &Given, answer: &Answer) -> String {
    let list = |positions: &[u64]| {
        let mut shown: Vec<String> = positions.iter().take(SHOWN).map(u64::to_string).collect();
        if positions.len() > SHOWN {
            shown.push(format!("... ({} in all)", positions.len()));
        }
        shown.join(" ")
    };
    let right: Vec<u64> = answer.winning_cells().iter().map(|&cell| u64::from(cell) + 1).collect();
    let right = match (answer.outcome(), &format.0.answer.ask) {
        (Outcome::FirstPlayerWins, Ask::Moves { .. }) => list(&right),
        (outcome, _) => word(format, outcome).into(),
    };
    match &given.says {
        Says::Winner(said) => format!("printed {}, right is {right}", word(format, *said)),
        Says::Moves { outcome: Outcome::SecondPlayerWins, .. } => {
            format!("printed {}, right is {right}", word(format, Outcome::SecondPlayerWins))
        }
        Says::Moves { positions, .. } if positions.is_empty() => format!("printed nothing, right is {right}"),
        Says::Moves { positions, .. } => format!("printed {}, right is {right}", list(positions)),
        _ => format!("right is {right}"),
    }
}

impl Refutation {
    /// The moves of the explanation that shows it.
    pub(super) fn asks(self) -> Vec<Move> {
        match self {
            Refutation::WrongLoss | Refutation::WrongWin => Vec::new(),
            Refutation::LosingMove(cell) | Refutation::MissingMove(cell) => vec![Move::Cell(cell)],
        }
    }

    /// What that explanation shows.
    pub(super) fn reason(self, told: &Explanation) -> String {
        match self {
            Refutation::WrongLoss => winning_move(told),
            Refutation::WrongWin => format!("the first player loses: {}", lost(told)),
            Refutation::LosingMove(_) => losing_move(told),
            Refutation::MissingMove(_) => missing_move(told),
        }
    }
}

/// The winning move behind a wrong loss.
fn winning_move(told: &Explanation) -> String {
    match told.winning_moves.items.first() {
        Some(choice) => {
            let played = show_move(told.position.columns(), choice.played);
            format!("the first player wins with {played}: it {}", words::left(&told.position, choice))
        }
        None => "the first player wins".into(),
    }
}

/// Why a position is lost that was said to be won, in short.
fn lost(told: &Explanation) -> String {
    match &told.reason {
        Reason::Over => "there is no move".into(),
        Reason::Zones { zones, .. } if zones.total == 0 => "after any move the opponent makes XXX".into(),
        Reason::Zones { zones, .. } if zones.total == 1 => "the one zone has nim-value 0".into(),
        Reason::Zones { .. } => "the nim-sum of the zones is 0".into(),
        Reason::Colours { colours } => {
            format!("the cells with row + column even and those with it odd both have nim-value {}", colours[0].value)
        }
        Reason::Thresholds { left, .. } => {
            format!("with the other piles as they are, a first pile of {} loses, and it is {}", left.value, left.pile)
        }
        Reason::ImmediateWin { .. } | Reason::OnePile => "no move wins".into(),
    }
}

/// Why a move loses that was listed: the reply that beats it.
fn losing_move(told: &Explanation) -> String {
    let Some(judged) = told.moves.first() else { return "a listed move loses".into() };
    let played = show_move(told.position.columns(), judged.choice.played);
    match (&judged.reply, &judged.choice.left) {
        (Some(reply), sprague_games::explain::Left::Exposed { .. }) => {
            format!("{played} loses: the reply {} makes XXX", show_move(told.position.columns(), reply.played))
        }
        (Some(reply), _) => {
            let what = words::left(&told.position, reply);
            format!(
                "{played} loses: the reply {} beats it, it {what}",
                show_move(told.position.columns(), reply.played)
            )
        }
        (None, _) => format!("{played} loses"),
    }
}

/// Why a move wins that was not listed.
fn missing_move(told: &Explanation) -> String {
    let Some(judged) = told.moves.first() else { return "a winning move is missing".into() };
    let played = show_move(told.position.columns(), judged.choice.played);
    format!("{played} is missing: it wins, it {}", words::left(&told.position, &judged.choice))
}
