//! Boards, moves and solutions as people type them: `..X..`, `XL,LR`, `3,1,9,4`; `7`, `2,3`, `left:4`. Cells count from 1 here.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::os::unix::ffi::OsStrExt as _;
use std::str::FromStr;

use crate::escape;
use crate::explain::Move;
use crate::for_each_game;
use crate::games::{self, Board, Game, Solution};

/// How darkraft cells are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letters {
    /// A cell that kills along down-right and up-left.
    pub backslash: char,
    /// A cell that kills along down-left and up-right.
    pub slash: char,
}

impl Letters {
    /// Each cell drawn like the line it kills along.
    pub const DRAWN: Letters = Letters { backslash: '\\', slash: '/' };

    /// A cell of a board, or `.`, as it is written.
    pub fn write(self, cell: u8) -> char {
        match cell {
            b'\\' => self.backslash,
            b'/' => self.slash,
            _ => char::from(cell),
        }
    }

    fn read(self, letter: char) -> Option<u8> {
        match letter {
            'X' => Some(b'X'),
            _ if letter == self.backslash => Some(b'\\'),
            _ if letter == self.slash => Some(b'/'),
            _ => None,
        }
    }
}

/// Why a text is no board, move or solution, for people.
///
/// ```
/// use sprague_games::explain::Move;
/// use sprague_games::games::{Board, darkraft, end_nim, solve, treblecross};
/// use sprague_games::theory::Control;
///
/// let strip: treblecross::Board = "..X..".parse()?;
/// let grid: darkraft::Board = r"X/,\X".parse()?;
/// let row: end_nim::Board = "3,1,9,4".parse()?;
/// assert_eq!(format!("{strip} {grid} {row}"), r"..X.. X/,\X 3,1,9,4");
/// assert_eq!("left:4".parse::<Move>()?.to_string(), "left:4");
/// assert_eq!("..x".parse::<treblecross::Board>().unwrap_err().to_string(), "cell 3 is 'x': use 'X'");
///
/// let solution = solve(&"X.XX.".parse::<treblecross::Board>()?.into(), &Control::unlimited())?;
/// assert_eq!(solution.to_string(), "immediate win, winning moves 2 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotationError(String);

macro_rules! notations {
    ($($game:ident: $module:ident,)+) => {
        $(
            mod $module;

            impl Display for games::$module::Board {
                /// As `FromStr` reads it.
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    $module::write(self, Letters::DRAWN, f)
                }
            }

            impl FromStr for games::$module::Board {
                type Err = NotationError;

                fn from_str(text: &str) -> Result<games::$module::Board, NotationError> {
                    $module::board(text, Letters::DRAWN).map_err(NotationError)
                }
            }

            impl Display for games::$module::Solution {
                /// As `FromStr` reads it.
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    $module::write_solution(self, f)
                }
            }

            impl FromStr for games::$module::Solution {
                type Err = NotationError;

                fn from_str(text: &str) -> Result<games::$module::Solution, NotationError> {
                    $module::solution(text).ok_or_else(|| NotationError(format!("{text:?} is no solution")))
                }
            }
        )+

        impl Display for Board {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Board::$game(board) => board.fmt(f),)+
                }
            }
        }

        impl Display for Solution {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Solution::$game(solution) => solution.fmt(f),)+
                }
            }
        }

        /// Reads a board.
        ///
        /// ```
        /// use sprague_games::games::Game;
        /// use sprague_games::notation::{Letters, board};
        ///
        /// assert!(board(Game::EndNim, "3,1,9,4", Letters::DRAWN).is_ok());
        /// assert_eq!(board(Game::Treblecross, "..x", Letters::DRAWN).unwrap_err(), "cell 3 is 'x': use 'X'");
        /// ```
        ///
        /// # Errors
        /// What is wrong with it, for people.
        pub fn board(game: Game, text: &str, letters: Letters) -> Result<Board, String> {
            match game {
                $(Game::$game => $module::board(text, letters).map(Board::$game),)+
            }
        }

        /// Reads a move on a board.
        ///
        /// # Errors
        /// How it should be written. Whether the rules allow it is not looked at.
        pub fn read_move(board: &Board, text: &str) -> Result<Move, String> {
            match board {
                $(Board::$game(board) => $module::read_move(board, text),)+
            }
        }

        /// How the parts of a board that was typed as several arguments are joined, in words, and what stands between them.
        pub fn between(game: Game) -> (&'static str, &'static str) {
            match game {
                $(Game::$game => $module::BETWEEN,)+
            }
        }

        impl Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    $(Board::$game(board) => $module::write(board, self.1, f),)+
                }
            }
        }
    };
}

