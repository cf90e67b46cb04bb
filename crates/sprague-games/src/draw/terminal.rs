//! A position as a picture in the terminal; colour adds nothing that is not said by a character.

use std::fmt::Write as _;

use super::fold::fold;
use super::marks::{self, DRAWN, Mark};
use crate::explain::{Explanation, Position, Reason};
use crate::notation::Letters;

/// Treblecross cells in one line of a picture where no width is known.
const LINE: usize = 80;
/// The columns in front of a strip, a grid and a row of piles.
const STRIP_HEAD: usize = 8;
const GRID_HEAD: usize = 5;
const ROW_HEAD: usize = 12;

/// Piles at each end that are drawn of a long row.
const PILES: usize = 12;

/// How a page is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Colour may be used; everything is said without it, too.
    pub colour: bool,
    /// How darkraft cells are written.
    pub letters: Letters,
    /// The columns there are. None: a program reads, and sentences stay in one line.
    pub width: Option<usize>,
}

#[derive(Clone, Copy)]
enum Ink {
    Plain,
    Bold,
    Green,
    Red,
    Faint,
}

fn paint(text: &str, ink: Ink, colour: bool) -> String {
    let code = match ink {
        _ if !colour => return text.into(),
        Ink::Plain => return text.into(),
        Ink::Bold => 1,
        Ink::Green => 32,
        Ink::Red => 31,
        Ink::Faint => 2,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

fn ink(mark: Mark) -> Ink {
    match mark {
        Mark::None => Ink::Bold,
        Mark::Wins => Ink::Green,
        Mark::LosesAtOnce => Ink::Red,
        Mark::Loses => Ink::Plain,
    }
}

fn sign(mark: Mark) -> char {
    match mark {
        Mark::None => ' ',
        Mark::Wins => '*',
        Mark::LosesAtOnce => '!',
        Mark::Loses => '-',
    }
}

/// The picture, with an empty line behind it.
pub(super) fn picture(explanation: &Explanation, style: Style) -> String {
    match &explanation.position {
        Position::Treblecross { cells } if cells.len() <= DRAWN => strip(explanation, cells, style),
        Position::Darkraft { columns, cells } if cells.len() <= DRAWN => grid(explanation, *columns, cells, style),
        Position::EndNim { piles } if !piles.is_empty() => row(explanation, piles, style),
        _ => String::new(),
    }
}

/// Signs of a run of cells, painted alike where they are alike.
fn painted(cells: impl Iterator<Item = (char, Ink)>, colour: bool) -> String {
    if !colour {
        return cells.map(|(sign, _)| sign).collect::<String>().trim_end().into();
    }
    cells.map(|(sign, ink)| if sign == ' ' { " ".into() } else { paint(&sign.to_string(), ink, true) }).collect()
}

/// How many of `all` go into one block that has room for `room`: all, or a number that is easy to count on from.
fn block(all: usize, room: usize, step: usize) -> usize {
    match room {
        _ if all <= room => all,
        _ if room >= step => room / step * step,
        _ => room,
    }
    .max(1)
}

fn strip(explanation: &Explanation, cells: &[u8], style: Style) -> String {
    let Style { colour, width, .. } = style;
    let (marks, names) = (marks::marks(explanation), marks::names(explanation));
    let room = width.map(|width| width.saturating_sub(STRIP_HEAD));
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

/// The signs that were used.
fn legend(marks: &[Mark], colour: bool) -> String {
    let signs = [
        (Mark::Wins, "* wins"),
        (Mark::LosesAtOnce, "! loses at once: the opponent makes XXX"),
        (Mark::Loses, "- loses"),
    ];
    let used = signs.iter().filter(|(mark, _)| marks.contains(mark));
    let words: Vec<String> = used.map(|(mark, words)| paint(words, ink(*mark), colour)).collect();
    if words.is_empty() { String::new() } else { format!("  {}\n\n", words.join("   ")) }
}

fn grid(explanation: &Explanation, columns: u32, cells: &[u8], style: Style) -> String {
    let Style { colour, letters, width } = style;
    let (marks, names) = (marks::marks(explanation), marks::names(explanation));
    let columns = columns as usize;
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
    text + &fold(&grid_legend(&marks, letters, colour), width)
}

/// The cells of a grid, two characters each, under the numbers of their columns and behind those of their rows.
fn blocks(columns: usize, rows: usize, style: Style, cell: impl Fn(usize) -> String) -> String {
    let room = |width: usize| (width.saturating_sub(GRID_HEAD) + 1) / 3;
    let step = style.width.map_or(columns, |width| block(columns, room(width), 5));
    let mut text = String::new();
    for from in (0..columns).step_by(step) {
        let here = from..columns.min(from + step);
        let head: String = here.clone().map(|column| format!("{:<3}", column + 1)).collect();
        let head = format!("{:GRID_HEAD$}{}", "", head.trim_end());
        let gap = if from > 0 { "\n" } else { "" };
        let _infallible = writeln!(text, "{gap}{}", paint(&head, Ink::Faint, style.colour));
        for row in 0..rows {
            let cells: Vec<String> = here.clone().map(|column| cell(row * columns + column)).collect();
            let _infallible = writeln!(text, "{:>3}  {}", row + 1, cells.join(" ").trim_end());
        }
    }
    text
}

fn grid_legend(marks: &[Mark], letters: Letters, colour: bool) -> String {
    let (backslash, slash) = (letters.write(b'\\'), letters.write(b'/'));
    let kills = match letters {
        Letters::DRAWN => r"\ and / kill along the line they draw, X along both".into(),
        _ => format!(r"{backslash} kills along \, {slash} along /, X along both"),
    };
    let wins = if marks.contains(&Mark::Wins) { paint("* wins", Ink::Green, colour) + "   " } else { String::new() };
    let gone = if marks.contains(&Mark::None) { "   . inactive" } else { "" };
    format!("  {wins}{kills}{gone}\n\n")
}

fn row(explanation: &Explanation, piles: &[u64], style: Style) -> String {
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
    let (mut text, mut lines, mut used, mut is_told) = (String::new(), heads(), ROW_HEAD, false);
    let mut end = |lines: [String; 2], is_told: bool| {
        let _infallible = writeln!(text, "{}", lines[0].trim_end());
        if is_told {
            let _infallible = writeln!(text, "{}", lines[1].trim_end());
        }
        text.push('\n');
    };
    for (width, painted, has_threshold) in entries {
        if used > ROW_HEAD && style.width.is_some_and(|room| used + width > room) {
            end(std::mem::replace(&mut lines, heads()), is_told);
            (used, is_told) = (ROW_HEAD, false);
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
