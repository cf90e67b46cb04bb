//! Files held to the statement's exact layout.

use std::fs;

use sprague::judge::{self, Format, Options};

use crate::reading::{SIZES, inputs, read_all};

fn faults(format: Format, text: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    judge::validate(format, text, &mut |fault| faults.push(fault.to_string())).unwrap();
    faults
}

#[test]
fn samples_are_as_their_statements_have_them() {
    for format in Format::ALL {
        assert_eq!(faults(format, format.sample().0.as_bytes()), [] as [&str; 0], "{format}");
    }
}

#[test]
fn faults_as_a_table() {
    let one =
        |format, text: &str, fault: &str| assert_eq!(faults(format, text.as_bytes()), [fault], "{format}: {text:?}");
    let cells = Format::LIGHTOJ1229;
    one(cells, "1\n...", "2:4: the file ends without a line end: end the last line too");
    one(cells, "1\n ...\n", "2:1: a blank before the first word");
    one(cells, "1\n... \n", "2:4: a blank at the end of the line");
    one(cells, "1\n...\r\n", "2:4: a carriage return: end lines with a line feed alone");
    one(cells, "01\n...\n", "1:1: a leading zero: write 1");
    one(cells, "+1\n...\n", "1:1: a plus sign: write 1");
    one(cells, "\u{feff}1\n...\n", "1:1: a byte order mark: begin with the text itself");
    one(cells, "1\n...\n\n", "3:1: a blank line: the statement has none");
    one(cells, "1\n.x.\n", "2:2: case 1: cell 2 is 'x': use 'X'");
    one(cells, "1\n.XXX\n", "2:2: case 1: the game is already over: XXX at cells 2, 3 and 4");
    one(cells, "2\n...\n", "3:1: T is 2, but the file ends after 1 case");
    one(cells, "1\n...\n...\n...\n", "3:1: found \"...\" after case 1, the last by T");
    one(cells, "201\n", "1:1: T, the number of cases is 201: the statement has 1 to 200");
    one(cells, "", "1:1: the file is empty: expected T, the number of cases");
    let row = Format::LUOGU_P2599;
    one(row, "1\n2\n3  4\n", "3:2: case 1: several blanks: put one space between words");
    one(row, "1\n2\n3\t4\n", "3:2: case 1: a blank that is no space: put one space between words");
    one(row, "1\n2\n3\n", "3:1: case 1: the line has 1 pile: expected 2");
    one(row, "1\n2\n3 0\n", "3:3: case 1: pile 2 is 0: the statement has 1 to 1000000000");
    one(row, "1\n2\n3 1000000001\n", "3:3: case 1: pile 2 is 1000000001: the statement has 1 to 1000000000");
    one(row, "1\n2 3 4\n3 4\n", "2:3: found \"3\" behind n: the statement has a line for n alone");
    one(row, "1\n2\n", "3:1: case 1: the line of piles is missing: the file ends");
    let grid = Format::GDOI2016;
    one(grid, "2 2\nLR\n", "3:1: case 1: row 2 of 2 is missing: the file ends");
    one(grid, "2 2\nLR\n1 1\nX\n", "3:1: case 1: row 2 of 2 is missing");
    one(grid, "1 2\nLR\nXX\n1 1\nX\n", "3:1: case 2: found \"XX\": expected n and m, a row too many?");
    one(grid, "1 2\nLRX\n", "2:1: case 1: row 1 of 1 is too long: expected 2 letters, found 3");
    one(grid, "1 2\nLl\n", "2:2: case 1: row 1 of 1 has 'l' as letter 2 of 2: use 'L'");
    one(grid, "2 1\nLR\nL\n", "2:1: case 1: row 1 of 2 is too long: expected 1 letter, found 2");
    one(grid, "x 1\nL\n1 1\nL\n", "1:1: case 1: \"x\" is no number: expected n, the number of rows, 1 to 20");
    one(grid, "1\nL\n", "1:2: case 1: m, the number of columns, is missing");
    one(grid, "21 1\n", "1:1: case 1: n, the number of rows is 21: the statement has 1 to 20");
    one(Format::CODEFORCES138D, "1 1\nX\n1 1\nX\n", "3:1: found \"1\" after the one case of codeforces138d");
    one(Format::POJ3537, "2\n", "1:1: case 1: n, the number of cells is 2: the statement has 3 to 2000");
    one(Format::POJ3537, "-3\n", "1:1: case 1: \"-3\" is negative: expected n, the number of cells, 3 to 2000");
    one(cells, "1\n.\n", "2:1: case 1: a board of 1 cell: the statement has 3 to 200");
    one(Format::POJ3537, "seven\n", "1:1: case 1: \"seven\" is no number: expected n, the number of cells, 3 to 2000");
}

#[test]
fn whatever_strict_reading_refuses_validation_refuses() {
    for format in Format::ALL {
        for path in inputs("bad_input", format).into_iter().chain(inputs("cases", format)) {
            let text = fs::read(&path).unwrap();
            let found = read_all(format, Options { strict: true, sizes: SIZES }, &*text);
            let is_refused = found.iter().any(Result::is_err);
            assert!(!is_refused || !faults(format, &text).is_empty(), "{}", path.display());
        }
    }
}

#[test]
fn a_line_without_end_is_not_held() {
    let endless = std::io::Read::take(std::io::repeat(b'.'), 50_000_000);
    let mut faults = Vec::new();
    judge::validate(Format::POJ3537, endless, &mut |fault| faults.push(fault.to_string())).unwrap();
    assert_eq!(faults, ["1:1: the line is longer than 65536 bytes, more than any statement has"]);
}

#[test]
fn of_a_line_that_is_too_long_nothing_more_is_said() {
    let long = ".".repeat(70_000);
    let piles = "3 ".repeat(50_000);
    for (format, text, expected) in [
        (Format::UVA10561, format!("2\n{long}\n..x\n"), &["2:1: ", "3:3: case 2: cell 3 is 'x': use 'X'"][..]),
        (Format::LUOGU_P2599, format!("2\n1000\n{piles}\n1\n0\n"), &["3:1: case 1: ", "5:1: case 2: pile 1 is 0"]),
        (Format::GDOI2016, format!("2 1\n{long}\nx\n"), &["2:1: case 1: ", "3:1: case 1: row 2 of 2 has 'x'"]),
    ] {
        let faults = faults(format, text.as_bytes());
        assert_eq!(faults.len(), expected.len(), "{format}: {faults:?}");
        assert!(faults[0].ends_with("the line is longer than 65536 bytes, more than any statement has"), "{faults:?}");
        assert!(faults.iter().zip(expected).all(|(fault, begins)| fault.starts_with(begins)), "{faults:?}");
    }
}
