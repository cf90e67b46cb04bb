//! Darkraft drawn: a grid with its marks, and below it the parts of both colours.

use std::fmt::Write as _;

use super::Words;
use super::fold::fold;
use super::marks::{self, DRAWN, Mark};
use super::svg::{self, CELL, Canvas};
use super::terminal::{Ink, Style, block, ink, paint};
use crate::explain::darkraft::Position;
use crate::explain::{Explanation, Reason};
use crate::notation::Letters;

/// The columns in front of a grid.
const HEAD: usize = 5;

pub(super) const WORDS: Words = Words {
    over: "No cell is active: whoever is to move has no move, and has lost.\n",
    last_move: "leaves no active cell",
    part: "part",
};

/// The size of a position in words.
pub(super) fn size(position: &Position) -> String {
    format!("{} x {}", position.cells.len() / position.columns as usize, position.columns)
}

/// The picture in the terminal.
pub(super) fn terminal(explanation: &Explanation, position: &Position, style: Style) -> String {
    let (columns, cells) = (position.columns as usize, &position.cells);
    if cells.len() > DRAWN {
        return String::new();
    }
    let Style { colour, letters, width } = style;
    let (marks, names) = (marks::marks(explanation, cells, b'.'), marks::names(explanation, cells.len()));
    let board = blocks(columns, cells.len() / columns, style, |at| {
        let sign = if marks[at] == Mark::Wins { '*' } else { ' ' };
        let ink = if marks[at] == Mark::None { Ink::Faint } else { ink(marks[at]) };
        paint(&format!("{}{sign}", letters.write(cells[at])), ink, colour)
    });
    let is_cut =
        matches!(&explanation.reason, Reason::Colours { colours } if colours.iter().any(|one| one.parts.len() > 1));
    let mut text = board;
    if is_cut {
        let parts = "\n  the parts: a, b, ... where row + column is even, A, B, ... where it is odd\n";
        text += &fold(parts, width);
        let name = |at: usize| format!("{} ", if names[at] == ' ' { '.' } else { names[at] });
        text += &blocks(columns, cells.len() / columns, style, name);
    }
    text.push('\n');
    text + &fold(&legend(&marks, letters, colour), width)
}

/// The cells of a grid, two characters each, under the numbers of their columns and behind those of their rows.
fn blocks(columns: usize, rows: usize, style: Style, cell: impl Fn(usize) -> String) -> String {
    let room = |width: usize| (width.saturating_sub(HEAD) + 1) / 3;
    let step = style.width.map_or(columns, |width| block(columns, room(width), 5));
    let mut text = String::new();
    for from in (0..columns).step_by(step) {
        let here = from..columns.min(from + step);
        let head: String = here.clone().map(|column| format!("{:<3}", column + 1)).collect();
        let head = format!("{:HEAD$}{}", "", head.trim_end());
        let gap = if from > 0 { "\n" } else { "" };
        let _infallible = writeln!(text, "{gap}{}", paint(&head, Ink::Faint, style.colour));
        for row in 0..rows {
            let cells: Vec<String> = here.clone().map(|column| cell(row * columns + column)).collect();
            let _infallible = writeln!(text, "{:>3}  {}", row + 1, cells.join(" ").trim_end());
        }
    }
    text
}

fn legend(marks: &[Mark], letters: Letters, colour: bool) -> String {
    let (backslash, slash) = (letters.write(b'\\'), letters.write(b'/'));
    let kills = match letters {
        Letters::DRAWN => r"\ and / kill along the line they draw, X along both".into(),
        _ => format!(r"{backslash} kills along \, {slash} along /, X along both"),
    };
    let wins = if marks.contains(&Mark::Wins) { paint("* wins", Ink::Green, colour) + "   " } else { String::new() };
    let gone = if marks.contains(&Mark::None) { "   . inactive" } else { "" };
    format!("  {wins}{kills}{gone}\n\n")
}

/// The picture as SVG.
pub(super) fn svg(canvas: &mut Canvas, explanation: &Explanation, position: &Position) {
    let (columns, cells) = (position.columns as usize, &position.cells);
    let (marks, names) = (marks::marks(explanation, cells, b'.'), marks::names(explanation, cells.len()));
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
        canvas.square(x, y, svg::fill(marks[at], if (row + column) % 2 == 0 { "#fff" } else { "#e6ecf5" }));
        svg::diagonals(canvas, x, y, cell, "stroke=\"#000\" stroke-width=\"2.5\"");
        canvas.text(x + CELL / 2, y + CELL - 3, 10, "fill=\"#2166ac\"", &names[at].to_string());
        if marks[at] == Mark::Wins {
            canvas.text(x + CELL / 2, y + 16, 17, "", "*");
        }
    }
    let mut entries = svg::legend(&marks, "#fff");
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

/// The position as a JSON value.
#[cfg(feature = "json")]
pub(super) fn json(position: &Position, letters: Letters) -> serde_json::Value {
    let row = |row: &[u8]| row.iter().map(|&cell| letters.write(cell)).collect::<String>();
    serde_json::json!({ "rows": position.cells.chunks(position.columns as usize).map(row).collect::<Vec<_>>() })
}
