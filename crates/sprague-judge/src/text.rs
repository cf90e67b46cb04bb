//! A cursor over bytes that knows line and column: words and numbers as scanf takes them, in flat memory.

use std::io::{self, Read};

use bytes::Bytes;

use super::diagnostic::{Place, ReadError};
use sprague_games::message;

/// How much is asked of the source at once. A pipe or terminal gives less at a time (pipes hold 64 KiB), so a full
/// read means a source that does not keep its reader waiting; and a chunk fits the second-level cache.
const CHUNK: usize = 256 * 1024;
/// The longest word that is looked at as a number, leading zeros and all.
const LONGEST_NUMBER: u64 = 1024;
/// What may stand before a text, and is none of it.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Bytes between white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word, or as much of its beginning as the caller's limit holds.
    pub head: Bytes,
    /// The length of the whole word.
    pub length: u64,
}

/// A position in the current chunk, to go back to.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: usize,
    line: u64,
    line_start: u64,
}

/// The cursor. It holds one chunk of the source; words are slices of it, so only a word across chunks is copied.
// Invariant: `chunk[at..]` is what is read and not yet taken; `base` is the offset of `chunk[0]` in the source.
// `across` is the last word that lay across chunks. Words hold no line ends, so `line` and `line_start` change between words only.
#[derive(Debug)]
pub(super) struct Text<R> {
    source: R,
    scratch: Box<[u8]>,
    chunk: Bytes,
    at: usize,
    base: u64,
    line: u64,
    line_start: u64,
    word_start: u64,
    across: Bytes,
    last_read_was_short: bool,
    at_end: bool,
    // Where to go back to when the source starves; none after a read, which may have dropped that chunk.
    mark: Option<Mark>,
    starved: bool,
}

impl<R: Read> Text<R> {
    /// A cursor at the beginning of `source`; nothing is read yet.
    pub(super) fn new(source: R) -> Text<R> {
        Text {
            source,
            scratch: vec![0; CHUNK].into_boxed_slice(),
            chunk: Bytes::new(),
            at: 0,
            base: 0,
            line: 1,
            line_start: 0,
            word_start: 0,
            across: Bytes::new(),
            last_read_was_short: false,
            at_end: false,
            mark: None,
            starved: false,
        }
    }

    /// Begins a stretch that is read again from here after the source has starved, which is an error like another until
    /// `is_starved` is asked. That comes at most once a stretch, before its first read, when the read before came up short:
    /// what the caller has in hand can be sent off meanwhile, and until the stretch is complete there is nothing new to send.
    pub(super) fn begin(&mut self) {
        let again = std::mem::take(&mut self.starved);
        self.mark = (!again).then_some(Mark { at: self.at, line: self.line, line_start: self.line_start });
    }

    /// Whether the last error says only that the source may keep its reader waiting: the cursor is back at the last `begin`,
    /// and the next read waits.
    pub(super) fn is_starved(&self) -> bool {
        self.starved
    }

    /// Where the last word or number begins; at the end of the text, the end.
    pub(super) fn place(&self) -> Place {
        Place { line: self.line, column: self.word_start - self.line_start + 1 }
    }

    /// The last word, as much of it as was held.
    pub(super) fn last_word(&self) -> &[u8] {
        // A word across chunks begins before the one that is there.
        let from = self.word_start.checked_sub(self.base);
        from.map_or(&self.across, |from| &self.chunk[from as usize..self.at])
    }

    /// The next word, of which no more than `limit` bytes are held; none at the end of the text.
    pub(super) fn word(&mut self, limit: u64) -> Result<Option<Word>, ReadError> {
        if !self.skip_blanks()? {
            return Ok(None);
        }
        let Some(length) = find_blank(&self.chunk[self.at..]) else { return self.word_across_chunks(limit).map(Some) };
        let held = length.min(usize::try_from(limit).unwrap_or(usize::MAX));
        let head = self.chunk.slice(self.at..self.at + held);
        self.at += length;
        Ok(Some(Word { head, length: length as u64 }))
    }

