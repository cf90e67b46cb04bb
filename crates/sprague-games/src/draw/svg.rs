//! A position as an SVG picture, for a page or a lesson: everything is told by shape or letter, not by colour alone.

use std::fmt::Write as _;

use super::marks::{self, Mark};
use super::words;
use crate::explain::{Explanation, Position, Reason};
use crate::games::Game;

/// The side of a cell.
const CELL: usize = 36;
/// Cells of a strip in one line at most.
const LINE: usize = 30;
/// Cells of a strip that are drawn.
const STRIP: usize = 600;
/// Piles at each end that are drawn of a long row.
const PILES: usize = 15;
/// The height of the highest pile.
const HIGH: usize = 160;

/// What is drawn of a picture so far.
struct Canvas {
    body: String,
    width: usize,
    height: usize,
}

/// A picture. A board that is too large to look at is told as its headline alone.
pub fn picture(game: Game, explanation: &Explanation) -> String {
    let mut canvas = Canvas { body: String::new(), width: 320, height: 24 };
    match &explanation.position {
        Position::Treblecross { cells } if cells.len() <= STRIP => strip(&mut canvas, explanation, cells),
        Position::Darkraft { columns, cells } => grid(&mut canvas, explanation, *columns as usize, cells),
        Position::EndNim { piles } if !piles.is_empty() => row(&mut canvas, explanation, piles),
        _ => {}
    }
    let headline = words::headline(game, explanation);
    // Letters of 15 pixels are about 7.5 wide.
    let width = canvas.width.max(headline.len() * 15 / 2 + 24);
    let height = canvas.height + 44;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" font-family=\"DejaVu Sans, Verdana, sans-serif\" text-anchor=\"middle\">\n\
         <title>{headline}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"24\" font-size=\"15\" text-anchor=\"start\">{headline}</text>\n\
         <g transform=\"translate(12 44)\">\n{body}</g>\n</svg>\n",
        body = canvas.body
    )
}

impl Canvas {
    fn reach(&mut self, x: usize, y: usize) {
        self.width = self.width.max(x + 24);
        self.height = self.height.max(y);
    }

    fn square(&mut self, x: usize, y: usize, fill: &str) {
        let _infallible = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"#555\"/>"
        );
        self.reach(x + CELL, y + CELL);
    }

    fn line(&mut self, [x1, y1]: [usize; 2], [x2, y2]: [usize; 2], style: &str) {
        let _infallible = writeln!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {style}/>");
    }

    fn text(&mut self, x: usize, y: usize, size: usize, style: &str, text: &str) {
        let _infallible = writeln!(self.body, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" {style}>{text}</text>");
        self.reach(x, y + 6);
    }

    /// A legend of squares and words below everything.
    fn legend(&mut self, entries: &[(&str, &str, &str)]) {
        let y = self.height + 14;
        let mut x = 0;
        for (fill, sign, words) in entries {
            let _infallible = writeln!(
                self.body,
                "<rect x=\"{x}\" y=\"{y}\" width=\"18\" height=\"18\" fill=\"{fill}\" stroke=\"#555\"/>"
            );
            self.text(x + 9, y + 14, 13, "", sign);
            self.text(x + 24, y + 14, 12, "text-anchor=\"start\"", words);
            x += 40 + words.len() * 7;
            self.reach(x - 20, y + 24);
        }
    }
}

