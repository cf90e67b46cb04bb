//! End-Nim drawn: the piles, and at both ends what would lose.

use std::fmt::Write as _;

use super::Words;
use super::svg::Canvas;
use super::terminal::{Ink, Style, paint};
use crate::explain::end_nim::Position;
use crate::explain::{Explanation, Reason};
use crate::message::count;

/// The columns in front of a row.
const HEAD: usize = 12;
/// Piles at each end that are drawn of a long row.
const PILES: usize = 12;
/// Piles at each end that are drawn as SVG of a long row.
const SVG_PILES: usize = 15;
/// The height of the highest pile.
const HIGH: usize = 160;

pub(super) const WORDS: Words = Words {
    over: "No stone is left: whoever is to move has no move, and has lost.\n",
    last_move: "takes the last stone",
    part: "row",
};

/// The size of a position in words.
pub(super) fn size(position: &Position) -> String {
    count(position.piles.len() as u64, "pile")
}

/// The picture in the terminal.
pub(super) fn terminal(explanation: &Explanation, position: &Position, style: Style) -> String {
    let piles = &position.piles;
    if piles.is_empty() {
        return String::new();
    }
    let colour = style.colour;
    let cut = piles.len() > 2 * PILES;
    let shown: Vec<String> = match cut {
        false => piles.iter().map(u64::to_string).collect(),
        true => {
            let (left, right) = (&piles[..PILES], &piles[piles.len() - PILES..]);
            let more = format!("...{} more...", piles.len() - 2 * PILES);
            left.iter().map(u64::to_string).chain([more]).chain(right.iter().map(u64::to_string)).collect()
        }
    };
    let (left, right) = match &explanation.reason {
        Reason::Thresholds { left, right } => (Some(left), Some(right)),
        _ => (None, None),
    };
    let last = shown.len() - 1;
    let entries = shown.iter().enumerate().map(|(at, pile)| {
        let threshold = if at == 0 { left } else { right.filter(|_| at == last) };
        let lost = threshold.map(|threshold| threshold.value.to_string()).unwrap_or_default();
        let wins = threshold.is_some_and(|threshold| threshold.value < threshold.pile);
        let width = pile.len().max(lost.len());
        let ink = if wins { Ink::Green } else { Ink::Plain };
        let painted = [pile, &lost].map(|text| paint(&format!("{text:>width$}"), ink, colour) + "  ");
        (width, painted, !lost.is_empty())
    });
    let heads = || ["  piles     ".to_owned(), "  loses at  ".to_owned()];
    let (mut text, mut lines, mut used, mut is_told) = (String::new(), heads(), HEAD, false);
    let mut end = |lines: [String; 2], is_told: bool| {
        let _infallible = writeln!(text, "{}", lines[0].trim_end());
        if is_told {
            let _infallible = writeln!(text, "{}", lines[1].trim_end());
        }
        text.push('\n');
    };
    for (width, painted, has_threshold) in entries {
        if used > HEAD && style.width.is_some_and(|room| used + width > room) {
            end(std::mem::replace(&mut lines, heads()), is_told);
            (used, is_told) = (HEAD, false);
        }
        for (line, entry) in lines.iter_mut().zip(painted) {
            *line += &entry;
        }
        used += width + 2;
        is_told |= has_threshold;
    }
    end(lines, is_told);
    text
}

/// The picture as SVG.
pub(super) fn svg(canvas: &mut Canvas, explanation: &Explanation, position: &Position) {
    let piles = &position.piles;
    if piles.is_empty() {
        return;
    }
    let is_cut = piles.len() > 2 * SVG_PILES;
    let shown: Vec<Option<usize>> = match is_cut {
        false => (0..piles.len()).map(Some).collect(),
        true => {
            (0..SVG_PILES).map(Some).chain([None]).chain((piles.len() - SVG_PILES..piles.len()).map(Some)).collect()
        }
    };
    let ends = match &explanation.reason {
        Reason::Thresholds { left, right } => [Some(left.value), Some(right.value)],
        _ => [None, None],
    };
    let drawn = shown.iter().flatten().map(|&at| piles[at]);
    let highest = drawn.chain(ends.into_iter().flatten()).max().unwrap_or(1).max(1);
    // A number of 20 digits needs its room.
    let wide = shown.iter().flatten().map(|&at| piles[at].to_string().len()).max().unwrap_or(1) * 8 + 22;
    let high = |stones: u64| ((stones as f64 / highest as f64) * HIGH as f64).ceil() as usize;
    let ground = 24 + HIGH;
    for (place, at) in shown.iter().enumerate() {
        let x = 40 + place * (wide + 8);
        let Some(at) = *at else {
            canvas.text(x + wide / 2, ground, 16, "", "...");
            continue;
        };
        let (stones, top) = (piles[at], ground - high(piles[at]));
        let threshold = if at == 0 {
            ends[0]
        } else if at + 1 == piles.len() {
            ends[1]
        } else {
            None
        };
        canvas.bar([x, top], [wide, ground - top], "#cfd8e6");
        if let Some(threshold) = threshold {
            let lost = ground - high(threshold);
            if threshold < stones {
                canvas.bar([x, top], [wide, lost - top], "#a6dba0");
                canvas.text(x + wide / 2, (top + lost) / 2 + 6, 16, "", "*");
            }
            canvas.line(
                [x - 6, lost],
                [x + wide + 6, lost],
                "stroke=\"#b2182b\" stroke-width=\"3\" stroke-dasharray=\"6 3\"",
            );
            canvas.text(x + wide / 2, ground + 36, 12, "fill=\"#b2182b\"", &format!("loses at {threshold}"));
        }
        canvas.text(x + wide / 2, ground + 18, 14, "", &stones.to_string());
        canvas.reach(x + wide + 40, ground + 40);
    }
    if ends.into_iter().flatten().zip([piles[0], piles[piles.len() - 1]]).any(|(threshold, pile)| threshold < pile) {
        canvas.legend(&[("#a6dba0", "*", "take these stones to win")]);
    }
}

/// The position as a JSON value.
#[cfg(feature = "json")]
pub(super) fn json(position: &Position, _letters: crate::notation::Letters) -> serde_json::Value {
    serde_json::json!({ "piles": position.piles })
}
