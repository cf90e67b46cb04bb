//! A file against its judge's statement: limits, counts and the exact layout, every fault with its place. Nothing is solved.

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::RangeInclusive;

use super::darkraft;
use super::description::{BoardWords, Cases, Description, Element, line_in_words};
use super::diagnostic::{Diagnostic, Kind, Place};
use super::format::Format;
use super::letters::{CellLetters, GridLetters};
use super::line::{self, Line, Token};
use super::text::{Word, quote};
use sprague_games::message::{self, count};

/// As much of a line as is held; the longest that any statement allows has 11,000 bytes.
const LONGEST_LINE: u64 = 64 * 1024;

/// Reads a file to its end and reports every fault, line by line; says how many cases there were. Memory is flat.
///
/// ```
/// let mut faults = Vec::new();
/// let cases = sprague_judge::validate(sprague_judge::Format::POJ3537, &b"3\n 4\n"[..], &mut |fault| faults.push(fault))?;
/// assert_eq!((cases, faults.len()), (2, 1));
/// assert_eq!((faults[0].place.line, faults[0].place.column), (2, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The source's.
pub fn validate(format: Format, source: impl Read, report: &mut dyn FnMut(Diagnostic)) -> io::Result<u64> {
    let mut source = BufReader::with_capacity(256 * 1024, source);
    let mut check = Check {
        format: format.0,
        lines: format.0.case.split(|element| matches!(element, Element::LineEnd)).collect(),
        stage: if let Cases::Count(_) = format.0.cases { Stage::Total } else { Stage::Line(0) },
        total: None,
        cases: 0,
        numbers: Vec::new(),
        place: Place { line: 1, column: 1 },
        is_cut: false,
        report,
    };
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

/// What the next line is to be.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Total,
    /// A line of a case; 0 is its first.
    Line(usize),
    Row(Rows),
    /// After the last case; what follows is told once.
    Over {
        told: bool,
    },
}

/// The rows of a grid.
#[derive(Debug, Clone, Copy)]
struct Rows {
    letters: &'static GridLetters,
    /// Which of the lines of a case they are.
    at: usize,
    done: u64,
    /// How many there are; `u64::MAX` if that is not known.
    rows: u64,
    columns: Option<u64>,
}

struct Check<'a> {
    format: &'static Description,
    /// The lines of a case.
    lines: Vec<&'static [Element]>,
    stage: Stage,
    total: Option<u64>,
    /// Cases that have begun.
    cases: u64,
    /// The numbers of the case, as far as they could be read.
    numbers: Vec<(&'static str, Option<u64>)>,
    place: Place,
    /// Of the line no more than its beginning is held: it is at fault, and all is said of it.
    is_cut: bool,
    report: &'a mut dyn FnMut(Diagnostic),
}

