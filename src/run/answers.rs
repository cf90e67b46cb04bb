//! A contestant's answer file, read as a stream: what is right is compared byte by byte, what is not is taken apart.

use std::io::{self, Read};
use std::ops::Range;

use crate::games::Outcome;
use crate::judge::Format;

/// Read at once.
const CHUNK: usize = 64 * 1024;
/// White space between two answers that is still taken for carelessness.
const MOST_BLANKS: usize = 64 * 1024;
/// Bytes of a word that are looked at.
const LONGEST_WORD: usize = 64;

/// The file, as far as it is not yet compared.
pub(super) struct AnswerText<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    at_end: bool,
    line: u64,
}

/// What stands in a case's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// The line on which it begins.
    pub(super) line: u64,
    /// All of it, with the white space around it.
    pub(super) text: Vec<u8>,
    /// What it says.
    pub(super) says: Says,
}

/// What an answer says, however it is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    /// The file ends before it.
    Nothing,
    /// Who wins.
    Winner(Outcome),
    /// Which positions win, counted from 1 and as they are listed, under a word (or a 0) that says who wins.
    Moves {
        /// Who wins by the word.
        outcome: Outcome,
        /// The positions.
        positions: Vec<u64>,
    },
    /// The answer of a later case.
    Ahead(u64),
    /// Something else: this word.
    Unreadable(String),
    /// More than any answer of the case could be; what follows cannot be found.
    TooLong,
}

impl<R: Read> AnswerText<R> {
    pub(super) fn new(source: R) -> AnswerText<R> {
        AnswerText { source, buffer: Vec::new(), at: 0, at_end: false, line: 1 }
    }

    /// Takes the bytes that are expected, if they stand next.
    pub(super) fn take(&mut self, expected: &[u8]) -> io::Result<bool> {
        self.hold(expected.len())?;
        let is_right = self.buffer[self.at..].starts_with(expected);
        if is_right {
            self.skip(expected.len());
        }
        Ok(is_right)
    }

    /// Takes whatever stands in the place of case `number`, whose board has `cells` cells.
    pub(super) fn given(&mut self, format: Format, number: u64, cells: usize) -> io::Result<Given> {
        let blanks = self.blanks(0)?;
        let before = &self.buffer[self.at..self.at + blanks];
        let line = self.line + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let (says, length) = match format {
            Format::Uva10561 => self.winning_or_losing(blanks, cells)?,
            Format::Lightoj1229 => self.numbered(blanks, number, cells)?,
            _ => self.winner(format, blanks)?,
        };
        let text = self.buffer[self.at..self.at + length].to_vec();
        self.skip(length);
        Ok(Given { line, text, says })
    }

    /// What stands behind the last case: its line and its first word, or `None` if there is white space alone, and
    /// whether there is anything.
    pub(super) fn rest(&mut self) -> io::Result<(u64, Option<String>, bool)> {
        let blanks = self.blanks(0)?;
        let is_empty = self.at == self.buffer.len();
        let word = self.word(blanks)?.map(|word| self.show(word));
        let line = self.line;
        self.skip(blanks);
        Ok((if word.is_some() { self.line } else { line }, word, !is_empty))
    }

    /// `WINNING` or `LOSING` and positions up to the next such word.
    fn winning_or_losing(&mut self, from: usize, cells: usize) -> io::Result<(Says, usize)> {
        let Some(first) = self.word(from)? else { return Ok((Says::Nothing, from)) };
        let Some(outcome) = keyword(&self.buffer[first.clone()]) else {
            // On to the next answer.
            let says = Says::Unreadable(self.show(first.clone()));
            let mut to = first.end - self.at;
            while let Some(word) = self.word_behind(&mut to)? {
                if keyword(&self.buffer[word.clone()]).is_some() {
                    to = word.start - self.at;
                    break;
                }
                to = word.end - self.at;
            }
            return Ok((says, to));
        };
        let to = first.end - self.at;
        let (says, to) = self.positions(outcome, to, cells, |word| keyword(word).is_some())?;
        Ok((says, to))
    }

    /// `Case k:` and positions up to the next `Case`.
    fn numbered(&mut self, from: usize, number: u64, cells: usize) -> io::Result<(Says, usize)> {
        let Some(first) = self.word(from)? else { return Ok((Says::Nothing, from)) };
        let is_case = |word: &[u8]| word.eq_ignore_ascii_case(b"case");
        let mut to = first.end - self.at;
        let mut label = None;
        if is_case(&self.buffer[first.clone()])
            && let Some(word) = self.word_behind(&mut to)?
        {
            to = word.end - self.at;
            label = self.buffer[word].strip_suffix(b":").and_then(parse);
        }
        if label.is_some_and(|label| label > number) {
            return Ok((Says::Ahead(label.unwrap_or(0)), 0));
        }
        let (says, to) = self.positions(Outcome::FirstPlayerWins, to, cells, is_case)?;
        let says = match says {
            Says::Moves { positions, .. } if positions == [0] => {
                Says::Moves { outcome: Outcome::SecondPlayerWins, positions: Vec::new() }
            }
            says => says,
        };
        Ok((if label == Some(number) { says } else { Says::Unreadable(self.show(first)) }, to))
    }

