//! Answer files that are too large to be one: little of them is read, what is said of them is true, and nothing hides in them.

use std::io::{self, Read as _};

use sprague::judge::Format;

use super::damage::cases;
use super::support::{self, Checker};

const TOO_LONG: &str = "longer than any answer could be";

/// A text over and over, without end.
struct Endless {
    text: &'static [u8],
    at: usize,
}

impl io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.text[self.at];
            self.at = (self.at + 1) % self.text.len();
        }
        Ok(buffer.len())
    }
}

#[test]
fn of_a_file_without_end_little_is_read() {
    let checker = Checker::new();
    for format in Format::ALL {
        let (name, input, _) = support::files(format).into_iter().min_by_key(|(_, input, _)| input.len()).unwrap();
        for text in ["x", "7", "\n", " ", "foo bar\n", "7\n", "x y ", "WINNING\n", "Case 1:\n", "Case x:\n1\n"] {
            let mut answers = Endless { text: text.as_bytes(), at: 0 }.take(16 << 20);
            let (_, findings) = checker.check(format, &input, &mut answers);
            let left = answers.limit();
            let last = findings.last().expect("no such file is right");
            assert!(left > 0, "{text:?}, {name}: all is read; {last}");
            // Short answers may come to an end before the text gets long.
            assert!(last.message.contains(TOO_LONG) || last.message.contains("found "), "{text:?}, {name}: {last}");
        }
    }
}

#[test]
fn nothing_hides_behind_much_white_space() {
    let checker = Checker::new();
    for format in Format::ALL {
        for (name, input, right) in support::files(format) {
            let cases = cases(format, &right);
            let (before, last) = right.split_at(right.len() - cases.last().expect("a case").len());
            for blank in ["\n", " ", "\r\n"] {
                let blanks = blank.repeat(300_000);
                let (report, findings) = checker.check(format, &input, format!("{right}{blanks}").as_bytes());
                assert_eq!((report.wrong, report.presentation), (0, 1), "{name}: {findings:?}");
                let (report, findings) = checker.check(format, &input, format!("{right}{blanks}{last}").as_bytes());
                assert_eq!((report.wrong, findings[0].case), (1, None), "{name}: {findings:?}");
                // So much is no carelessness, and no end of the file either.
                let (report, findings) = checker.check(format, &input, format!("{before}{blanks}{last}").as_bytes());
                let found = findings.last().expect("a finding");
                assert_eq!((report.wrong, found.case), (1, Some(cases.len() as u64)), "{name}: {findings:?}");
                assert!(found.message.contains(TOO_LONG), "{name}: {found}");
            }
        }
    }
}
