//! Explanations in sentences, for somebody who knows the rules of the game and nothing else.

use std::fmt::Write as _;

use super::fold::SOFT;
use super::marks;
use crate::explain::reason::{Case, Cells, Colour, Part, Rule, Threshold};
use crate::explain::{Choice, Explanation, Judged, Left, Line, Listed, MOST_MOVES, Move, Position, Reason};
use crate::games::{Game, Outcome};
use crate::message::count;
use crate::notation::show_move;

/// Entries of a list that are written out; the rest is counted.
const SHOWN: usize = 40;

/// The game, the size, and who wins.
pub fn headline(game: Game, explanation: &Explanation) -> String {
    let size = super::size(&explanation.position);
    let name = game.name();
    let outcome = match (&explanation.reason, explanation.outcome) {
        (Reason::Over, _) => "has lost",
        (_, Outcome::FirstPlayerWins) => "wins",
        (_, Outcome::SecondPlayerWins) => "loses, whatever the move",
    };
    let over = if explanation.reason == Reason::Over { "the game is over; " } else { "" };
    match explanation.moves.len() as u64 {
        0 => format!("{name}, {size}: {over}the player to move {outcome}."),
        moves => {
            let (played, to_move) = (count(moves, "move"), to_move(explanation));
            format!("{name}, {size}, after {played}: {over}the {to_move} player is to move and {outcome}.")
        }
    }
}

/// Whose turn it is: of the player who began, or of the other.
pub fn to_move(explanation: &Explanation) -> &'static str {
    if explanation.moves.len().is_multiple_of(2) { "first" } else { "second" }
}

/// Why the position is won or lost.
pub(super) fn reason(explanation: &Explanation) -> String {
    match &explanation.reason {
        Reason::Over => super::words(&explanation.position).over.into(),
        Reason::ImmediateWin { cells } => immediate(cells),
        Reason::Zones { zones, deadly, nim_sum } => self::zones(zones, deadly, *nim_sum),
        Reason::Colours { colours } => self::colours(colours, explanation.position.columns().unwrap_or(1)),
        Reason::Thresholds { left, right } => thresholds(left, right),
        Reason::OnePile => "One pile is left: take it whole, and the opponent has no move.\n".into(),
    }
}

fn immediate(cells: &Listed<u32>) -> String {
    let these = positions(cells);
    format!(
        "A move makes XXX at once: {these}. Only such moves win: after any other the opponent makes XXX, here or there.\n"
    )
}

/// Numbers from a list of cells from 0, cut after some.
fn positions(cells: &Listed<u32>) -> String {
    enumerate(cells.items.iter().map(|cell| (u64::from(*cell) + 1).to_string()), cells.total)
}

/// Entries with spaces between, the rest counted.
fn enumerate(entries: impl Iterator<Item = String>, total: u64) -> String {
    let mut text = entries.take(SHOWN).collect::<Vec<_>>().join(" ");
    if total > SHOWN as u64 {
        let _infallible = write!(text, " ... and {} more", total - SHOWN as u64);
    }
    text
}

fn zones(zones: &Listed<Part>, deadly: &Listed<u32>, nim_sum: u32) -> String {
    let mut text = String::from("No move makes XXX at once.\n");
    if deadly.total > 0 {
        let these = positions(deadly);
        text += &match deadly.total {
            1 => format!(
                "This cell loses at once: {these}.\nAn X in it stands next to another X, or one cell away: the opponent makes XXX.\n"
            ),
            _ => format!(
                "These cells lose at once: {these}.\nAn X in one of them stands next to another X, or one cell away: the opponent makes XXX.\n"
            ),
        };
    }
    if zones.total == 0 {
        return text + "There is no other empty cell, so every move loses.\n";
    }
    text += "What is left are zones, runs of cells with no X within two cells. Each is a game of its own, worth as much as\u{2028}\
             a Nim heap of so many stones: its nim-value.\n";
    for (zone, number) in zones.items.iter().zip(0..).take(SHOWN) {
        let _infallible = writeln!(
            text,
            "  zone {}: {}, nim-value {}",
            marks::name('a', number),
            cells(&zone.cells, None),
            zone.value
        );
    }
    if zones.total > SHOWN as u64 {
        let _infallible = writeln!(text, "  ... and {} more", zones.total - SHOWN as u64);
    }
    text + &balance(&zones.items, zones.total, nim_sum, "zone")
}