    /// Numbers from an offset on up to a word that is the next answer's, or the end.
    fn positions(
        &mut self,
        outcome: Outcome,
        mut to: usize,
        cells: usize,
        is_next: impl Fn(&[u8]) -> bool,
    ) -> io::Result<(Says, usize)> {
        let mut positions = Vec::new();
        let mut unreadable = None;
        while let Some(word) = self.word_behind(&mut to)? {
            if is_next(&self.buffer[word.clone()]) {
                break;
            }
            to = word.end - self.at;
            match parse(&self.buffer[word.clone()]) {
                Some(position) => positions.push(position),
                None => unreadable = unreadable.or_else(|| Some(self.show(word))),
            }
            if positions.len() > 2 * cells + 16 {
                return Ok((Says::TooLong, to));
            }
        }
        Ok((unreadable.map_or(Says::Moves { outcome, positions }, Says::Unreadable), to))
    }

    /// One word that says who wins, and the white space up to the next word.
    fn winner(&mut self, format: Format, from: usize) -> io::Result<(Says, usize)> {
        let Some(word) = self.word(from)? else { return Ok((Says::Nothing, from)) };
        let said = &self.buffer[word.clone()];
        let (first, second): (&[u8], &[u8]) = match format {
            Format::Poj3537 => (b"1", b"2"),
            Format::LuoguP2599 => (b"1", b"0"),
            _ => (b"WIN", b"LOSE"),
        };
        let says = if said.eq_ignore_ascii_case(first) {
            Says::Winner(Outcome::FirstPlayerWins)
        } else if said.eq_ignore_ascii_case(second) {
            Says::Winner(Outcome::SecondPlayerWins)
        } else {
            Says::Unreadable(self.show(word.clone()))
        };
        let to = word.end - self.at;
        let blanks = self.blanks(to)?;
        let line_end = self.buffer[self.at + to..self.at + to + blanks].iter().position(|&byte| byte == b'\n');
        // Empty lines stand before the next answer, unless there is none.
        let is_last = self.at_end && self.at + to + blanks == self.buffer.len();
        Ok((says, to + if is_last { blanks } else { line_end.map_or(blanks, |at| at + 1) }))
    }

    /// The next word behind an offset; the offset moves over the white space, which belongs to what stands before it.
    fn word_behind(&mut self, to: &mut usize) -> io::Result<Option<Range<usize>>> {
        *to += self.blanks(*to)?;
        self.word(*to)
    }

    /// White space from an offset on, up to a limit.
    fn blanks(&mut self, from: usize) -> io::Result<usize> {
        let mut length = 0;
        while length < MOST_BLANKS {
            self.hold(from + length + 1)?;
            let rest = self.buffer[self.at..].get(from + length..).unwrap_or_default();
            let run = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if run == 0 {
                break;
            }
            length += run;
        }
        Ok(length)
    }

    /// The word at an offset, as a range of the buffer, or as much of it as is looked at.
    fn word(&mut self, from: usize) -> io::Result<Option<Range<usize>>> {
        self.hold(from + LONGEST_WORD)?;
        let start = (self.at + from).min(self.buffer.len());
        let rest = &self.buffer[start..];
        let length = rest.iter().take(LONGEST_WORD).take_while(|byte| !byte.is_ascii_whitespace()).count();
        Ok((length > 0).then(|| start..start + length))
    }

    /// Has so many bytes in hand, unless the file ends before.
    fn hold(&mut self, bytes: usize) -> io::Result<()> {
        while !self.at_end && self.buffer.len() - self.at < bytes {
            self.buffer.drain(..self.at);
            self.at = 0;
            let before = self.buffer.len();
            self.buffer.resize(before + CHUNK.max(bytes), 0);
            let read = loop {
                match self.source.read(&mut self.buffer[before..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
            self.at_end = read? == 0;
        }
        Ok(())
    }

    fn skip(&mut self, length: usize) {
        let taken = &self.buffer[self.at..self.at + length];
        self.line += taken.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.at += length;
    }

    fn show(&self, word: Range<usize>) -> String {
        let word = &self.buffer[word];
        let shown: String = word.escape_ascii().take(24).map(char::from).collect();
        if word.len() > 24 { format!("\"{shown}...\"") } else { format!("\"{shown}\"") }
    }
}

fn keyword(word: &[u8]) -> Option<Outcome> {
    if word.eq_ignore_ascii_case(b"winning") {
        Some(Outcome::FirstPlayerWins)
    } else if word.eq_ignore_ascii_case(b"losing") {
        Some(Outcome::SecondPlayerWins)
    } else {
        None
    }
}

fn parse(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
