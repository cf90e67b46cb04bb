//! The formats by name: what goes in, what comes out, and what their statements allow.

use std::fmt;

use sprague_games::games::Game;

/// A judge's words for the boards of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Treblecross at UVa.
    Uva10561,
    /// Treblecross at LightOJ.
    Lightoj1229,
    /// Treblecross from the empty board at POJ.
    Poj3537,
    /// Darkraft at Codeforces.
    Codeforces138d,
    /// Darkraft of the Guangdong team selection of 2016.
    Gdoi2016,
    /// End-Nim at Luogu.
    LuoguP2599,
}

impl Format {
    /// Every format, in listing order.
    pub const ALL: [Format; 6] = [
        Format::Uva10561,
        Format::Lightoj1229,
        Format::Poj3537,
        Format::Codeforces138d,
        Format::Gdoi2016,
        Format::LuoguP2599,
    ];

    /// The format of a name or an alias.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name || format.aliases().contains(&name))
    }

    /// The format's name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Uva10561 => "uva10561",
            Format::Lightoj1229 => "lightoj1229",
            Format::Poj3537 => "poj3537",
            Format::Codeforces138d => "codeforces138d",
            Format::Gdoi2016 => "gdoi2016",
            Format::LuoguP2599 => "luogu-p2599",
        }
    }

    /// The names of the same problem, in the same format, elsewhere.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Format::Poj3537 => &["gym100078c"],
            Format::LuoguP2599 => &["zjoi2009", "bzoj1413", "acwing1322"],
            _ => &[],
        }
    }

    /// The game whose boards it writes.
    pub fn game(self) -> Game {
        match self {
            Format::Uva10561 | Format::Lightoj1229 | Format::Poj3537 => Game::Treblecross,
            Format::Codeforces138d | Format::Gdoi2016 => Game::Darkraft,
            Format::LuoguP2599 => Game::EndNim,
        }
    }

    /// The letters of its darkraft cells: for one that kills along down-right and up-left, and one along down-left and
    /// up-right.
    pub fn letters(self) -> Option<(char, char)> {
        match self {
            Format::Codeforces138d => Some(('R', 'L')),
            Format::Gdoi2016 => Some(('L', 'R')),
            _ => None,
        }
    }

    /// What goes in and what comes out, in one line.
    pub fn title(self) -> &'static str {
        match self {
            Format::Uva10561 => "T boards -> WINNING and every winning position, or LOSING and an empty line",
            Format::Lightoj1229 => "T boards -> Case k: every winning position, or 0",
            Format::Poj3537 => "lengths of empty boards, to the end -> 1 or 2, the player who wins",
            Format::Codeforces138d => "one grid, L along / and R along \\ -> WIN or LOSE",
            Format::Gdoi2016 => "grids to the end, L along \\ and R along / -> WIN or LOSE",
            Format::LuoguP2599 => "T rows of piles -> 1 if the first player wins, else 0",
        }
    }

    /// Whether the answer says who wins and nothing else, so that moves need not be asked for.
    pub fn outcome_only(self) -> bool {
        !matches!(self, Format::Uva10561 | Format::Lightoj1229)
    }

    /// The published sample: the input and its answer.
    pub fn sample(self) -> (&'static str, &'static str) {
        macro_rules! sample {
            ($name:literal) => {
                (
                    include_str!(concat!("../samples/", $name, ".in")),
                    include_str!(concat!("../samples/", $name, ".out")),
                )
            };
        }
        match self {
            Format::Uva10561 => sample!("uva10561"),
            Format::Lightoj1229 => sample!("lightoj1229"),
            Format::Poj3537 => sample!("poj3537"),
            Format::Codeforces138d => sample!("codeforces138d"),
            Format::Gdoi2016 => sample!("gdoi2016"),
            Format::LuoguP2599 => sample!("luogu-p2599"),
        }
    }

    /// How many cases a file holds.
    pub(super) fn cases(self) -> Cases {
        match self {
            Format::Uva10561 => Cases::Counted { at_most: 99 },
            Format::Lightoj1229 => Cases::Counted { at_most: 200 },
            Format::LuoguP2599 => Cases::Counted { at_most: 10 },
            Format::Codeforces138d => Cases::One,
            Format::Poj3537 | Format::Gdoi2016 => Cases::UntilTheEnd,
        }
    }

    /// The most cases of one file that the statement allows; none where a file may have any number.
    pub fn most_cases(self) -> Option<u64> {
        match self.cases() {
            Cases::Counted { at_most } => Some(at_most),
            Cases::One => Some(1),
            Cases::UntilTheEnd => None,
        }
    }

    /// The statement's largest board: cells, rows and columns each, or piles.
    pub fn largest_board(self) -> u64 {
        match self {
            Format::Uva10561 | Format::Lightoj1229 => 200,
            Format::Poj3537 => 2000,
            Format::Codeforces138d | Format::Gdoi2016 => 20,
            Format::LuoguP2599 => 1000,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a statement says of the number of cases.
pub(super) enum Cases {
    /// T stands first; the statement has from 1 to this many.
    Counted {
        at_most: u64,
    },
    One,
    UntilTheEnd,
}