fn fill(mark: Mark, otherwise: &'static str) -> &'static str {
    match mark {
        Mark::Wins => "#a6dba0",
        Mark::LosesAtOnce => "#f4b5ac",
        Mark::Loses | Mark::None => otherwise,
    }
}

/// The two diagonals of an X, or one of them, in a cell.
fn diagonals(canvas: &mut Canvas, x: usize, y: usize, cell: u8, style: &str) {
    let (near, far) = (8, CELL - 8);
    if cell != b'/' {
        canvas.line([x + near, y + near], [x + far, y + far], style);
    }
    if cell != b'\\' {
        canvas.line([x + far, y + near], [x + near, y + far], style);
    }
}

fn strip(canvas: &mut Canvas, explanation: &Explanation, cells: &[u8]) {
    let marks = marks::marks(explanation);
    let pitch = CELL + 62;
    // Lines of about the same length, and of a number that is easy to count.
    let line = cells.len().div_ceil(cells.len().div_ceil(LINE)).next_multiple_of(5);
    for (at, &cell) in cells.iter().enumerate() {
        let (x, y) = (at % line * CELL, 18 + at / line * pitch);
        canvas.square(x, y, fill(marks[at], "#fff"));
        if at == 0 || at % 5 == 4 || at + 1 == cells.len() {
            canvas.text(x + CELL / 2, y - 5, 11, "fill=\"#555\"", &(at + 1).to_string());
        }
        match (cell, marks[at]) {
            (b'X', _) => diagonals(canvas, x, y, b'X', "stroke=\"#000\" stroke-width=\"3\""),
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
    canvas.legend(&legend(&marks, "#fff"));
}

/// A line under the cells of a zone, broken where the strip is, with the zone's name and value.
fn bracket(canvas: &mut Canvas, zone: &crate::explain::reason::Part, name: char, line: usize, pitch: usize) {
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

fn legend(marks: &[Mark], plain: &'static str) -> Vec<(&'static str, &'static str, &'static str)> {
    let entries = [
        (Mark::Wins, fill(Mark::Wins, plain), "*", "wins"),
        (Mark::LosesAtOnce, fill(Mark::LosesAtOnce, plain), "!", "loses at once"),
    ];
    entries
        .into_iter()
        .filter(|(mark, ..)| marks.contains(mark))
        .map(|(_, fill, sign, words)| (fill, sign, words))
        .collect()
}

fn grid(canvas: &mut Canvas, explanation: &Explanation, columns: usize, cells: &[u8]) {
    let (marks, names) = (marks::marks(explanation), marks::names(explanation));
    for column in 0..columns {
        canvas.text(28 + column * CELL + CELL / 2, 12, 11, "fill=\"#555\"", &(column + 1).to_string());
    }
    for (at, &cell) in cells.iter().enumerate() {
        let (row, column) = (at / columns, at % columns);
        let (x, y) = (28 + column * CELL, 18 + row * CELL);
        if column == 0 {
            canvas.text(14, y + CELL / 2 + 4, 11, "fill=\"#555\"", &(row + 1).to_string());
        }
        if cell == b'.' {
            canvas.square(x, y, "#bbb");
            continue;
        }
        canvas.square(x, y, fill(marks[at], if (row + column) % 2 == 0 { "#fff" } else { "#e6ecf5" }));
        diagonals(canvas, x, y, cell, "stroke=\"#000\" stroke-width=\"2.5\"");
        canvas.text(x + CELL / 2, y + CELL - 3, 10, "fill=\"#2166ac\"", &names[at].to_string());
        if marks[at] == Mark::Wins {
            canvas.text(x + CELL / 2, y + 16, 17, "", "*");
        }
    }
    let mut entries = legend(&marks, "#fff");
    if marks.contains(&Mark::None) {
        entries.push(("#bbb", "", "inactive"));
    }
    canvas.legend(&entries);
    if let Reason::Colours { colours } = &explanation.reason {
        for (colour, first) in colours.iter().zip(['a', 'A']) {
            let values: Vec<String> = colour
                .parts
                .iter()
                .zip(0..)
                .map(|(part, number)| format!("{}={}", marks::name(first, number), part.value))
                .collect();
            let which = if first == 'a' { "even" } else { "odd" };
            let line = format!("row + column {which}: {}, nim-value {}", values.join(" "), colour.value);
            let (y, style) = (canvas.height + 18, "fill=\"#2166ac\" text-anchor=\"start\"");
            canvas.text(0, y, 13, style, &line);
            canvas.reach(line.len() * 15 / 2, y + 4);
        }
    }
}

fn row(canvas: &mut Canvas, explanation: &Explanation, piles: &[u64]) {
    let is_cut = piles.len() > 2 * PILES;
    let shown: Vec<Option<usize>> = match is_cut {
        false => (0..piles.len()).map(Some).collect(),
        true => (0..PILES).map(Some).chain([None]).chain((piles.len() - PILES..piles.len()).map(Some)).collect(),
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
        bar(canvas, [x, top], [wide, ground - top], "#cfd8e6");
        if let Some(threshold) = threshold {
            let lost = ground - high(threshold);
            if threshold < stones {
                bar(canvas, [x, top], [wide, lost - top], "#a6dba0");
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

fn bar(canvas: &mut Canvas, [x, y]: [usize; 2], [width, height]: [usize; 2], fill: &str) {
    let _infallible = writeln!(
        canvas.body,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"#555\"/>"
    );
}
