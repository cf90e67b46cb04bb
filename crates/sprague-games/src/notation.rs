//! Boards and moves as people type them: `..X..`, `XL,LR`, `3,1,9,4`; `7`, `2,3`, `left:4`. Cells count from 1 here.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::escape;
use crate::explain::Move;
use crate::games::end_nim::{self, End};
use crate::games::{Board, Game, darkraft, treblecross};
use crate::message;
use crate::message::count;

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
        Game::Treblecross => {
            let board = treblecross::Board::new(text.as_bytes().to_vec().into());
            let board = board.map_err(|fault| match fault {
                // Of the text all of the character is known.
                treblecross::Fault::BadCell { at, .. } => {
                    message::cell(u64::from(at) + 1, text.as_bytes(), at as usize, &treblecross::CELLS)
                }
                fault => fault.to_string(),
            });
            Ok(Board::Treblecross(board?))
        }
        Game::Darkraft => grid(text, letters),
        Game::EndNim => {
            let written: Vec<&str> = text.split(',').filter(|_| !text.is_empty()).collect();
            let read = |(pile, number): (&&str, usize)| {
                let pile = pile.trim();
                message::number(pile.as_bytes(), pile.len() as u64).map_err(|found| {
                    let (of, most) = (written.len(), u64::MAX);
                    format!(
                        "{found}: expected pile {number} of {of}, 1 to {most}; {}",
                        joined(text, "piles", "3,1,9,4")
                    )
                })
            };
            let piles: Result<Vec<u64>, String> = written.iter().zip(1..).map(read).collect();
            Ok(Board::EndNim(end_nim::Board::new(piles?).map_err(|fault| fault.to_string())?))
        }
    }
}

fn grid(text: &str, letters: Letters) -> Result<Board, String> {
    let rows: Vec<&str> = text.split(',').collect();
    let columns = rows[0].chars().count();
    let mut cells = Vec::new();
    for (row, number) in rows.iter().zip(1..) {
        let name = format!("row {number} of {}", rows.len());
        let found = row.chars().count();
        if found != columns {
            let how = if found < columns { "too short" } else { "too long" };
            let expected = count(columns as u64, "letter");
            let swallowed = match letters == Letters::DRAWN && !text.contains('\\') {
                true => r"; shells swallow \: quote the board, as in 'X/,\X'",
                false => "",
            };
            return Err(format!(
                "{name} is {how}: expected {expected} as in row 1, found {found}; write rows as XL,LR{swallowed}"
            ));
        }
        for (letter, at) in row.chars().zip(1..) {
            let bad = || match bad_letter(letter, letters) {
                Ok(instead) => format!("{name} has '{}' as letter {at} of {found}: {instead}", letter.escape_debug()),
                Err(message) => message,
            };
            cells.push(letters.read(letter).ok_or_else(bad)?);
        }
    }
    let columns = u32::try_from(columns).unwrap_or(u32::MAX);
    Ok(Board::Darkraft(darkraft::Board::new(columns, cells.into()).map_err(|fault| fault.to_string())?))
}

/// What to write instead of a letter that stands for no cell, or all there is to say of it.
fn bad_letter(letter: char, letters: Letters) -> Result<String, String> {
    if letters == Letters::DRAWN && matches!(letter, 'L' | 'R') {
        return Err(format!(
            "judges disagree on what {letter} means: say whose letters these are with --letters codeforces138d or \
             --letters gdoi2016, or write \\ and / for L and R"
        ));
    }
    if letter.is_whitespace() {
        return Err("rows have commas between them and no blanks: write rows as XL,LR".into());
    }
    let byte = u8::try_from(letter).unwrap_or(u8::MAX);
    Ok(message::instead(byte, &[letters.backslash, letters.slash, 'X']))
}

/// How a list is written; where it has blanks for commas, what to type instead.
fn joined(text: &str, what: &str, example: &str) -> String {
    let parts: Vec<&str> = text.split_whitespace().collect();
    if parts.len() > 1 && !text.contains(',') {
        return format!("{what} have commas between them: type {}", parts.join(","));
    }
    format!("write {what} as {example}")
}

/// Reads a move on a board.
///
/// # Errors
/// How it should be written. Whether the rules allow it is not looked at.
pub fn read_move(board: &Board, text: &str) -> Result<Move, String> {
    match board {
        Board::Treblecross(_) => {
            let cell = number(text).and_then(|cell| cell.checked_sub(1));
            cell.map(Move::Cell).ok_or_else(|| format!("{text:?} is no move: write the cell, as 7"))
        }
        Board::Darkraft(grid) => {
            let place = text
                .split_once(',')
                .and_then(|(row, column)| Some((number(row)?.checked_sub(1)?, number(column)?.checked_sub(1)?)));
            let (row, column) = place.ok_or_else(|| format!("{text:?} is no move: write row and column, as 2,3"))?;
            let (rows, columns) = (grid.rows(), grid.columns());
            if row >= rows || column >= columns {
                let size = format!("{} and {}", count(rows.into(), "row"), count(columns.into(), "column"));
                return Err(format!("cell {text} is not on the board of {size}"));
            }
            Ok(Move::Cell(row * columns + column))
        }
        Board::EndNim(_) => {
            let taken = text.split_once(':').and_then(|(end, take)| {
                let end = match end {
                    "left" => End::Left,
                    "right" => End::Right,
                    _ => return None,
                };
                Some(Move::End(end_nim::Move { end, take: take.parse().ok()? }))
            });
            taken.ok_or_else(|| {
                let small = text.to_ascii_lowercase();
                match text != small && read_move(board, &small).is_ok() {
                    true => format!("{text:?} is no move: write it small, as {small}"),
                    false => format!("{text:?} is no move: write the end and the stones taken, as left:4"),
                }
            })
        }
    }
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}

/// Writes a move so that `read_move` reads it; `columns`: those of a darkraft grid, none elsewhere.
pub fn show_move(columns: Option<u32>, played: Move) -> String {
    match (played, columns) {
        (Move::Cell(cell), Some(columns)) => format!("{},{}", cell / columns + 1, cell % columns + 1),
        (Move::Cell(cell), None) => (u64::from(cell) + 1).to_string(),
        (Move::End(end_nim::Move { end: End::Left, take }), _) => format!("left:{take}"),
        (Move::End(end_nim::Move { end: End::Right, take }), _) => format!("right:{take}"),
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

/// Writes a board so that `board` reads it.
pub fn show_board(board: &Board, letters: Letters) -> String {
    match board {
        Board::Treblecross(strip) => strip.cells().iter().map(|&cell| char::from(cell)).collect(),
        Board::Darkraft(grid) => {
            let row = |row: &[u8]| row.iter().map(|&cell| letters.write(cell)).collect::<String>();
            grid.cells().chunks(grid.columns() as usize).map(row).collect::<Vec<_>>().join(",")
        }
        Board::EndNim(row) => row.piles().iter().map(u64::to_string).collect::<Vec<_>>().join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
