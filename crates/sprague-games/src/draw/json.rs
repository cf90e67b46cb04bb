//! Explanations for programs, as JSON: cells count from 1 and moves are written as people type them.

use serde_json::{Value, json};

use super::words;
use crate::explain::reason::{Case, Part, Rule, Threshold};
use crate::explain::{Choice, Explanation, Judged, Left, Move, Reason};
use crate::games::{Game, Outcome};
use crate::notation::{Letters, show_move};

/// An explanation as a JSON value. Nim-values and stones are numbers; a program that reads numbers as floating point
/// must take care above 2^53.
pub fn value(game: Game, explanation: &Explanation, letters: Letters) -> Value {
    let columns = explanation.position.columns();
    let outcome = match explanation.outcome {
        Outcome::FirstPlayerWins => "the player to move wins",
        Outcome::SecondPlayerWins => "the player to move loses",
    };
    let mut value = json!({
        "game": game.name(),
        "moves": explanation.moves.iter().map(|one| judged(columns, one)).collect::<Vec<_>>(),
        "position": super::json_of(&explanation.position, letters),
        "to_move": format!("{} player", words::to_move(explanation)),
        "outcome": outcome,
        "reason": reason(columns, &explanation.reason),
        "winning_moves": choices(columns, &explanation.winning_moves.items),
        "winning_moves_total": explanation.winning_moves.total,
    });
    if let Some(options) = &explanation.options {
        value["options"] = choices(columns, &options.items);
        value["options_total"] = json!(options.total);
    }
    if let Some(line) = &explanation.line {
        value["line"] = line.moves.iter().map(|&played| show_move(columns, played)).collect();
        value["line_is_cut"] = json!(line.is_cut);
    }
    value
}

fn judged(columns: Option<u32>, judged: &Judged) -> Value {
    let mut value = choice(columns, &judged.choice);
    value["was_won"] = json!(judged.was_won);
    if let Some(reply) = &judged.reply {
        value["reply"] = choice(columns, reply);
    }
    value
}

fn choices(columns: Option<u32>, choices: &[Choice]) -> Value {
    choices.iter().map(|one| choice(columns, one)).collect()
}

fn choice(columns: Option<u32>, choice: &Choice) -> Value {
    let mut value = json!({ "move": show_move(columns, choice.played), "wins": choice.left.wins() });
    match &choice.left {
        Left::Over => value["game_over"] = json!(true),
        Left::Exposed { reply } => value["exposed"] = json!(show_move(columns, Move::Cell(*reply))),
        Left::Parts { parts, nim_sum } => {
            value["parts"] = self::parts(columns, parts);
            value["nim_sum"] = json!(nim_sum);
        }
        Left::Stones { stones, threshold } => {
            value["stones"] = json!(stones);
            value["threshold"] = json!(threshold);
        }
    }
    value
}

fn parts(columns: Option<u32>, parts: &[Part]) -> Value {
    let part = |part: &Part| json!({ "cells": cells(columns, part.cells.iter()), "nim_value": part.value });
    parts.iter().map(part).collect()
}

fn cells(columns: Option<u32>, cells: impl Iterator<Item = u32>) -> Vec<String> {
    cells.map(|cell| show_move(columns, Move::Cell(cell))).collect()
}

fn reason(columns: Option<u32>, reason: &Reason) -> Value {
    match reason {
        Reason::Over => json!({ "kind": "over" }),
        Reason::ImmediateWin { cells } => json!({
            "kind": "immediate win",
            "cells": self::cells(columns, cells.items.iter().copied()),
            "cells_total": cells.total,
        }),
        Reason::Zones { zones, deadly, nim_sum } => json!({
            "kind": "zones",
            "zones": parts(columns, &zones.items),
            "zones_total": zones.total,
            "losing_at_once": cells(columns, deadly.items.iter().copied()),
            "losing_at_once_total": deadly.total,
            "nim_sum": nim_sum,
        }),
        Reason::Colours { colours } => {
            let [even, odd] = [0, 1].map(
                |at: usize| json!({ "parts": parts(columns, &colours[at].parts), "nim_value": colours[at].value }),
            );
            json!({ "kind": "colours", "even": even, "odd": odd })
        }
        Reason::Thresholds { left, right } => {
            json!({ "kind": "thresholds", "left": threshold(left), "right": threshold(right) })
        }
        Reason::OnePile => json!({ "kind": "one pile" }),
    }
}

fn threshold(threshold: &Threshold) -> Value {
    let mut value = json!({ "loses_at": threshold.value, "pile": threshold.pile });
    match threshold.rule {
        Rule::Equal => value["rule"] = json!("equal piles"),
        Rule::Stretch { x, far, near, case } => {
            value["rule"] = json!(match case {
                Case::Tie => "tie",
                Case::Outside => "outside",
                Case::Less => "one less",
                Case::More => "one more",
            });
            value["x"] = json!(x);
            value["far"] = json!(far);
            value["near"] = json!(near);
        }
    }
    value
}
