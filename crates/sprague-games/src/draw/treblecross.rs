//! Treblecross drawn: a strip with its numbers, marks and zones.

use std::fmt::Write as _;

use super::Words;
use super::fold::fold;
use super::marks::{self, DRAWN, Mark};
use super::svg::{self, CELL, Canvas};
use super::terminal::{Ink, Style, block, ink, legend, painted, sign};
use crate::explain::reason::Part;
use crate::explain::treblecross::Position;
use crate::explain::{Explanation, Reason};
use crate::message::count;

/// Cells in one line of a picture in the terminal where no width is known.
const LINE: usize = 80;
/// The columns in front of a strip.
const HEAD: usize = 8;
/// Cells of a strip in one line of an SVG picture at most.
const SVG_LINE: usize = 30;
/// Cells of a strip that are drawn as SVG.
const SVG_DRAWN: usize = 600;

pub(super) const WORDS: Words = Words {
    over: "There is XXX on the board: whoever moved last made it, and has won.\n",
    last_move: "makes XXX",
    part: "zone",
};

/// The size of a position in words.
pub(super) fn size(position: &Position) -> String {
    count(position.cells.len() as u64, "cell")
}

/// The picture in the terminal.
pub(super) fn terminal(explanation: &Explanation, position: &Position, style: Style) -> String {
    let cells = &position.cells;
    if cells.len() > DRAWN {
        return String::new();
    }
    let Style { colour, width, .. } = style;
    let (marks, names) = (marks::marks(explanation, cells, b'X'), marks::names(explanation, cells.len()));
    let room = width.map(|width| width.saturating_sub(HEAD));
    let line = room.map_or(LINE, |room| block(cells.len(), room, 10));
    let mut text = String::new();
    for from in (0..cells.len()).step_by(line) {
        let to = cells.len().min(from + line);
        let here = from..to;
        // Every fifth cell has its number, from the digit that stands above it on.
        let mut ruler = String::new();
        for at in (from..to).filter(|at| *at == 0 || at % 5 == 4) {
            let (at, number) = (at - from, (at + 1).to_string());
            let fits = room.is_none_or(|room| at + number.len() <= room);
            if fits && (ruler.is_empty() || ruler.len() < at) {
                let _infallible = write!(ruler, "{:at$}{number}", "", at = at - ruler.len());
            }
        }
        let board = here.clone().map(|at| (char::from(cells[at]), ink(marks[at])));
        let signs = here.clone().map(|at| (sign(marks[at]), ink(marks[at])));
        let zones = here.clone().map(|at| (names[at], Ink::Plain));
        for (head, body) in [
            ("cell", ruler),
            ("board", painted(board, colour)),
            ("move", painted(signs, colour)),
            ("zone", painted(zones, colour)),
        ] {
            if !body.trim().is_empty() {
                let _infallible = writeln!(text, "  {head:<6}{body}");
            }
        }
        text.push('\n');
    }
    text + &fold(&legend(&marks, colour), width)
}

/// The picture as SVG.
pub(super) fn svg(canvas: &mut Canvas, explanation: &Explanation, position: &Position) {
    let cells = &position.cells;
    if cells.len() > SVG_DRAWN {
        return;
    }
    let marks = marks::marks(explanation, cells, b'X');
    let pitch = CELL + 62;
    // Lines of about the same length, and of a number that is easy to count.
    let line = cells.len().div_ceil(cells.len().div_ceil(SVG_LINE)).next_multiple_of(5);
    for (at, &cell) in cells.iter().enumerate() {
        let (x, y) = (at % line * CELL, 18 + at / line * pitch);
        canvas.square(x, y, svg::fill(marks[at], "#fff"));
        if at == 0 || at % 5 == 4 || at + 1 == cells.len() {
            canvas.text(x + CELL / 2, y - 5, 11, "fill=\"#555\"", &(at + 1).to_string());
        }
        match (cell, marks[at]) {
            (b'X', _) => svg::diagonals(canvas, x, y, b'X', "stroke=\"#000\" stroke-width=\"3\""),
            (_, Mark::Wins) => canvas.text(x + CELL / 2, y + 25, 20, "", "*"),
            (_, Mark::LosesAtOnce) => canvas.text(x + CELL / 2, y + 24, 16, "fill=\"#8a2015\"", "!"),
            _ => {}
        }
    }
    if let Reason::Zones { zones, .. } = &explanation.reason {
        for (zone, number) in zones.items.iter().zip(0..) {
            bracket(canvas, zone, marks::name('a', number), line, pitch);
        }
    }
    canvas.legend(&svg::legend(&marks, "#fff"));
}

/// A line under the cells of a zone, broken where the strip is, with the zone's name and value.
fn bracket(canvas: &mut Canvas, zone: &Part, name: char, line: usize, pitch: usize) {
    let cells: Vec<usize> = zone.cells.iter().map(|cell| cell as usize).collect();
    for piece in cells.chunk_by(|one, next| one / line == next / line) {
        let (first, last) = (piece[0], piece[piece.len() - 1]);
        let y = 18 + first / line * pitch + CELL + 8;
        let (from, to) = (first % line * CELL + 3, (last % line + 1) * CELL - 3);
        canvas.line([from, y], [to, y], "stroke=\"#2166ac\" stroke-width=\"4\"");
        canvas.reach(to, y + 8);
        if first == cells[0] {
            let label = format!("{name}={}", zone.value);
            canvas.text((from + to) / 2, y + 18, 13, "fill=\"#2166ac\"", &label);
        }
    }
}

/// The position as a JSON value.
#[cfg(feature = "json")]
pub(super) fn json(position: &Position, _letters: crate::notation::Letters) -> serde_json::Value {
    serde_json::json!({ "cells": String::from_utf8_lossy(&position.cells) })
}
