//! Once a line is no answer, the answers behind it are still compared with their own cases; and each fault has its line.

use sprague::judge::Format;

use super::damage::cases;
use super::support::{self, Checker};

/// The line on which each case begins, and where the last ends.
fn lines(cases: &[String]) -> Vec<u64> {
    let mut line = 1;
    let mut begin = |case: &String| (line, line += case.matches('\n').count() as u64).0;
    let mut lines: Vec<u64> = cases.iter().map(&mut begin).collect();
    lines.push(line);
    lines
}

/// Which cases of a file are damaged: the first, the last, and some between.
fn damaged(cases: usize) -> impl Iterator<Item = usize> {
    (0..cases).step_by((cases / 5).max(1)).chain([cases - 1])
}

#[test]
fn a_line_that_is_no_answer_costs_one_case_and_no_other() {
    let checker = Checker::new();
    for format in Format::ALL {
        for (name, input, right) in support::files(format) {
            let cases = cases(format, &right);
            for at in damaged(cases.len()) {
                let (before, this, behind) = (cases[..at].concat(), &cases[at], cases[at + 1..].concat());
                for (what, text) in [
                    ("a line before", format!("{before}hello\n{this}{behind}")),
                    ("words before", format!("{before}debug: x = 3\n{this}{behind}")),
                    ("two lines before", format!("{before}hello\nworld\n{this}{behind}")),
                    ("a garbled line", format!("{before}??\n{behind}")),
                    ("words in place", format!("{before}the answer is\n{behind}")),
                ] {
                    let (report, findings) = checker.check(format, &input, text.as_bytes());
                    let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
                    assert_eq!((report.wrong, report.presentation), (1, 0), "{what}, {name}, {at}: {shown:#?}");
                    let place = (findings[0].case, findings[0].place.line);
                    assert_eq!(place, (Some(at as u64 + 1), lines(&cases)[at]), "{what}, {name}: {shown:?}");
                }
            }
        }
    }
}

#[test]
fn a_line_before_every_answer_is_named_in_every_case() {
    let checker = Checker::new();
    for format in Format::ALL {
        for (name, input, right) in support::files(format) {
            let cases = cases(format, &right);
            if cases.len() > 2000 {
                continue;
            }
            let text: String = cases.iter().map(|case| format!("solving...\n{case}")).collect();
            let (report, findings) = checker.check(format, &input, text.as_bytes());
            assert_eq!(report.wrong, cases.len() as u64, "{name}");
            assert!(findings.iter().all(|found| found.message.ends_with("the answer behind it is right")), "{name}");
        }
    }
}