/// What the nim-sum means.
fn balance(parts: &[Part], total: u64, nim_sum: u32, what: &str) -> String {
    let sum = match parts {
        _ if total > SHOWN as u64 => format!("Their nim-sum is {nim_sum}"),
        [only] => format!("The nim-sum is that of the one {what}, {}", only.value),
        _ => {
            let values: Vec<String> = parts.iter().map(|part| part.value.to_string()).collect();
            format!("Their nim-sum is {} = {nim_sum}", values.join(" xor "))
        }
    };
    let meaning = if nim_sum == 0 {
        "so every move leaves another sum, and the opponent makes it 0 again"
    } else {
        "so a move wins if it leaves a nim-sum of 0, and only then"
    };
    format!("{sum}: {meaning}.\n")
}

fn cells(cells: &Cells, columns: Option<u32>) -> String {
    match cells {
        Cells::Run { start, length: 1 } => format!("cell {}", start + 1),
        Cells::Run { start, length } => format!("cells {} to {}", start + 1, start + length),
        Cells::List(list) => match list[..] {
            [only] => format!("cell {}", show_move(columns, Move::Cell(only))),
            [first, ..] => {
                format!("{} from {} on", count(list.len() as u64, "cell"), show_move(columns, Move::Cell(first)))
            }
            [] => "no cell".into(),
        },
    }
}

fn colours(colours: &[Colour; 2], columns: u32) -> String {
    let mut text = String::from(
        "Waves run along diagonals, so cells with row + column even and cells with row + column odd never touch: two\u{2028}\
         games side by side. Each part that waves have cut off is a game of its own, worth as much as a Nim heap of so\u{2028}\
         many stones: its nim-value.\n",
    );
    for (colour, (first, which)) in colours.iter().zip([('a', "even"), ('A', "odd")]) {
        let values: Vec<String> = colour.parts.iter().map(|part| part.value.to_string()).collect();
        let sum = match values.len() {
            0 => "no cell left, nim-value 0".into(),
            1 => format!("nim-value {}", colour.value),
            _ if values.len() > SHOWN => format!("{}, nim-sum {}", count(values.len() as u64, "part"), colour.value),
            _ => format!("nim-sum {} = {}", values.join(" xor "), colour.value),
        };
        let _infallible = writeln!(text, "  row + column {which}: {sum}");
        for (part, number) in colour.parts.iter().zip(0..).take(SHOWN) {
            let name = marks::name(first, number);
            let these = cells(&part.cells, Some(columns));
            let _infallible = writeln!(text, "    part {name}: {these}, nim-value {}", part.value);
        }
    }
    let [even, odd] = colours;
    let meaning = if even.value == odd.value {
        "Both are worth the same, so they cancel: whatever is changed in one, the opponent makes them equal again."
    } else {
        "They differ, so a move wins if it makes both worth the same, and only then."
    };
    text + meaning + "\n"
}

fn thresholds(left: &Threshold, right: &Threshold) -> String {
    let mut text = String::new();
    for (at, threshold, other, [far_side, near_side]) in
        [("first", left, "last", ["left", "right"]), ("last", right, "first", ["right", "left"])]
    {
        let Threshold { value, pile, rule } = threshold;
        let _infallible = write!(
            text,
            "The {at} pile: with the others as they are, the player to move loses if it is {}, and only then.\n  ",
            if *value == 0 { "gone (0 stones)".into() } else { format!("exactly {value}") }
        );
        text += &self::rule(rule, other, far_side, near_side);
        let _infallible = match pile.cmp(value) {
            std::cmp::Ordering::Equal => writeln!(text, "\n  It is {pile}: exactly that."),
            std::cmp::Ordering::Greater => writeln!(text, "\n  It is {pile}: take {} and it is that.", pile - value),
            std::cmp::Ordering::Less => writeln!(text, "\n  It is {pile}: already less, so no move at this end wins."),
        };
    }
    text
}

fn rule(rule: &Rule, other: &str, far_side: &str, near_side: &str) -> String {
    let Rule::Stretch { x, far, near, case } = rule else {
        return "Two piles are lost if they are equal: whatever is taken from one, the opponent takes from the other."
            .into();
    };
    let stretch = if *far == 0 && *near == 0 {
        "The piles between the ends are lost by themselves (threshold 0 on both sides).".into()
    } else {
        format!(
            "The piles between the ends would lose with {far} on their {far_side}, or with {near} on their {near_side}."
        )
    };
    let follows = match case {
        Case::Tie => format!("The {other} pile is that {near}, so without this pile the row is lost already."),
        Case::Outside if x < far.min(near) => {
            format!("The {other} pile, {x}, is below both: the rule gives {x} itself.")
        }
        Case::Outside => format!("The {other} pile, {x}, is above both: the rule gives {x} itself."),
        Case::Less => {
            format!("The {other} pile, {x}, lies from the {near} to the {far}: the rule gives one less, {}.", x - 1)
        }
        Case::More => {
            format!("The {other} pile, {x}, lies from the {far} to the {near}: the rule gives one more, {}.", x + 1)
        }
    };
    format!("{stretch}\n  {follows}")
}