    /// The next word as a number; its message when it is none. Leading zeros and one plus sign are accepted.
    // Nearly every number is digits within the chunk; the rest takes the way over the word.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Option<Result<u64, String>>, ReadError> {
        if !self.skip_blanks()? {
            return Ok(None);
        }
        if let Some((value, length)) = plain_number(&self.chunk[self.at..]) {
            self.at += length;
            return Ok(Some(Ok(value)));
        }
        Ok(self.word(LONGEST_NUMBER)?.map(|word| message::number(&word.head, word.length)))
    }

    /// Moves to the next byte that is not white space; false at the end of the text.
    #[inline]
    fn skip_blanks(&mut self) -> Result<bool, ReadError> {
        loop {
            while let Some(&byte) = self.chunk.get(self.at) {
                if !is_blank(byte) {
                    self.word_start = self.base + self.at as u64;
                    return Ok(true);
                }
                self.at += 1;
                if byte == b'\n' {
                    self.line += 1;
                    self.line_start = self.base + self.at as u64;
                }
            }
            if !self.fill()? {
                self.word_start = self.base + self.at as u64;
                return Ok(false);
            }
        }
    }

    #[cold]
    fn word_across_chunks(&mut self, limit: u64) -> Result<Word, ReadError> {
        let mut head = Vec::new();
        let mut length = 0;
        loop {
            let end = find_blank(&self.chunk[self.at..]).map_or(self.chunk.len(), |length| self.at + length);
            let part = &self.chunk[self.at..end];
            let room = usize::try_from(limit - head.len() as u64).unwrap_or(usize::MAX);
            head.extend_from_slice(&part[..part.len().min(room)]);
            length += part.len() as u64;
            self.at = end;
            if end < self.chunk.len() || !self.fill()? {
                self.across = head.into();
                return Ok(Word { head: self.across.clone(), length });
            }
        }
    }

    /// Replaces the chunk, which is used up, by the next one; false at the end of the text.
    #[cold]
    fn fill(&mut self) -> Result<bool, ReadError> {
        if self.at_end {
            return Ok(false);
        }
        let mark = self.mark.take();
        if let Some(mark) = mark.filter(|_| self.last_read_was_short) {
            Mark { at: self.at, line: self.line, line_start: self.line_start } = mark;
            self.starved = true;
            return Err(io::Error::from(io::ErrorKind::WouldBlock).into());
        }
        let is_first = self.base == 0 && self.chunk.is_empty();
        let mut length = self.read(0)?;
        if is_first {
            while (1..BYTE_ORDER_MARK.len()).contains(&length) && BYTE_ORDER_MARK.starts_with(&self.scratch[..length]) {
                match self.read(length)? {
                    0 => break,
                    more => length += more,
                }
            }
        }
        self.base += self.chunk.len() as u64;
        self.at = 0;
        self.chunk = Bytes::copy_from_slice(&self.scratch[..length]);
        if is_first && self.chunk.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
            self.line_start = self.at as u64;
        }
        Ok(length > 0)
    }

    /// One read into the scratch space from `from` on; 0 at the end.
    fn read(&mut self, from: usize) -> Result<usize, ReadError> {
        loop {
            match self.source.read(&mut self.scratch[from..]) {
                Ok(length) => {
                    self.at_end = length == 0;
                    self.last_read_was_short = from + length < CHUNK;
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// White space as scanf takes it: space, tab, line feed, vertical tab, form feed, carriage return.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

/// The first white space, 32 bytes at a time: a loop without an exit inside becomes vector instructions.
fn find_blank(bytes: &[u8]) -> Option<usize> {
    let (blocks, _) = bytes.as_chunks::<32>();
    let clear = blocks.iter().take_while(|block| !block.iter().fold(false, |any, &byte| any | is_blank(byte))).count();
    let from = clear * 32;
    bytes[from..].iter().position(|&byte| is_blank(byte)).map(|at| from + at)
}

/// A number of nothing but digits and its length, when white space is seen to follow and 64 bits hold it.
#[inline]
fn plain_number(bytes: &[u8]) -> Option<(u64, usize)> {
    const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    let (mut value, mut length) = leading_digits(bytes)?;
    let mut more = length;
    while more == 8 {
        let low;
        (low, more) = leading_digits(&bytes[length..])?;
        value = value.checked_mul(POWERS[more])?.checked_add(low)?;
        length += more;
    }
    (length > 0 && is_blank(*bytes.get(length)?)).then_some((value, length))
}

/// The digits among the first 8 bytes, before any other byte: their value and how many; none when fewer bytes are left.
#[inline]
fn leading_digits(bytes: &[u8]) -> Option<(u64, usize)> {
    // Digit i of the text is byte i of the word, counted from the low end, as 0 to 9.
    let word = u64::from_le_bytes(*bytes.first_chunk::<8>()?) ^ 0x3030_3030_3030_3030;
    // A byte above 9 gets its high bit; a carry out of one reaches later bytes only, and the first is what counts.
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return Some((0, 0));
    }
    // Zeros in front, then neighbours are joined: ten of one and the next, to pairs, fours, eights.
    let digits = word << (64 - 8 * count);
    let pairs = (digits.wrapping_mul(10)).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100)).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let value = (fours.wrapping_mul(10_000)).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
    Some((value, count))
}

/// A word as messages show it.
pub(super) fn quote(word: &Word) -> String {
    message::word(&word.head, word.length)
}

/// The digits of 0 to 999, three of them, and a space, first character in the low byte.
const THREE_DIGITS: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut value = 0;
    while value < 1000 {
        let digits = [value / 100, value / 10 % 10, value % 10];
        table[value as usize] = u32::from_le_bytes(*b"000 ") + digits[0] + (digits[1] << 8) + (digits[2] << 16);
        value += 1;
    }
    table
};

/// Appends numbers with one space between them.
pub(super) fn write_numbers(numbers: impl IntoIterator<Item = u64>, out: &mut Vec<u8>) {
    const LONGEST: usize = 24;
    let mut block = [0; 256];
    let mut at = 0;
    for number in numbers {
        if at > block.len() - LONGEST {
            out.extend_from_slice(&block[..at]);
            at = 0;
        }
        at = put_number(number, &mut block, at);
    }
    out.extend_from_slice(&block[..at]);
    if at > 0 {
        out.pop();
    }
}

/// Writes a number and a space at `at`, perhaps some bytes that do not count, and returns where the next one goes.
#[inline]
fn put_number(number: u64, block: &mut [u8; 256], at: usize) -> usize {
    let (at, digits, absent) = match number {
        0..1000 => (at, THREE_DIGITS[number as usize], usize::from(number < 10) + usize::from(number < 100)),
        _ => (put_number(number / 1000, block, at) - 1, THREE_DIGITS[(number % 1000) as usize], 0),
    };
    block[at..at + 4].copy_from_slice(&(digits >> (8 * absent)).to_le_bytes());
    at + 4 - absent
}