/// Answers, and the findings by line, case and a part of their message.
type Told<'a> = (Format, &'a str, &'a str, &'a [(u64, u64, &'a str)]);

#[test]
fn faults_are_named_where_they_stand() {
    let uva = "3\n...\n......\n.XX.\n";
    let light = "4\n...\n......\n.XX.\n...\n";
    let grids = "1 1\nX\n2 2\nXL\nLR\n1 2\nXX\n";
    let table: &[Told] = &[
        (Format::UVA10561, uva, "WINNING\n1 2 3\nLOSING\n\nWINNING\n1 4\n", &[]),
        // The positions' line, whatever is the matter with it.
        (
            Format::UVA10561,
            uva,
            "WINNING\n1 2 3 4\nLOSING\n\nWINNING\n1 4\n",
            &[(2, 1, "position 4 is not on the board")],
        ),
        (Format::UVA10561, uva, "WINNING\n1 2 3\nLOSING\n\nWINNING\n1 3 4\n", &[(6, 3, "position 3 is taken")]),
        (Format::UVA10561, uva, "WINNING\n1 2 3\nLOSING\n\nWINNING\n1\n", &[(6, 3, "4 is missing")]),
        (Format::UVA10561, uva, "WINNING\n1 2 x\nLOSING\n\nWINNING\n1 4\n", &[(2, 1, "\"x\" is no answer")]),
        (Format::UVA10561, uva, "WINNING\nx y\nLOSING\n\nWINNING\n1 4\n", &[(2, 1, "\"x\" is no answer")]),
        (Format::UVA10561, uva, "WINNING\n3 2 1\nLOSING\n\nWINNING\n1 4\n", &[(2, 1, "3 stands before 2")]),
        (Format::UVA10561, uva, "WINNING\n1\n2\n9\nLOSING\n\nWINNING\n1 4\n", &[(4, 1, "position 9 is not on")]),
        // The word that says who wins.
        (Format::UVA10561, uva, "LOSING\n\nLOSING\n\nWINNING\n1 4\n", &[(1, 1, "printed LOSING")]),
        (Format::UVA10561, uva, "WINNING\n1 2 3\nWINNING\n1\nWINNING\n1 4\n", &[(4, 2, "1 loses: the reply ")]),
        (Format::UVA10561, uva, "WINNING\n1 2 3\nWINING\n\nWINNING\n1 4\n", &[(3, 2, "\"WINING\" is no answer")]),
        // Layout: where the first byte is another.
        (Format::UVA10561, uva, "WINNING\n1 2 3\nLOSING\nWINNING\n1 4\n", &[(4, 2, "empty line after LOSING")]),
        (Format::UVA10561, uva, "WINNING\n1 2 3 \nLOSING\n\nWINNING\n1 4\n", &[(2, 1, "blanks at the end")]),
        (
            Format::UVA10561,
            uva,
            "WINNING\n1 2 3\n\nLOSING\n\nWINNING\n1 4",
            &[(3, 2, "there is white space before the answer"), (7, 3, "the newline at the end")],
        ),
        // A line between answers, and one in the place of the empty line.
        (Format::UVA10561, uva, "WINNING\n1 2 3\nhello\nLOSING\n\nWINNING\n1 4\n", &[(3, 2, "\"hello\" is no answer")]),
        (Format::UVA10561, uva, "WINNING\n1 2 3\nLOSING\n\nhello\nWINNING\n1 4\n", &[(5, 3, "\"hello\" is no answer")]),
        (Format::UVA10561, uva, "WINNING\n1 2 3\nLOSING\nhello\nWINNING\n1 4\n", &[(4, 2, "\"hello\" is no answer")]),
        (
            Format::UVA10561,
            uva,
            "WINNING\n1 2 3\nhello\nLOSING\n\nWINNING\n1\n",
            &[
                (
                    3,
                    2,
                    "\"hello\" is no answer: expected WINNING or LOSING, and positions; the answer behind it is right",
                ),
                (7, 3, "4 is missing"),
            ],
        ),
        (
            Format::UVA10561,
            uva,
            "hello\nWINNING\n1 2\nLOSING\n\nWINNING\n1 4\n",
            &[(1, 1, "behind it, on line 3: printed 1 2, right is 1 2 3")],
        ),
        // Numbers that tell which case is meant.
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2 3\nCase 1: 0\nCase 3: 1 4\nCase 4: 1 2 3\n",
            &[(2, 2, "\"Case 1:\" is no")],
        ),
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2 3\nCase x: 0\nCase 3: 1 4\nCase 4: 1 2 3\n",
            &[(2, 2, "\"Case x:\" is no")],
        ),
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2 3\nCase 99: 0\nCase 3: 1 4\nCase 4: 1 2 3\n",
            &[(2, 2, "\"Case 99:\" is no")],
        ),
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2 3\nCase 2: 0\nCase 3: 1 4\nCase 99: 1 2 3\n",
            &[(4, 4, "\"Case 99:\" is no")],
        ),
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2 3\nCase 1: 1 2 3\nCase 2: 0\nCase 3: 1 4\nCase 4: 1 2 3\n",
            &[(2, 2, "\"Case 1:\" is no answer: expected Case 2: and positions, or 0; the answer behind it is right")],
        ),
        (Format::LIGHTOJ1229, light, "Case 1: 1 2 3\nCase 3: 1 4\nCase 4: 1 2 3\n", &[(2, 2, "the one of case 3")]),
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2\nx\nCase 2: 0\nCase 3: 1 4\nCase 4: 1 2 3\n",
            &[(1, 1, "3 is missing"), (2, 2, "\"x\" is no answer")],
        ),
        // Program that never counts on.
        (
            Format::LIGHTOJ1229,
            light,
            "Case 1: 1 2 3\nCase 1: 0\nCase 1: 1 4\nCase 1: 1 2 3\n",
            &[(2, 2, "\"Case 1:\" is no"), (3, 3, "\"Case 1:\" is no"), (4, 4, "\"Case 1:\" is no")],
        ),
        // A line is an answer; several answers on a line are carelessness.
        (Format::GDOI2016, grids, "WIN\nI think WIN\nLOSE\n", &[(2, 2, "\"I\" is no answer: expected WIN or LOSE")]),
        (Format::GDOI2016, grids, "WIN WIN LOSE\n", &[(1, 1, ""), (1, 2, "")]),
        (Format::GDOI2016, grids, "WIN\nWIN\n", &[(3, 3, "the file ends after 2 answers")]),
        (Format::GDOI2016, grids, "WIN\n", &[(2, 2, "the file ends after 1 answer")]),
    ];
    let checker = Checker::new();
    for (format, input, answers, told) in table {
        let (_, findings) = checker.check(*format, input, answers.as_bytes());
        let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(findings.len(), told.len(), "{answers}: {shown:#?}");
        for (found, (line, case, message)) in findings.iter().zip(*told) {
            assert_eq!((found.place.line, found.case), (*line, Some(*case)), "{answers}: {shown:#?}");
            assert!(found.message.contains(message), "{answers}: {shown:#?}");
        }
    }
}

#[test]
fn a_long_file_is_in_step_again_after_a_stray_line() {
    let checker = Checker::new();
    // Few of them are lost, so that many answers in a row are alike.
    let boards = 5000;
    let pile = |at: u64| if at.is_multiple_of(997) { "2\n7 7\n" } else { "2\n7 8\n" };
    let input = format!("{boards}\n{}", (0..boards).map(pile).collect::<String>());
    let right: Vec<&str> = (0..boards).map(|at| if at.is_multiple_of(997) { "0\n" } else { "1\n" }).collect();
    for (at, replaced) in [(0, 0), (3000, 0), (3000, 1), (4999, 0), (4999, 1)] {
        let text = [&right[..at], &["oops\n"], &right[at + replaced..]].concat();
        let (report, findings) = checker.check(Format::LUOGU_P2599, &input, text.concat().as_bytes());
        assert_eq!((report.cases, report.wrong, findings[0].case), (boards, 1, Some(at as u64 + 1)), "{findings:?}");
        // A wrong answer further on is one of its own case.
        if at < 4000 {
            let mut text = text;
            text[4500 - replaced + 1] = "0\n";
            let (_, findings) = checker.check(Format::LUOGU_P2599, &input, text.concat().as_bytes());
            let cases: Vec<_> = findings.iter().map(|found| found.case.unwrap()).collect();
            assert_eq!(cases, [at as u64 + 1, 4501], "{findings:?}");
        }
    }
}
