//! A position as an SVG picture, for a page or a lesson: everything is told by shape or letter, not by colour alone.

use std::fmt::Write as _;

use super::marks::Mark;
use super::words;
use crate::explain::Explanation;
use crate::games::Game;

/// The side of a cell.
pub(super) const CELL: usize = 36;

/// What is drawn of a picture so far.
pub(super) struct Canvas {
    body: String,
    width: usize,
    pub(super) height: usize,
}

/// A picture. A board that is too large to look at is told as its headline alone.
pub fn picture(game: Game, explanation: &Explanation) -> String {
    let mut canvas = Canvas { body: String::new(), width: 320, height: 24 };
    super::svg_of(&mut canvas, explanation);
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
    pub(super) fn reach(&mut self, x: usize, y: usize) {
        self.width = self.width.max(x + 24);
        self.height = self.height.max(y);
    }

    pub(super) fn square(&mut self, x: usize, y: usize, fill: &str) {
        let _infallible = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"#555\"/>"
        );
        self.reach(x + CELL, y + CELL);
    }

    pub(super) fn line(&mut self, [x1, y1]: [usize; 2], [x2, y2]: [usize; 2], style: &str) {
        let _infallible = writeln!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {style}/>");
    }

    pub(super) fn text(&mut self, x: usize, y: usize, size: usize, style: &str, text: &str) {
        let _infallible = writeln!(self.body, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" {style}>{text}</text>");
        self.reach(x, y + 6);
    }

    /// A bar of a width and a height.
    pub(super) fn bar(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], fill: &str) {
        let _infallible = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"#555\"/>"
        );
    }

    /// A legend of squares and words below everything.
    pub(super) fn legend(&mut self, entries: &[(&str, &str, &str)]) {
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

pub(super) fn fill(mark: Mark, otherwise: &'static str) -> &'static str {
    match mark {
        Mark::Wins => "#a6dba0",
        Mark::LosesAtOnce => "#f4b5ac",
        Mark::Loses | Mark::None => otherwise,
    }
}

/// The two diagonals of an X, or one of them, in a cell.
pub(super) fn diagonals(canvas: &mut Canvas, x: usize, y: usize, cell: u8, style: &str) {
    let (near, far) = (8, CELL - 8);
    if cell != b'/' {
        canvas.line([x + near, y + near], [x + far, y + far], style);
    }
    if cell != b'\\' {
        canvas.line([x + far, y + near], [x + near, y + far], style);
    }
}

pub(super) fn legend(marks: &[Mark], plain: &'static str) -> Vec<(&'static str, &'static str, &'static str)> {
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
