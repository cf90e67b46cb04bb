//! The list of games, and every game behind one type: `Board` and `Solution` over all games, and the one `solve`.

use crate::theory::{Control, Stopped};

/// Hands the list of games to a macro: `Variant: module` by game, in the order in which they are listed to users.
///
/// The list is here and nowhere else. Each layer that has a file a game makes its modules and its dispatch of it, so that a
/// game without a file, or a file without a member that its layer needs, does not compile.
#[macro_export]
macro_rules! for_each_game {
    ($callback:ident) => {
        $callback! {
            Treblecross: treblecross,
            Darkraft: darkraft,
            EndNim: end_nim,
        }
    };
}

/// The sizes of a game's boards: a field each, with one of what it counts and the largest that the game's method is made for.
macro_rules! size {
    ($($(#[$about:meta])+ $field:ident: $unit:literal, $most:expr;)+) => {
        /// How large a board is, or the largest that somebody takes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Size {
            $($(#[$about])+ pub $field: u64,)+
        }

        impl Default for Size {
            /// The largest that the game's method is made for.
            fn default() -> Size {
                Size { $($field: $most as u64),+ }
            }
        }

        impl Size {
            /// Nothing.
            pub const ZERO: Size = Size { $($field: 0),+ };

            /// One of what each size counts, with the size.
            pub fn units(self) -> [(&'static str, u64); [$($unit),+].len()] {
                [$(($unit, self.$field)),+]
            }

            /// As `units`, to be changed.
            pub fn units_mut(&mut self) -> [(&'static str, &mut u64); [$($unit),+].len()] {
                [$(($unit, &mut self.$field)),+]
            }

            /// The least of both, size by size.
            pub fn least(self, other: Size) -> Size {
                Size { $($field: self.$field.min(other.$field)),+ }
            }
        }
    };
}

macro_rules! games {
    ($($game:ident: $module:ident,)+) => {
        $(pub mod $module;)+

        /// The games, in the order in which they are listed to users.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Game {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $game,
            )+
        }

        impl Game {
            /// Every game, in listing order.
            pub const ALL: [Game; [$(stringify!($game)),+].len()] = [$(Game::$game),+];

            /// The game's name on the wire and the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Game::$game => $module::NAME,)+
                }
            }

            /// What a board of the game is called in a sentence, with its article.
            pub fn a_board(self) -> &'static str {
                match self {
                    $(Game::$game => $module::A_BOARD,)+
                }
            }
        }

        /// A position that has an answer, of any game.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Board {
            $(
                #[doc = concat!("A board of [`", stringify!($module), "`].")]
                $game($module::Board),
            )+
        }

        /// Why something is no position of its game.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        pub enum Fault {
            $(
                #[doc = concat!("A fault of a board of [`", stringify!($module), "`].")]
                #[error(transparent)]
                $game(#[from] $module::Fault),
            )+
        }

        /// An answer, of any game.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Solution {
            $(
                #[doc = concat!("An answer of [`", stringify!($module), "`].")]
                $game($module::Solution),
            )+
        }

        /// The largest boards that somebody takes: a server's limits, and what a reader of judge text holds in memory.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Sizes {
            $(
                #[doc = concat!("Of [`", stringify!($module), "`].")]
                pub $module: $module::Size,
            )+
        }

        impl Sizes {
            /// The sizes of a game, with one of what each counts.
            pub fn of(self, game: Game) -> Vec<(&'static str, u64)> {
                match game {
                    $(Game::$game => self.$module.units().into(),)+
                }
            }

            /// The least of both, size by size.
            pub fn least(self, other: Sizes) -> Sizes {
                Sizes { $($module: self.$module.least(other.$module)),+ }
            }

            /// Each size of each game, in listing order, with one of what it counts, to be changed.
            pub fn units_mut(&mut self) -> Vec<(Game, &'static str, &mut u64)> {
                let mut all = Vec::new();
                $(all.extend(self.$module.units_mut().map(|(unit, size)| (Game::$game, unit, size)));)+
                all
            }
        }

        $(
            impl From<$module::Board> for Board {
                fn from(board: $module::Board) -> Board {
                    Board::$game(board)
                }
            }

            impl From<&$module::Board> for Board {
                fn from(board: &$module::Board) -> Board {
                    board.clone().into()
                }
            }
        )+

        impl Board {
            /// The game this is a position of.
            pub fn game(&self) -> Game {
                match self {
                    $(Board::$game(_) => Game::$game,)+
                }
            }
        }

        impl Solution {
            /// How many first moves win.
            pub fn winning_moves(&self) -> usize {
                match self {
                    $(Solution::$game(solution) => solution.winning_moves(),)+
                }
            }

            /// Every winning first cell, from 0 and increasing; none for games without cells, and for lost boards.
            pub fn winning_cells(&self) -> &[u32] {
                match self {
                    $(Solution::$game(solution) => solution.winning_cells(),)+
                }
            }
        }

        /// Estimates the work of `solve`, in units of about a nanosecond of one core, in at most one pass over the board.
        ///
        /// The estimate depends on the board alone: the cost of a table counts whole, grown already or not.
        pub fn cost(board: &Board) -> u64 {
            match board {
                $(Board::$game(board) => $module::cost(board),)+
            }
        }

        /// Solves a board: every winning first move, in increasing order, and the value where there is one. Deterministic.
        ///
        /// ```
        /// use sprague_games::games::{Outcome, end_nim, solve};
        /// use sprague_games::theory::{Control, StopFlag};
        ///
        /// let row = end_nim::Board::new(vec![3, 1, 9, 4])?;
        /// // At most about a tenth of a second's work.
        /// let solution = solve(&row.into(), &Control::new(100_000_000, StopFlag::default()))?;
        /// assert_eq!(solution.outcome(), Outcome::SecondPlayerWins);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        /// `Stopped` when `control` says that the answer is no longer paid for.
        pub fn solve(board: &Board, control: &Control) -> Result<Solution, Stopped> {
            match board {
                $(Board::$game(board) => $module::solve(board, control).map(Solution::$game),)+
            }
        }
    };
}

for_each_game!(games);

/// Who wins with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The player to move wins.
    FirstPlayerWins,
    /// The player to move loses, whatever the move.
    SecondPlayerWins,
}

/// An answer as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Who wins, alone.
    Outcome(Outcome),
    /// The whole solution.
    Solution(Solution),
}

impl Answer {
    /// Who wins.
    pub fn outcome(&self) -> Outcome {
        match self {
            Answer::Outcome(outcome) => *outcome,
            Answer::Solution(solution) => solution.outcome(),
        }
    }

    /// Every winning first cell, from 0; none for games without cells, lost boards, and where the outcome alone was asked.
    pub fn winning_cells(&self) -> &[u32] {
        match self {
            Answer::Solution(solution) => solution.winning_cells(),
            Answer::Outcome(_) => &[],
        }
    }
}

impl From<&Board> for Board {
    fn from(board: &Board) -> Board {
        board.clone()
    }
}

impl Solution {
    /// Who wins: the first player iff some first move wins.
    pub fn outcome(&self) -> Outcome {
        if self.winning_moves() == 0 { Outcome::SecondPlayerWins } else { Outcome::FirstPlayerWins }
    }
}
