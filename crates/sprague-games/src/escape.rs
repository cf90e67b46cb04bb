//! What comes from outside, as messages show it: what would move a terminal's cursor, colour, hide or reorder the rest is
//! written as an escape, so that a message is one line and FILE:LINE:COLUMN stays what it is.

use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A path of a file, or a part of one. Bytes that are no UTF-8 are told apart, as in `\xff`.
pub fn path<P: AsRef<Path> + ?Sized>(path: &P) -> Shown<'_> {
    Shown(path.as_ref().as_os_str().as_bytes())
}

/// A text, as a message that a server sent.
pub fn text(text: &str) -> Shown<'_> {
    Shown(text.as_bytes())
}

/// What is shown with escapes.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(&'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.utf8_chunks() {
            for character in part.valid().chars() {
                match is_hidden(character) {
                    true => write!(f, "{}", character.escape_default())?,
                    false => f.write_char(character)?,
                }
            }
            for byte in part.invalid() {
                write!(f, "{}", std::ascii::escape_default(*byte))?;
            }
        }
        Ok(())
    }
}

/// Whether a character is not to be seen as such: control characters, those that set the direction of writing, separators
/// of lines, and what takes no room.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}'
                | '\u{61C}'
                | '\u{180E}'
                | '\u{200B}'
                | '\u{200E}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn what_is_not_to_be_seen_is_written_as_an_escape() {
        for (name, shown) in [
            (&b"plain name-1.in"[..], "plain name-1.in"),
            ("Prüfung 試験 '\"\\.in".as_bytes(), "Prüfung 試験 '\"\\.in"),
            (b"two\nlines\r\t", r"two\nlines\r\t"),
            (b"\x1b[31mred\x07", r"\u{1b}[31mred\u{7}"),
            ("c1\u{9b}31m".as_bytes(), r"c1\u{9b}31m"),
            ("\u{202e}txt.exe\u{2066}\u{200f}".as_bytes(), r"\u{202e}txt.exe\u{2066}\u{200f}"),
            ("\u{feff}a\u{200b}b\u{2028}".as_bytes(), r"\u{feff}a\u{200b}b\u{2028}"),
            (b"byte \xff\xc3", r"byte \xff\xc3"),
            (b"\x7f", r"\u{7f}"),
        ] {
            assert_eq!(path(OsStr::from_bytes(name)).to_string(), shown);
        }
        assert_eq!(text("a\nb").to_string(), r"a\nb");
    }
}