impl Check<'_> {
    fn fault(&mut self, column: u64, message: String) {
        let in_case = matches!(self.stage, Stage::Row(_) | Stage::Line(1..)) && self.cases > 0;
        self.lay(column, in_case.then_some(self.cases), message);
    }

    fn case_fault(&mut self, column: u64, message: String) {
        self.lay(column, Some(self.cases), message);
    }

    fn lay(&mut self, column: u64, case: Option<u64>, message: String) {
        if !self.is_cut {
            let place = Place { column, ..self.place };
            (self.report)(Diagnostic { case, ..Diagnostic::new(Kind::Layout, place, message) });
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
                let any = 1..=u64::MAX;
                let limits = if let Cases::Count(limits) = &self.format.cases { limits } else { &any };
                let found = line::number(first.bytes, "T, the number of cases", limits);
                if let Some(message) = found.message {
                    self.fault(first.column, message);
                }
                self.total = found.value;
                self.only(line, 1, "T");
                self.stage = self.after_case();
            }
            Stage::Line(at) => self.case_line(line, first, at),
            Stage::Row(rows) => self.row(line, first, rows),
            Stage::Over { told: false } => {
                let found = quote(&word(first));
                let message = match self.format.cases {
                    Cases::One { .. } => format!("found {found} after the one case of {}", self.format.name),
                    Cases::Count(_) | Cases::End => format!("found {found} after case {}, the last by T", self.cases),
                };
                self.fault(first.column, message);
                self.stage = Stage::Over { told: true };
            }
            Stage::Over { told: true } => {}
        }
    }

    /// A line of a case that is no row of a grid.
    fn case_line(&mut self, line: &Line<'_>, first: &Token<'_>, at: usize) {
        let elements = self.lines[at];
        if at == 0 {
            self.cases += 1;
            self.numbers.clear();
            if let BoardWords::Grid { letters, .. } = self.format.board()
                && first.bytes.iter().all(|byte| letters.has(byte))
            {
                let (found, expected) = (quote(&word(first)), line_in_words(elements));
                self.case_fault(first.column, format!("found {found}: expected {expected}, a row too many?"));
                self.cases -= 1;
                return;
            }
        }
        for (element, taken) in elements.iter().zip(0..) {
            let token = line.tokens.get(taken);
            let is_missing = |what: &str| format!("{what}, is missing");
            match (element, token) {
                (Element::LineEnd, _) => {}
                (Element::Number(number), Some(token)) => {
                    let value = self.case_number(token, self.format.named(number), &number.limits);
                    self.numbers.push((number.name, value));
                }
                (Element::Number(number), None) => {
                    self.case_fault(line.end(), is_missing(&self.format.named(number)));
                    self.numbers.push((number.name, None));
                }
                (Element::Board(BoardWords::Cells { letters, limits }), Some(token)) => {
                    self.cells(token, letters, limits);
                }
                (Element::Board(BoardWords::Length(length)), Some(token)) => {
                    self.case_number(token, self.format.named(length), &length.limits);
                }
                (Element::Board(BoardWords::Cells { .. } | BoardWords::Length(_)), None) => {
                    self.case_fault(line.end(), is_missing(&line_in_words(elements)));
                }
                (Element::Board(BoardWords::Piles { count, limits }), _) => {
                    self.piles(line, taken, self.value(count), limits);
                    // They take the rest of the line.
                    self.stage = self.after_line(at);
                    return;
                }
                // Its rows are lines of their own.
                (Element::Board(BoardWords::Grid { .. }), _) => {}
            }
        }
        self.only(line, elements.len(), &line_in_words(elements));
        self.stage = self.after_line(at);
    }

    fn row(&mut self, line: &Line<'_>, first: &Token<'_>, all: Rows) {
        let Rows { letters, at, done, rows, columns } = all;
        if line::is_number(first.bytes) {
            // The next case stands where a row should.
            if rows != u64::MAX {
                self.case_fault(first.column, format!("row {} of {rows} is missing", done + 1));
            }
            self.stage = self.after_line(at);
            self.line(line);
            return;
        }
        let length = first.bytes.len() as u64;
        let row = if rows == u64::MAX { format!("row {}", done + 1) } else { format!("row {} of {rows}", done + 1) };
        if let Some(columns) = columns.filter(|&columns| columns != length) {
            self.case_fault(first.column, darkraft::bad_length(&row, length, columns));
        }
        if let Some(bad) = first.bytes.iter().position(|byte| !letters.has(byte)) {
            let message = darkraft::bad_letter(&row, letters, first.bytes, bad, length);
            self.case_fault(first.column + bad as u64, message);
        }
        self.only(line, 1, "a row");
        self.stage = match done + 1 == rows {
            true => self.after_line(at),
            false => Stage::Row(Rows { done: done + 1, ..all }),
        };
    }

    /// The piles behind so many words of a line.
    fn piles(&mut self, line: &Line<'_>, taken: usize, count: Option<u64>, limits: &RangeInclusive<u64>) {
        let piles = &line.tokens[taken.min(line.tokens.len())..];
        let found = piles.len() as u64;
        if let Some(count) = count.filter(|&count| count != found) {
            let found = self::count(found, "pile");
            let column = piles.first().map_or(line.end(), |pile| pile.column);
            self.case_fault(column, format!("the line has {found}: expected {count}"));
        }
        for (pile, number) in piles.iter().zip(1..) {
            self.case_number(pile, format_args!("pile {number}"), limits);
        }
    }

    fn cells(&mut self, token: &Token<'_>, letters: &CellLetters, limits: &RangeInclusive<u64>) {
        let length = token.bytes.len() as u64;
        if !limits.contains(&length) {
            let (size, least, most) = (count(length, "cell"), limits.start(), limits.end());
            self.case_fault(token.column, format!("a board of {size}: the statement has {least} to {most}"));
        }
        let is_letter = |&byte: &u8| byte == letters.empty || byte == letters.taken;
        if let Some(at) = token.bytes.iter().position(|byte| !is_letter(byte)) {
            self.case_fault(token.column + at as u64, message::cell(at as u64 + 1, token.bytes, at, &letters.all()));
        } else if let Some(at) = token.bytes.windows(3).position(|three| three == [letters.taken; 3]) {
            let message = format!("the game is already over: XXX at cells {}, {} and {}", at + 1, at + 2, at + 3);
            self.case_fault(token.column + at as u64, message);
        }
    }

    fn case_number(&mut self, token: &Token<'_>, what: impl Display, limits: &RangeInclusive<u64>) -> Option<u64> {
        let found = line::number(token.bytes, what, limits);
        if let Some(message) = found.message {
            self.case_fault(token.column, message);
        }
        found.value
    }

    /// The value of a number of the case, if it could be read.
    fn value(&self, name: &str) -> Option<u64> {
        self.numbers.iter().find(|(number, _)| *number == name).and_then(|(_, value)| *value)
    }

    /// Nothing may stand behind the first tokens.
    fn only(&mut self, line: &Line<'_>, tokens: usize, what: &str) {
        if let Some(more) = line.tokens.get(tokens) {
            let found = quote(&word(more));
            self.fault(more.column, format!("found {found} behind {what}: the statement has a line for {what} alone"));
        }
    }

    /// What follows a line of a case.
    fn after_line(&self, at: usize) -> Stage {
        match self.lines.get(at + 1) {
            None => self.after_case(),
            Some([Element::Board(BoardWords::Grid { rows, columns, letters })]) => Stage::Row(Rows {
                letters,
                at: at + 1,
                done: 0,
                // Where it is not known how many follow: as many as look like rows.
                rows: self.value(rows).unwrap_or(u64::MAX),
                columns: self.value(columns),
            }),
            Some(_) => Stage::Line(at + 1),
        }
    }

    fn after_case(&self) -> Stage {
        let total = if let Cases::One { .. } = self.format.cases { Some(1) } else { self.total };
        if total == Some(self.cases) { Stage::Over { told: false } } else { Stage::Line(0) }
    }

    /// The end of the file, at the beginning of a line that is not there.
    fn end(&mut self) {
        match (self.stage, &self.format.cases) {
            (Stage::Total, _) => self.fault(1, "the file is empty: expected T, the number of cases".into()),
            (Stage::Row(Rows { done, rows, .. }), _) if rows != u64::MAX => {
                self.case_fault(1, format!("row {} of {rows} is missing: the file ends", done + 1));
            }
            (Stage::Line(at @ 1..), _) => {
                let what = line_in_words(self.lines[at]);
                self.case_fault(1, format!("the line of {what} is missing: the file ends"));
            }
            (Stage::Line(0), Cases::One { .. }) if self.cases == 0 => {
                let expected = self.format.case_in_words();
                self.fault(1, format!("the file is empty: expected {expected}"));
            }
            (Stage::Line(0), Cases::End) if self.cases == 0 => self.fault(1, "the file has no case".into()),
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
