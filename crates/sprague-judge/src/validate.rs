//! A file against its judge's statement: limits, counts and the exact layout, every fault with its place. Nothing is solved.

use std::io::{self, BufRead, BufReader, Read};

use super::darkraft;
use super::end_nim::LARGEST_PILE;
use super::format::{Cases, Format};
use super::line::{self, Line, Token};
use super::text::{Place, Word, quote};
use sprague_games::games::treblecross::CELLS;
use sprague_games::message;
use sprague_games::message::count;

/// As much of a line as is held; the longest that any statement allows has 11,000 bytes.
const LONGEST_LINE: u64 = 64 * 1024;

/// A fault of a file: `LINE:COLUMN: case K: what is wrong`, without `case K: ` when it is one of the whole file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{message}", case.map(|case| format!("case {case}: ")).unwrap_or_default())]
pub struct LayoutFault {
    /// Where.
    pub place: Place,
    /// Which case, if it is one's.
    pub case: Option<u64>,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Reads a file to its end and reports every fault, line by line; says how many cases there were. Memory is flat.
///
/// ```
/// let mut faults = Vec::new();
/// let cases = sprague_judge::validate(sprague_judge::Format::Poj3537, &b"3\n 4\n"[..], &mut |fault| faults.push(fault))?;
/// assert_eq!((cases, faults.len()), (2, 1));
/// assert_eq!((faults[0].place.line, faults[0].place.column), (2, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The source's.
pub fn validate(format: Format, source: impl Read, report: &mut dyn FnMut(LayoutFault)) -> io::Result<u64> {
    let mut source = BufReader::with_capacity(256 * 1024, source);
    let mut check =
        Check { format, stage: Stage::start(format), total: None, cases: 0, place: PLACE, is_cut: false, report };
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let length = source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        check.place = Place { line: number, column: 1 };
        check.is_cut = false;
        if length == 0 {
            break;
        }
        if bytes.last() != Some(&b'\n') {
            if length as u64 == LONGEST_LINE {
                source.skip_until(b'\n')?;
                check.fault(1, format!("the line is longer than {LONGEST_LINE} bytes, more than any statement has"));
                check.is_cut = true;
            } else {
                check.fault(length as u64 + 1, "the file ends without a line end: end the last line too".into());
            }
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let line = line::split(text, number == 1, &mut |column, message| check.fault(column, message));
        check.line(&line);
    }
    check.end();
    Ok(check.cases)
}

const PLACE: Place = Place { line: 1, column: 1 };

/// What the next line is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Total,
    Case,
    Rows {
        done: u64,
        rows: u64,
        columns: Option<u64>,
    },
    Piles {
        count: Option<u64>,
    },
    /// After the last case; what follows is told once.
    Over {
        told: bool,
    },
}

impl Stage {
    fn start(format: Format) -> Stage {
        if let Cases::Counted { .. } = format.cases() { Stage::Total } else { Stage::Case }
    }
}

struct Check<'a> {
    format: Format,
    stage: Stage,
    total: Option<u64>,
    /// Cases that have begun.
    cases: u64,
    place: Place,
    /// Of the line no more than its beginning is held: it is at fault, and all is said of it.
    is_cut: bool,
    report: &'a mut dyn FnMut(LayoutFault),
}

