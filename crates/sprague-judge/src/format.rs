//! The formats by name.

use std::fmt;
use std::hash::{Hash, Hasher};

use sprague_games::games::Game;

use super::description::{Ask, BoardWords, Description};

/// A judge's words for the boards of one game: a handle on their description.
#[derive(Clone, Copy)]
pub struct Format(pub(super) &'static Description);

impl Format {
    /// The format of a name or an alias.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name || format.aliases().contains(&name))
    }

    /// The format's name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The names of the same problem, in the same format, elsewhere.
    pub fn aliases(self) -> &'static [&'static str] {
        self.0.aliases
    }

    /// The game whose boards it writes.
    pub fn game(self) -> Game {
        self.0.game
    }

    /// The letters of its darkraft cells: for one that kills along down-right and up-left, and one along down-left and
    /// up-right.
    pub fn letters(self) -> Option<(char, char)> {
        match self.0.board() {
            BoardWords::Grid { letters, .. } => Some((letters.backslash, letters.slash)),
            BoardWords::Cells { .. } | BoardWords::Length(_) | BoardWords::Piles { .. } => None,
        }
    }

    /// Whether its boards are empty strips, written as their lengths.
    pub fn has_lengths(self) -> bool {
        matches!(self.0.board(), BoardWords::Length(_))
    }

    /// What goes in and what comes out, in one line.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// Whether the answer says who wins and nothing else, so that moves need not be asked for.
    pub fn outcome_only(self) -> bool {
        match self.0.answer.ask {
            Ask::Winner { .. } => true,
            Ask::Moves { .. } => false,
        }
    }

    /// Whether the case's number stands before each answer.
    pub fn numbers_answers(self) -> bool {
        self.0.answer.before.is_some()
    }

    /// The published sample: the input and its answer.
    pub fn sample(self) -> (&'static str, &'static str) {
        (self.0.sample.input, self.0.sample.answer)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