for_each_game!(notations);

/// A board, to be written in somebody's letters.
struct Shown<'a>(&'a Board, Letters);

/// Writes a board so that `board` reads it.
pub fn show_board(board: &Board, letters: Letters) -> String {
    Shown(board, letters).to_string()
}

impl Display for Move {
    /// A cell as its number from 1, row by row: `show_move` writes it by row and column where boards have them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Cell(cell) => (u64::from(*cell) + 1).fmt(f),
            Move::End(end) => end.fmt(f),
        }
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Move, NotationError> {
        let cell = text.parse::<u64>().ok().and_then(|cell| u32::try_from(cell.checked_sub(1)?).ok());
        cell.map(Move::Cell).or_else(|| Some(Move::End(text.parse().ok()?))).ok_or_else(|| {
            NotationError(format!(
                "{text:?} is no move: write the cell, as 7, or the end and the stones taken, as left:4"
            ))
        })
    }
}

/// What stands before the moves that win.
const WON: &str = "winning moves";
/// What stands in their place where there are none.
const LOST: &str = "no winning move";

/// Writes the first moves that win: `winning moves 2 3`.
fn write_moves<T: Display>(mut moves: impl ExactSizeIterator<Item = T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if moves.len() == 0 {
        return f.write_str(LOST);
    }
    f.write_str(WON)?;
    moves.try_for_each(|played| write!(f, " {played}"))
}

/// Reads what `write_moves` writes.
fn moves<T: FromStr>(text: &str) -> Option<Vec<T>> {
    if text == LOST {
        return Some(Vec::new());
    }
    text.strip_prefix(WON)?.strip_prefix(' ')?.split(' ').map(|played| played.parse().ok()).collect()
}

