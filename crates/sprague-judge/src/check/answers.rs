//! A contestant's answer file, read as a stream: what is right is compared byte by byte, what is not is taken apart.

use std::io::{self, Read};
use std::ops::Range;

use crate::Format;
use crate::description::{AnswerWords, Ask, Before};
use sprague_games::games::Outcome;
use sprague_games::message::word;

/// Read at once.
const CHUNK: usize = 64 * 1024;
/// White space between two answers that is still taken for carelessness; up to twice as much may be.
const MOST_BLANKS: usize = 64 * 1024;
/// Bytes of a word that are looked at.
const LONGEST_WORD: usize = 64;
/// Bytes that are passed over to find the next answer, and that are looked at ahead.
const MOST_PASSED: usize = 1024 * 1024;

/// The file, as far as it is not yet compared.
pub(super) struct AnswerText<R> {
    words: &'static AnswerWords,
    source: R,
    buffer: Vec<u8>,
    at: usize,
    at_end: bool,
    line: u64,
}

/// A piece of the file that stands where an answer should, still in the file. Offsets count from where the file is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    /// With the white space around it.
    bytes: Range<usize>,
    /// Its first word, with the case's number if the format has one.
    head: Range<usize>,
    /// The number of the case that it is said to answer.
    pub(super) label: Option<u64>,
    /// What it says.
    pub(super) says: Says,
}

/// What stood in a case's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// The line on which its text begins.
    line: u64,
    /// All of it, with the white space around it.
    pub(super) text: Vec<u8>,
    /// Its first word, as messages show it.
    pub(super) head: String,
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
    Later(u64),
    /// Something else: which word of the text is at fault, from 0.
    Unreadable(usize),
    /// More text, or more white space, than any answer of the case could be; what follows cannot be found.
    TooLong,
}

impl Given {
    /// A word, from 0, as messages show it; the first with the case's number if the format has one.
    pub(super) fn word(&self, word: usize) -> String {
        let rest = &self.text[self.place_of_word(word)..];
        let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        if word == 0 { self.head.clone() } else { show(&rest[..length]) }
    }

    /// The line of a word, from 0; that of the end, if there are not so many.
    pub(super) fn line_of_word(&self, word: usize) -> u64 {
        self.line_at(self.place_of_word(word))
    }

    fn place_of_word(&self, word: usize) -> usize {
        let begins =
            |at: usize| !self.text[at].is_ascii_whitespace() && (at == 0 || self.text[at - 1].is_ascii_whitespace());
        (0..self.text.len()).filter(|&at| begins(at)).nth(word).unwrap_or(self.text.len())
    }

    /// The line on which it first differs from what is right.
    pub(super) fn line_of_difference(&self, right: &[u8]) -> u64 {
        self.line_at(self.text.iter().zip(right).take_while(|(given, right)| given == right).count())
    }

    fn line_at(&self, at: usize) -> u64 {
        self.line + lines(&self.text[..at])
    }
}

