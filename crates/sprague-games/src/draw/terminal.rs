//! A position as a picture in the terminal; colour adds nothing that is not said by a character.

use super::marks::Mark;
use crate::notation::Letters;

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

/// How a sign is painted.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    Plain,
    Bold,
    Green,
    Red,
    Faint,
}

pub(super) fn paint(text: &str, ink: Ink, colour: bool) -> String {
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

pub(super) fn ink(mark: Mark) -> Ink {
    match mark {
        Mark::None => Ink::Bold,
        Mark::Wins => Ink::Green,
        Mark::LosesAtOnce => Ink::Red,
        Mark::Loses => Ink::Plain,
    }
}

pub(super) fn sign(mark: Mark) -> char {
    match mark {
        Mark::None => ' ',
        Mark::Wins => '*',
        Mark::LosesAtOnce => '!',
        Mark::Loses => '-',
    }
}

/// Signs of a run of cells, painted alike where they are alike.
pub(super) fn painted(cells: impl Iterator<Item = (char, Ink)>, colour: bool) -> String {
    if !colour {
        return cells.map(|(sign, _)| sign).collect::<String>().trim_end().into();
    }
    cells.map(|(sign, ink)| if sign == ' ' { " ".into() } else { paint(&sign.to_string(), ink, true) }).collect()
}

/// How many of `all` go into one block that has room for `room`: all, or a number that is easy to count on from.
pub(super) fn block(all: usize, room: usize, step: usize) -> usize {
    match room {
        _ if all <= room => all,
        _ if room >= step => room / step * step,
        _ => room,
    }
    .max(1)
}

/// The signs that were used.
pub(super) fn legend(marks: &[Mark], colour: bool) -> String {
    let signs = [
        (Mark::Wins, "* wins"),
        (Mark::LosesAtOnce, "! loses at once: the opponent makes XXX"),
        (Mark::Loses, "- loses"),
    ];
    let used = signs.iter().filter(|(mark, _)| marks.contains(mark));
    let words: Vec<String> = used.map(|(mark, words)| paint(words, ink(*mark), colour)).collect();
    if words.is_empty() { String::new() } else { format!("  {}\n\n", words.join("   ")) }
}