impl Check<'_> {
    fn fault(&mut self, column: u64, message: String) {
        let in_case = matches!(self.stage, Stage::Rows { .. } | Stage::Piles { .. }) && self.cases > 0;
        self.lay(column, in_case.then_some(self.cases), message);
    }

    fn case_fault(&mut self, column: u64, message: String) {
        self.lay(column, Some(self.cases), message);
    }

    fn lay(&mut self, column: u64, case: Option<u64>, message: String) {
        if !self.is_cut {
            (self.report)(LayoutFault { place: Place { column, ..self.place }, case, message });
        }
    }

    /// A line, whose layout is checked already.
    fn line(&mut self, line: &Line<'_>) {
        let Some(first) = line.tokens.first() else {
            self.fault(1, "a blank line: the statement has none".into());
            return;
        };
        match self.stage {
            Stage::Total => {
                let most = self.format.most_cases().unwrap_or(u64::MAX);
                self.total = self.number(first, "T, the number of cases", 1, most);
                self.only(line, 1, "T");
                self.stage = self.next_stage();
            }
            Stage::Case => self.case(line, first),
            Stage::Rows { done, rows, columns } => self.row(line, first, done, rows, columns),
            Stage::Piles { count } => self.piles(line, count),
            Stage::Over { told: false } => {
                let found = quote(&word(first));
                let message = match self.format {
                    Format::Codeforces138d => format!("found {found} after the one case of {}", self.format),
                    _ => format!("found {found} after case {}, the last by T", self.cases),
                };
                self.fault(first.column, message);
                self.stage = Stage::Over { told: true };
            }
            Stage::Over { told: true } => {}
        }
    }

    fn case(&mut self, line: &Line<'_>, first: &Token<'_>) {
        self.cases += 1;
        let most = self.format.largest_board();
        match self.format {
            Format::Uva10561 | Format::Lightoj1229 => {
                self.cells(first, most);
                self.only(line, 1, "a board");
            }
            Format::Poj3537 => {
                self.case_number(first, "n, the number of cells", 3, most);
                self.only(line, 1, "n");
            }
            Format::Codeforces138d | Format::Gdoi2016 => {
                if line::is_letters(first.bytes) {
                    let found = quote(&word(first));
                    self.case_fault(first.column, format!("found {found}: expected n and m, a row too many?"));
                    self.cases -= 1;
                    return;
                }
                let rows = self.case_number(first, "n, the number of rows", 1, most);
                let columns = match line.tokens.get(1) {
                    Some(second) => self.case_number(second, "m, the number of columns", 1, most),
                    None => {
                        self.case_fault(line.end(), "m, the number of columns, is missing".into());
                        None
                    }
                };
                self.only(line, 2, "n and m");
                self.stage = match rows {
                    Some(rows) => Stage::Rows { done: 0, rows, columns },
                    // How many rows follow is not known: as many as look like rows.
                    None => Stage::Rows { done: 0, rows: u64::MAX, columns },
                };
                return;
            }
            Format::LuoguP2599 => {
                let count = self.case_number(first, "n, the number of piles", 1, most);
                self.only(line, 1, "n");
                self.stage = Stage::Piles { count };
                return;
            }
        }
        self.stage = self.next_stage();
    }

    fn row(&mut self, line: &Line<'_>, first: &Token<'_>, done: u64, rows: u64, columns: Option<u64>) {
        if line::is_number(first.bytes) {
            // The next case stands where a row should.
            if rows != u64::MAX {
                self.case_fault(first.column, format!("row {} of {rows} is missing", done + 1));
            }
            self.stage = self.next_stage();
            self.line(line);
            return;
        }
        let length = first.bytes.len() as u64;
        let row = if rows == u64::MAX { format!("row {}", done + 1) } else { format!("row {} of {rows}", done + 1) };
        if let Some(columns) = columns.filter(|&columns| columns != length) {
            self.case_fault(first.column, darkraft::bad_length(&row, length, columns));
        }
        let is_letter = |byte: &u8| matches!(byte, b'L' | b'R' | b'X');
        if let Some(at) = first.bytes.iter().position(|byte| !is_letter(byte)) {
            self.case_fault(first.column + at as u64, darkraft::bad_letter(&row, first.bytes, at, length));
        }
        self.only(line, 1, "a row");
        self.stage = match done + 1 == rows {
            true => self.next_stage(),
            false => Stage::Rows { done: done + 1, rows, columns },
        };
    }

    fn piles(&mut self, line: &Line<'_>, count: Option<u64>) {
        let found = line.tokens.len() as u64;
        if let Some(count) = count.filter(|&count| count != found) {
            let found = self::count(found, "pile");
            self.case_fault(line.tokens[0].column, format!("the line has {found}: expected {count}"));
        }
        for (pile, number) in line.tokens.iter().zip(1..) {
            self.case_number(pile, &format!("pile {number}"), 1, LARGEST_PILE);
        }
        self.stage = self.next_stage();
    }

    fn cells(&mut self, token: &Token<'_>, most: u64) {
        let length = token.bytes.len() as u64;
        if !(3..=most).contains(&length) {
            let size = count(length, "cell");
            self.case_fault(token.column, format!("a board of {size}: the statement has 3 to {most}"));
        }
        if let Some(at) = token.bytes.iter().position(|byte| !matches!(byte, b'.' | b'X')) {
            self.case_fault(token.column + at as u64, message::cell(at as u64 + 1, token.bytes, at, &CELLS));
        } else if let Some(at) = token.bytes.windows(3).position(|three| three == b"XXX") {
            let message = format!("the game is already over: XXX at cells {}, {} and {}", at + 1, at + 2, at + 3);
            self.case_fault(token.column + at as u64, message);
        }
    }

    fn case_number(&mut self, token: &Token<'_>, what: &str, least: u64, most: u64) -> Option<u64> {
        let found = line::number(token.bytes, what, least, most);
        if let Some(message) = found.message {
            self.case_fault(token.column, message);
        }
        found.value
    }

    fn number(&mut self, token: &Token<'_>, what: &str, least: u64, most: u64) -> Option<u64> {
        let found = line::number(token.bytes, what, least, most);
        if let Some(message) = found.message {
            self.fault(token.column, message);
        }
        found.value
    }

    /// Nothing may stand behind the first tokens.
    fn only(&mut self, line: &Line<'_>, tokens: usize, what: &str) {
        if let Some(more) = line.tokens.get(tokens) {
            let found = quote(&word(more));
            self.fault(more.column, format!("found {found} behind {what}: the statement has a line for {what} alone"));
        }
    }

    fn next_stage(&self) -> Stage {
        let total = if let Cases::One = self.format.cases() { Some(1) } else { self.total };
        if total == Some(self.cases) { Stage::Over { told: false } } else { Stage::Case }
    }

    /// The end of the file, at the beginning of a line that is not there.
    fn end(&mut self) {
        match (self.stage, self.format.cases()) {
            (Stage::Total, _) => self.fault(1, "the file is empty: expected T, the number of cases".into()),
            (Stage::Rows { done, rows, .. }, _) if rows != u64::MAX => {
                self.case_fault(1, format!("row {} of {rows} is missing: the file ends", done + 1));
            }
            (Stage::Piles { .. }, _) => self.case_fault(1, "the line of piles is missing: the file ends".into()),
            (Stage::Case, Cases::One) if self.cases == 0 => {
                self.fault(1, "the file is empty: expected n and m, and n rows of m letters".into());
            }
            (Stage::Case, Cases::UntilTheEnd) if self.cases == 0 => self.fault(1, "the file has no case".into()),
            _ => {}
        }
        if let Some(total) = self.total.filter(|&total| total > self.cases) {
            self.lay(1, None, format!("T is {total}, but the file ends after {}", count(self.cases, "case")));
        }
    }
}

fn word(token: &Token<'_>) -> Word {
    Word { head: token.bytes[..token.bytes.len().min(32)].to_vec().into(), length: token.bytes.len() as u64 }
}