/// What a move leaves.
pub fn left(at: &Position, choice: &Choice) -> String {
    match &choice.left {
        Left::Over => super::words(at).last_move.into(),
        Left::Exposed { reply } => format!("the opponent makes XXX with {}", u64::from(*reply) + 1),
        Left::Parts { parts, nim_sum } => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("{} (nim-value {})", cells(&part.cells, at.columns()), part.value))
                .collect();
            let left = if parts.is_empty() {
                format!("nothing of its {}", super::words(at).part)
            } else {
                parts.join(" and ")
            };
            format!("leaves {left}; nim-sum {nim_sum}")
        }
        Left::Stones { stones, threshold } if stones == threshold => format!("leaves {stones}, which loses"),
        Left::Stones { stones, threshold } => format!("leaves {stones}; only {threshold} would lose"),
    }
}

/// The winning moves with what they leave.
pub fn winning_moves(at: &Position, explanation: &Explanation) -> String {
    let winning = &explanation.winning_moves;
    if winning.total == 0 {
        return String::new();
    }
    format!("\nWinning moves:\n{}", table(at, winning, false))
}

/// Every move with what it leaves.
pub fn options(at: &Position, options: &Listed<Choice>) -> String {
    if options.total == 0 {
        return "\nThere are no moves.\n".into();
    }
    format!("\nEvery move:\n{}", table(at, options, true))
}

/// A move a line; all that an explanation holds where `all`, and `SHOWN` otherwise.
fn table(at: &Position, choices: &Listed<Choice>, all: bool) -> String {
    let shown = if all { choices.items.len() } else { SHOWN.min(choices.items.len()) };
    let names: Vec<String> =
        choices.items[..shown].iter().map(|choice| show_move(at.columns(), choice.played)).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (choice, name) in choices.items.iter().zip(&names) {
        let verdict = match (all, choice.left.wins()) {
            (false, _) => "",
            (true, true) => "wins   ",
            (true, false) => "loses  ",
        };
        let _infallible = writeln!(text, "  {name:<width$}  {verdict}{}", left(at, choice));
    }
    if choices.total > shown as u64 {
        let _infallible = writeln!(text, "  ... and {} more", choices.total - shown as u64);
    }
    text
}

/// A move that was played.
pub fn judged(at: &Position, judged: &Judged, number: usize) -> String {
    let player = if number % 2 == 1 { "first" } else { "second" };
    let played = show_move(at.columns(), judged.choice.played);
    let verdict = match (judged.choice.left.wins(), judged.was_won) {
        (true, _) => "wins",
        (false, true) => "loses a won position",
        (false, false) => "loses, as every move did",
    };
    let mut text = format!("move {number}, the {player} player: {played} {verdict}: {}", left(at, &judged.choice));
    if let (Some(reply), false) = (&judged.reply, matches!(judged.choice.left, Left::Exposed { .. })) {
        let _infallible = write!(text, "; {}", beaten_by(at, reply));
    }
    text + "."
}

/// The reply that beats a move.
pub fn beaten_by(at: &Position, reply: &Choice) -> String {
    format!("the reply {} beats it: it {}", show_move(at.columns(), reply.played), left(at, reply))
}

/// The first move that gave the game away.
pub fn mistake(at: &Position, judged: &Judged, number: usize) -> String {
    let played = show_move(at.columns(), judged.choice.played);
    let reply = judged.reply.as_ref().map(|reply| show_move(at.columns(), reply.played)).unwrap_or_default();
    format!("The first mistake is move {number}: {played} should not have been played; {reply} beats it.")
}

/// Play to the end.
pub(super) fn line(at: &Position, explanation: &Explanation, line: &Line) -> String {
    if line.moves.is_empty() {
        return String::new();
    }
    let moves: Vec<String> = line.moves.iter().map(|&played| show_move(at.columns(), played)).collect();
    let winner = match (to_move(explanation), explanation.outcome) {
        _ if explanation.moves.is_empty() && explanation.outcome == Outcome::FirstPlayerWins => "the player to move",
        _ if explanation.moves.is_empty() => "the opponent",
        ("first", Outcome::FirstPlayerWins) | ("second", Outcome::SecondPlayerWins) => "the first player",
        _ => "the second player",
    };
    let end = match line.is_cut {
        true => format!("(cut after {MOST_MOVES} moves)"),
        false => format!("and {winner} has made the last move and won"),
    };
    let mut text =
        String::from("\nPlay to the end, the winner's lowest winning move and the loser's lowest move in turn:\n ");
    let mut width = 1;
    for played in moves {
        if width + played.len() > 98 {
            text += &format!("{SOFT} ");
            width = 1;
        }
        width += played.len() + 1;
        text.push(' ');
        text += &played;
    }
    text + &format!("\n{end}.\n")
}
