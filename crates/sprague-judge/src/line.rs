//! A line in the exact layout of a statement: tokens with one space between, and what is amiss.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::text::{BYTE_ORDER_MARK, is_blank};
use sprague_games::message;

/// A word of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub bytes: &'a [u8],
    /// Where it begins, from 1; a byte order mark is not counted.
    pub column: u64,
}

/// A line's words.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub tokens: Vec<Token<'a>>,
}

impl Line<'_> {
    /// The column behind the last word.
    pub(super) fn end(&self) -> u64 {
        self.tokens.last().map_or(1, |token| token.column + token.bytes.len() as u64)
    }
}

/// Takes a line apart, without its line feed, and reports what is not exactly words with one space between.
pub(super) fn split<'a>(text: &'a [u8], is_first: bool, report: &mut dyn FnMut(u64, String)) -> Line<'a> {
    let marked = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first);
    if marked.is_some() {
        report(1, "a byte order mark: begin with the text itself".into());
    }
    let text = marked.unwrap_or(text);
    let column = |at: usize| at as u64 + 1;
    let body = text.strip_suffix(b"\r").unwrap_or(text);
    if body.len() < text.len() {
        report(column(body.len()), "a carriage return: end lines with a line feed alone".into());
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let blanks = body[at..].iter().take_while(|&&byte| is_blank(byte)).count();
        let end = at + blanks;
        let message = match (&body[at..end], tokens.is_empty(), end == body.len()) {
            ([], ..) => None,
            (_, true, true) => Some("a line of blanks"),
            (_, true, _) => Some("a blank before the first word"),
            (_, _, true) => Some("a blank at the end of the line"),
            ([b' '], ..) => None,
            ([_], ..) => Some("a blank that is no space: put one space between words"),
            _ => Some("several blanks: put one space between words"),
        };
        if let Some(message) = message {
            report(column(at), message.into());
        }
        let length = body[end..].iter().take_while(|&&byte| !is_blank(byte)).count();
        if length > 0 {
            tokens.push(Token { bytes: &body[end..end + length], column: column(end) });
        }
        at = end + length;
    }
    Line { tokens }
}

/// Whether a word is made of nothing but digits, as a judge's numbers are, or with a sign.
pub(super) fn is_number(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A number as it stands: its value, if it has one that can be gone on with, and what is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub value: Option<u64>,
    pub message: Option<String>,
}

/// Reads a number that the statement has within `limits`.
pub(super) fn number(word: &[u8], what: impl Display, limits: &RangeInclusive<u64>) -> Number {
    let (least, most) = (*limits.start(), *limits.end());
    let range = || if most == u64::MAX { format!("{least} or more") } else { format!("{least} to {most}") };
    let fault = |value, message| Number { value, message: Some(message) };
    match message::number(word, word.len() as u64) {
        Err(found) => fault(None, format!("{found}: expected {what}, {}", range())),
        Ok(value) if !limits.contains(&value) => {
            fault(Some(value).filter(|_| value <= most), format!("{what} is {value}: the statement has {}", range()))
        }
        Ok(value) if word.starts_with(b"+") => fault(Some(value), format!("a plus sign: write {value}")),
        Ok(value) if word.len() > 1 && word[0] == b'0' => fault(Some(value), format!("a leading zero: write {value}")),
        Ok(value) => Number { value: Some(value), message: None },
    }
}
