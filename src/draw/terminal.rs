//! A position as a picture in the terminal; colour adds nothing that is not said by a character.

use std::fmt::Write as _;

use super::marks::{self, DRAWN, Mark};
use crate::explain::{Explanation, Position, Reason};
use crate::notation::Letters;

/// Treblecross cells in one line of a picture.
const LINE: usize = 80;

/// Piles at each end that are drawn of a long row.
const PILES: usize = 12;

/// How a page is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Colour may be used; everything is said without it, too.
    pub colour: bool,
    /// How darkraft cells are written.
    pub letters: Letters,
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
        Position::Treblecross { cells } if cells.len() <= DRAWN => strip(explanation, cells, style.colour),
        Position::Darkraft { columns, cells } if cells.len() <= DRAWN => grid(explanation, *columns, cells, style),
        Position::EndNim { piles } if !piles.is_empty() => row(explanation, piles, style.colour),
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

fn strip(explanation: &Explanation, cells: &[u8], colour: bool) -> String {
    let (marks, names) = (marks::marks(explanation), marks::names(explanation));
    let mut text = String::new();
    for from in (0..cells.len()).step_by(LINE) {
        let to = cells.len().min(from + LINE);
        let here = from..to;
        // Every fifth cell has its number, from the digit that stands above it on.
        let mut ruler = String::new();
        for at in (from..to).filter(|at| *at == 0 || at % 5 == 4) {
            let at = at - from;
            if ruler.is_empty() || ruler.len() < at {
                let _infallible = write!(ruler, "{:at$}{}", "", from + at + 1, at = at - ruler.len());
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
    text + &legend(&marks, colour)
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
    let Style { colour, letters } = style;
    let (marks, names) = (marks::marks(explanation), marks::names(explanation));
    let columns = columns as usize;
    let mut head = String::from("     ");
    for column in 1..=columns {
        let _infallible = write!(head, "{column:<3}");
    }
    let head = paint(head.trim_end(), Ink::Faint, colour);
    let mut text = format!("{head}\n");
    for (row, number) in cells.chunks(columns).zip(1..) {
        let marks = &marks[(number - 1) * columns..];
        let cell = |(cell, &mark): (&u8, &Mark)| {
            let sign = if mark == Mark::Wins { '*' } else { ' ' };
            paint(
                &format!("{}{sign}", letters.write(*cell)),
                if mark == Mark::None { Ink::Faint } else { ink(mark) },
                colour,
            )
        };
        let row: Vec<String> = row.iter().zip(marks).map(cell).collect();
        let _infallible = writeln!(text, "{number:>3}  {}", row.join(" ").trim_end());
    }
    let is_cut =
        matches!(&explanation.reason, Reason::Colours { colours } if colours.iter().any(|one| one.parts.len() > 1));
    if is_cut {
        text += "\n  the parts: a, b, ... where row + column is even, A, B, ... where it is odd\n";
        let _infallible = writeln!(text, "{head}");
        for (row, number) in names.chunks(columns).zip(1..) {
            let row: String = row.iter().map(|name| format!("{}  ", if *name == ' ' { '.' } else { *name })).collect();
            let _infallible = writeln!(text, "{number:>3}  {}", row.trim_end());
        }
    }
    text.push('\n');
    text + &grid_legend(&marks, letters, colour)
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

fn row(explanation: &Explanation, piles: &[u64], colour: bool) -> String {
    let cut = piles.len() > 2 * PILES;
    let shown: Vec<String> = match cut {
        false => piles.iter().map(u64::to_string).collect(),
        true => {
            let (left, right) = (&piles[..PILES], &piles[piles.len() - PILES..]);
            let more = format!("...{} more...", piles.len() - 2 * PILES);
            left.iter().map(u64::to_string).chain([more]).chain(right.iter().map(u64::to_string)).collect()
        }
    };
    let Reason::Thresholds { left, right } = &explanation.reason else {
        return format!("  piles     {}\n\n", shown.join("  "));
    };
    let lost = [left.value.to_string(), right.value.to_string()];
    let last = shown.len() - 1;
    let mut lines = ["  piles     ".to_owned(), "  loses at  ".to_owned()];
    for (at, pile) in shown.iter().enumerate() {
        let (threshold, wins) = match at {
            0 => (lost[0].as_str(), left.value < left.pile),
            _ if at == last => (lost[1].as_str(), right.value < right.pile),
            _ => ("", false),
        };
        let width = pile.len().max(threshold.len());
        let ink = if wins { Ink::Green } else { Ink::Plain };
        lines[0] += &(paint(&format!("{pile:>width$}"), ink, colour) + "  ");
        lines[1] += &(paint(&format!("{threshold:>width$}"), ink, colour) + "  ");
    }
    format!("{}\n{}\n\n", lines[0].trim_end(), lines[1].trim_end())
}