impl<R: Read> AnswerText<R> {
    /// Reads the answers of a file; nothing is read yet.
    pub(super) fn new(format: Format, source: R) -> AnswerText<R> {
        AnswerText { words: &format.0.answer, source, buffer: Vec::new(), at: 0, at_end: false, line: 1 }
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

    /// What stands next, in the place of a case whose board has `cells` cells.
    pub(super) fn next(&mut self, cells: usize) -> io::Result<Chunk> {
        self.chunk(0, cells)
    }

    /// What stands next and behind it: up to `most` chunks and `most_unreadable` that say nothing, and whether the file
    /// ends with them.
    pub(super) fn ahead(
        &mut self,
        cells: usize,
        most: usize,
        most_unreadable: usize,
    ) -> io::Result<(Vec<Chunk>, bool)> {
        let (mut chunks, mut unreadable, mut from) = (Vec::new(), 0, 0);
        while chunks.len() < most && unreadable < most_unreadable && from < MOST_PASSED {
            let chunk = self.chunk(from, cells)?;
            match chunk.says {
                Says::Nothing => return Ok((chunks, true)),
                Says::TooLong => break,
                Says::Unreadable(_) => unreadable += 1,
                Says::Winner(_) | Says::Moves { .. } | Says::Later(_) => {}
            }
            from = chunk.bytes.end;
            chunks.push(chunk);
        }
        Ok((chunks, false))
    }

    /// Takes a chunk that stands next, in the place of case `number`.
    pub(super) fn given(&mut self, chunk: Chunk, number: u64) -> Given {
        let head = show(self.bytes(&chunk.head));
        let says = match chunk.label {
            Some(label) if label != number => Says::Unreadable(0),
            _ => chunk.says,
        };
        let text = self.buffer[self.at..self.at + chunk.bytes.end].to_vec();
        let given = Given { line: self.line, text, head, says };
        self.skip(chunk.bytes.end);
        given
    }

    /// Leaves a chunk that answers a later case where it stands.
    pub(super) fn left(&self, chunk: &Chunk) -> Given {
        let line = self.line + lines(self.bytes(&(0..chunk.head.start)));
        let says = chunk.label.map_or(Says::Nothing, Says::Later);
        Given { line, text: Vec::new(), head: show(self.bytes(&chunk.head)), says }
    }

    fn chunk(&mut self, from: usize, cells: usize) -> io::Result<Chunk> {
        let start = from + self.blanks(from)?;
        let Some(head) = self.word(start)? else {
            let says = if self.is_end(start) { Says::Nothing } else { Says::TooLong };
            return Ok(Chunk { bytes: from..start, head: start..start, label: None, says });
        };
        let mut chunk = Chunk { bytes: from..head.end, head, label: None, says: Says::Unreadable(0) };
        let AnswerWords { before, ask } = self.words;
        if let Some(before) = before {
            self.label(&mut chunk, before)?;
        }
        match ask {
            Ask::Moves { head, none } => self.moves(&mut chunk, cells, (head, none))?,
            Ask::Winner { .. } => self.winner(&mut chunk)?,
        }
        Ok(chunk)
    }

    /// Moves a chunk's head, and its end, over what stands before an answer, and takes the case's number out of it.
    fn label(&mut self, chunk: &mut Chunk, before: &Before) -> io::Result<()> {
        let number = match before.word() {
            "" => Some(chunk.head.clone()),
            word if self.bytes(&chunk.head).eq_ignore_ascii_case(word.as_bytes()) => {
                self.word_behind(&mut chunk.bytes.end)?
            }
            _ => None,
        };
        if let Some(number) = number {
            chunk.label = before.number(self.bytes(&number));
            (chunk.bytes.end, chunk.head.end) = (number.end, number.end);
        }
        Ok(())
    }

    /// What stands behind the last case: its line and its first word, or `None` if there is white space alone, and
    /// whether there is anything.
    pub(super) fn rest(&mut self) -> io::Result<(u64, Option<String>, bool)> {
        let line = self.line;
        let mut blanks = self.blanks(0)?;
        let is_there = blanks > 0;
        while blanks > 0 {
            self.skip(blanks);
            blanks = self.blanks(0)?;
        }
        let word = self.word(0)?.map(|word| show(self.bytes(&word)));
        Ok((if word.is_some() { self.line } else { line }, word, is_there))
    }

    /// Positions behind the case's number, or behind a word that says who wins, up to the next answer.
    fn moves(&mut self, chunk: &mut Chunk, cells: usize, (head, none): (&str, &str)) -> io::Result<()> {
        let outcome = match &self.words.before {
            Some(_) => chunk.label.map(|_| Outcome::FirstPlayerWins),
            None => self.words.outcome(self.bytes(&chunk.head)),
        };
        let Some(outcome) = outcome else { return self.pass_over(chunk) };
        self.positions(chunk, outcome, cells, 1 + lines(head.as_bytes()))?;
        if let Says::Moves { outcome, positions } = &mut chunk.says
            && parse(none.as_bytes()).is_some_and(|none| *positions == [none])
        {
            (*outcome, *positions) = (Outcome::SecondPlayerWins, Vec::new());
        }
        Ok(())
    }

    /// Whether the next answer begins with a word.
    fn begins(&self, word: &Range<usize>) -> bool {
        let word = self.bytes(word);
        match &self.words.before {
            Some(before) if before.word().is_empty() => before.number(word).is_some(),
            Some(before) => word.eq_ignore_ascii_case(before.word().as_bytes()),
            None => self.words.outcome(word).is_some(),
        }
    }

    /// What begins with no answer's word goes up to the next that does.
    fn pass_over(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        while let Some(word) = self.word_behind(&mut chunk.bytes.end)?.filter(|word| !self.begins(word)) {
            chunk.bytes.end = word.end;
            if chunk.bytes.len() > MOST_PASSED {
                chunk.says = Says::TooLong;
                break;
            }
        }
        Ok(())
    }

    /// Numbers behind a chunk's head up to a word that is the next answer's, or the end; or, once the answer is whole, by
    /// its positions and its lines, up to a line that begins with no number.
    fn positions(&mut self, chunk: &mut Chunk, outcome: Outcome, cells: usize, whole: u64) -> io::Result<()> {
        let (mut positions, mut unreadable) = (Vec::new(), None);
        // The words of the head are no positions.
        let head = self.bytes(&chunk.head).split(u8::is_ascii_whitespace);
        let (mut words, mut line_ends) = (head.filter(|word| !word.is_empty()).count(), 0);
        loop {
            let before = chunk.bytes.end;
            let Some(word) = self.word_behind(&mut chunk.bytes.end)? else {
                if positions.is_empty() && !self.is_end(chunk.bytes.end) {
                    chunk.says = Says::TooLong;
                    return Ok(());
                }
                break;
            };
            let new_lines = lines(self.bytes(&(before..word.start)));
            line_ends += new_lines;
            if self.begins(&word) {
                break;
            }
            // A line that is no part of the answer, once the line of positions is there, or the empty one.
            let is_whole = line_ends >= whole && (outcome == Outcome::SecondPlayerWins || !positions.is_empty());
            match parse(self.bytes(&word)) {
                Some(position) => positions.push(position),
                None if new_lines > 0 && unreadable.is_none() && is_whole => break,
                None => unreadable = unreadable.or(Some(words)),
            }
            words += 1;
            chunk.bytes.end = word.end;
            if positions.len() > 2 * cells + 16 || (unreadable.is_some() && chunk.bytes.len() > MOST_PASSED) {
                chunk.says = Says::TooLong;
                return Ok(());
            }
        }
        chunk.says = unreadable.map_or(Says::Moves { outcome, positions }, Says::Unreadable);
        Ok(())
    }

    /// One word that says who wins, or a line that does not, and the white space up to the next.
    fn winner(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        let said = match (&self.words.before, chunk.label) {
            (None, _) => Some(chunk.head.clone()),
            (Some(_), Some(_)) => self.word_behind(&mut chunk.bytes.end)?,
            (Some(_), None) => None,
        };
        if let Some(said) = said {
            chunk.bytes.end = said.end;
            let outcome = self.words.outcome(self.bytes(&said));
            chunk.says = outcome.map_or(Says::Unreadable(self.words.words_before()), Says::Winner);
        }
        loop {
            let to = chunk.bytes.end;
            let blanks = self.blanks(to)?;
            let line_end = self.bytes(&(to..to + blanks)).iter().position(|&byte| byte == b'\n');
            // Empty lines stand before the next answer, unless there is none.
            let is_last = self.is_end(to + blanks);
            chunk.bytes.end = to + if is_last { blanks } else { line_end.map_or(blanks, |at| at + 1) };
            if matches!(chunk.says, Says::Winner(_)) || is_last || line_end.is_some() {
                return Ok(());
            }
            if chunk.bytes.len() > MOST_PASSED {
                chunk.says = Says::TooLong;
                return Ok(());
            }
            chunk.bytes.end = self.word(chunk.bytes.end)?.map_or(chunk.bytes.end, |word| word.end);
        }
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

    /// The word at an offset, or as much of it as is looked at.
    fn word(&mut self, from: usize) -> io::Result<Option<Range<usize>>> {
        self.hold(from + LONGEST_WORD)?;
        let rest = self.buffer[self.at..].get(from..).unwrap_or_default();
        let length = rest.iter().take(LONGEST_WORD).take_while(|byte| !byte.is_ascii_whitespace()).count();
        Ok((length > 0).then(|| from..from + length))
    }

    /// Whether the file ends at an offset up to which all is in hand.
    fn is_end(&self, at: usize) -> bool {
        self.at_end && self.at + at == self.buffer.len()
    }

    /// What stands between two offsets that are in hand.
    fn bytes(&self, range: &Range<usize>) -> &[u8] {
        &self.buffer[self.at + range.start..self.at + range.end]
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
        self.line += lines(&self.buffer[self.at..self.at + length]);
        self.at += length;
    }
}

/// A word in messages.
fn show(shown: &[u8]) -> String {
    word(shown, shown.len() as u64)
}

fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn parse(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