/// Writes winning cells, whose numbers count from 1.
fn write_cells(cells: &[u32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write_moves(cells.iter().map(|&cell| Move::Cell(cell)), f)
}

/// Reads what `write_cells` writes.
fn cells(text: &str) -> Option<Vec<u32>> {
    let cell = |played: Move| if let Move::Cell(cell) = played { Some(cell) } else { None };
    moves(text)?.into_iter().map(cell).collect()
}

/// A value that is written in front of winning moves, of which there are some iff it is not 0.
fn value(text: &str, cells: &[u32]) -> Option<u32> {
    let value = text.strip_prefix("nim-value ")?.parse().ok()?;
    ((value == 0) == cells.is_empty()).then_some(value)
}

/// A number that counts from 1, as one that counts from 0.
fn from_one(text: &str) -> Option<u32> {
    text.parse::<u32>().ok()?.checked_sub(1)
}

/// Writes a move so that `read_move` reads it; `columns`: those of a darkraft grid, none elsewhere.
pub fn show_move(columns: Option<u32>, played: Move) -> String {
    match (played, columns) {
        (Move::Cell(cell), Some(columns)) => format!("{},{}", cell / columns + 1, cell % columns + 1),
        _ => played.to_string(),
    }
}

/// An argument as it is typed to a shell: in quotes where the shell would change it, and with escapes, which most shells
/// read in the form `$'a\x0a'`, for what is not to be seen.
pub fn argument<S: AsRef<OsStr> + ?Sized>(text: &S) -> String {
    let bytes = text.as_ref().as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./,:=+@%".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(escape::is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let mut quoted = String::from("$'");
            for part in bytes.utf8_chunks() {
                for character in part.valid().chars() {
                    match character {
                        '\'' | '\\' => quoted.extend(['\\', character]),
                        _ if escape::is_hidden(character) => {
                            let mut units = [0; 4];
                            quoted
                                .extend(character.encode_utf8(&mut units).bytes().map(|byte| format!("\\x{byte:02x}")));
                        }
                        _ => quoted.push(character),
                    }
                }
                quoted.extend(part.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
            }
            quoted + "'"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Choice, Wants, explain};
    use crate::theory::Control;

    const GDOI: Letters = Letters { backslash: 'L', slash: 'R' };

    #[test]
    fn what_is_shown_is_read_back() {
        for (game, text, letters, moves) in [
            (Game::Treblecross, "..X..", Letters::DRAWN, &["1", "7"][..]),
            (Game::Darkraft, "X/\\,/X\\", Letters::DRAWN, &["1,1", "2,3"]),
            (Game::Darkraft, "XL,LR", GDOI, &["2,2"]),
            (Game::EndNim, "3,1,9,18446744073709551615", Letters::DRAWN, &["left:4", "right:18446744073709551615"]),
            (Game::EndNim, "", Letters::DRAWN, &[]),
        ] {
            let read = board(game, text, letters).unwrap();
            assert_eq!(show_board(&read, letters), text);
            let columns = if let Board::Darkraft(grid) = &read { Some(grid.columns()) } else { None };
            for text in moves {
                assert_eq!(show_move(columns, read_move(&read, text).unwrap()), *text);
            }
        }
        let grid = board(Game::Darkraft, "XL,LR", GDOI).unwrap();
        let Board::Darkraft(grid) = grid else { panic!("a grid") };
        assert_eq!(&grid.cells()[..], br"X\\/");
    }

    /// Every text of 1 to `longest` of the letters.
    fn texts(letters: &[char], longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..longest {
            let next: Vec<String> = all[from..]
                .iter()
                .flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}")))
                .collect();
            from = all.len();
            all.extend(next);
        }
        all
    }

    /// Checks every text that is a board: the board is written as that text, and its solution and its moves are read back.
    fn check<B, S>(texts: &[String], solution: impl Fn(Solution) -> Option<S>) -> usize
    where
        B: Display + FromStr<Err = NotationError> + Clone + Into<Board>,
        S: Display + FromStr<Err = NotationError> + PartialEq + fmt::Debug,
    {
        let boards = texts.iter().filter_map(|text| Some((text, text.parse::<B>().ok()?)));
        let mut count = 0;
        for (text, written) in boards {
            assert_eq!(written.to_string(), *text);
            let board: Board = written.into();
            assert_eq!(board.to_string(), *text);
            let solution = solution(games::solve(&board, &Control::unlimited()).unwrap()).expect("of the same game");
            assert_eq!(solution.to_string().parse(), Ok(solution), "{text}");
            let told = explain(&board, &[], Wants { options: true, line: false }, &Control::unlimited()).unwrap();
            for Choice { played, .. } in told.options.unwrap().items {
                assert_eq!(played.to_string().parse(), Ok(played), "{text}");
                assert_eq!(read_move(&board, &show_move(told.position.columns(), played)), Ok(played), "{text}");
            }
            count += 1;
        }
        count
    }

    #[test]
    fn every_small_board_its_solution_and_its_moves_are_read_back() {
        let strips = texts(&['.', 'X'], 7);
        let found = check::<games::treblecross::Board, _>(&strips, |solution| match solution {
            Solution::Treblecross(solution) => Some(solution),
            _ => None,
        });
        assert_eq!(found, 7 + 13 + 24 + 44 + 81, "words of 3 to 7 letters without three X in a row");
        let grids = texts(&['\\', '/', 'X', ','], 5);
        let found = check::<games::darkraft::Board, _>(&grids, |solution| match solution {
            Solution::Darkraft(solution) => Some(solution),
            _ => None,
        });
        assert_eq!(found, 3 + 9 + 27 + 81 + 243 + 9 + 81 + 27, "1 x 1 to 1 x 5, 2 x 1, 2 x 2, 3 x 1");
        let rows = texts(&['1', '2', '3', ','], 5);
        let found = check::<games::end_nim::Board, _>(&rows, |solution| match solution {
            Solution::EndNim(solution) => Some(solution),
            _ => None,
        });
        assert!(found > 500, "{found}");
    }

    #[test]
    fn what_is_no_move_and_no_solution_is_refused() {
        for text in ["", "0", "-1", "4294967297", "x", "left", "left:x", "up:3", "2,3"] {
            assert!(text.parse::<Move>().is_err(), "{text}");
        }
        assert_eq!("4294967296".parse(), Ok(Move::Cell(u32::MAX)));
        for text in
            ["", "no winning move", "nim-value 1, no winning move", "nim-value 0, winning moves 1", "immediate win, "]
        {
            let error = text.parse::<games::treblecross::Solution>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is no solution"));
            assert!(text.parse::<games::darkraft::Solution>().is_err(), "{text}");
        }
        assert!("winning moves 7".parse::<games::end_nim::Solution>().is_err());
    }

    #[test]
    fn an_argument_is_quoted_where_a_shell_would_change_it() {
        for (text, typed) in [
            ("a/b-1_x.in", "a/b-1_x.in"),
            ("my tests/a.in", "'my tests/a.in'"),
            ("it's", r"'it'\''s'"),
            (r"X/,\X", r"'X/,\X'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
            ("a\nb'\\\u{202e}", r"$'a\x0ab\'\\\xe2\x80\xae'"),
        ] {
            assert_eq!(argument(text), typed);
        }
        assert_eq!(argument(OsStr::from_bytes(b"a\xff b")), r"$'a\xff b'");
    }

    #[test]
    fn what_cannot_be_read_is_answered_with_how_it_is_written() {
        for (game, text, message) in [
            (Game::Treblecross, "..x", "cell 3 is 'x': use 'X'"),
            (Game::Treblecross, "XXX", "the game is already over"),
            (Game::Darkraft, "XL,LR", "--letters gdoi2016"),
            (
                Game::Darkraft,
                "X,XX",
                "row 2 of 2 is too long: expected 1 letter as in row 1, found 2; write rows as XL,LR",
            ),
            (Game::Darkraft, "X/,X", r"found 1; write rows as XL,LR; shells swallow \: quote the board, as in 'X/,\X'"),
            (Game::Darkraft, "", "the board has no cells"),
            (Game::Darkraft, "O", "row 1 of 1 has 'O' as letter 1 of 1: a cell is '\\', '/' or 'X'"),
            (
                Game::EndNim,
                "3,,1",
                "\"\" is no number: expected pile 2 of 3, 1 to 18446744073709551615; write piles as 3,1,9,4",
            ),
            (Game::EndNim, "3,0", "pile 2 is empty"),
            (Game::EndNim, "3 1 9", "\"3 1 9\" is no number: expected pile 1 of 1"),
            (Game::EndNim, "3 1 9", "piles have commas between them: type 3,1,9"),
            (Game::EndNim, "-3", "\"-3\" is negative"),
            (Game::Treblecross, "..é", "cell 3 is 'é': a cell is '.' or 'X'"),
            (Game::Darkraft, "X \\", "rows have commas between them"),
        ] {
            let fault = board(game, text, Letters::DRAWN).unwrap_err();
            assert!(fault.contains(message), "{text}: {fault}");
        }
        for (game, text, played, message) in [
            (Game::Treblecross, "...", "0", "write the cell, as 7"),
            (Game::Darkraft, "XX", "7", "write row and column, as 2,3"),
            (Game::EndNim, "3", "4", "as left:4"),
            (Game::EndNim, "3", "LEFT:2", "write it small, as left:2"),
            (Game::EndNim, "3", "LEFT:x", "as left:4"),
        ] {
            let fault = read_move(&board(game, text, Letters::DRAWN).unwrap(), played).unwrap_err();
            assert!(fault.contains(message), "{played}: {fault}");
        }
    }
}
