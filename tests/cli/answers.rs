//! Good and bad files, answered by the real binary with nothing else running.

use std::fs;
use std::path::{Path, PathBuf};

use sprague::judge::Format;

use super::command::{Run, answers, rows, run, sprague};

/// The input files of a format under tests/FOLDER.
fn inputs(folder: &str, format: Format) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join(format.name());
    let mut inputs: Vec<_> = fs::read_dir(folder)
        .expect("every format has its folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "in"))
        .collect();
    inputs.sort();
    inputs
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_judge_file_is_answered_byte_for_byte() {
    for format in Format::ALL {
        for path in inputs("cases", format) {
            let done = Run::from(sprague(&["solve", "-f", format.name()]).arg(&path).output().expect("runs"));
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", path.display());
            assert!(done.out == read(&path.with_extension("out")), "{}", path.display());
        }
    }
}

#[test]
fn every_bad_file_is_named_with_its_place_and_its_good_cases_are_answered() {
    for format in Format::ALL {
        for path in inputs("bad_input", format) {
            let name = path.file_name().expect("a file").to_string_lossy();
            if name.starts_with("small-server-") {
                continue;
            }
            let strict = if name.starts_with("strict-") { &["--strict"][..] } else { &[] };
            let mut command = sprague(&["solve", "--keep-going", "-f", format.name()]);
            let done = Run::from(command.args(strict).arg(&path).output().expect("runs"));
            let shown = path.display();
            let expected = read(&path.with_extension("err"));
            let faults: String = expected.lines().map(|line| format!("{shown}:{line}\n")).collect();
            let answers = read(&path.with_extension("out"));
            let nothing =
                if faults.is_empty() && answers.is_empty() { format!("{shown}: 0 cases\n") } else { "".into() };
            assert_eq!(done.err, faults + &nothing);
            assert_eq!(done.out, answers, "{shown}");
            assert_eq!(done.code, Some(if expected.is_empty() { 0 } else { 65 }), "{shown}");
        }
    }
}

#[test]
fn a_bad_case_ends_the_run_behind_the_answers_before_it() {
    // Case 700 is bad, in a batch of its own; what stands behind it is bad too, and is not looked at.
    let good = rows(2000);
    let mut lines: Vec<&str> = good.lines().collect();
    lines[700] = "..?";
    lines[1900] = "XXX";
    let done = run(&["solve", "-f", "uva10561", "--batch-bytes", "500"], &(lines.join("\n") + "\n"));
    assert_eq!(done.code, Some(65));
    assert!(done.err.starts_with("-:701:3: case 700: cell 3 is '?'"), "{}", done.err);
    assert_eq!(done.err.lines().count(), 1);
    let before: String = answers(&good).lines().take(2 * 699).map(|line| format!("{line}\n")).collect();
    assert_eq!(done.out, before);
}

#[test]
fn with_keep_going_bad_cases_lose_their_own_answers_only() {
    let good = rows(2000);
    let mut lines: Vec<&str> = good.lines().collect();
    let bad = [1, 2, 700, 1999, 2000];
    for case in bad {
        lines[case] = "....x";
    }
    let done = run(&["solve", "-f", "uva10561", "--keep-going", "--batch-bytes", "500"], &lines.join("\n"));
    assert_eq!(done.code, Some(65));
    let named: Vec<String> =
        bad.iter().map(|case| format!("-:{}:5: case {case}: cell 5 is 'x': use 'X'", case + 1)).collect();
    assert_eq!(done.err.lines().collect::<Vec<_>>(), named);
    let right = answers(&good);
    let right: Vec<&str> = right.lines().collect();
    let expected: String = right
        .chunks(2)
        .enumerate()
        .map(|(n, pair)| if bad.contains(&(n + 1)) { "ERROR\n".into() } else { format!("{}\n{}\n", pair[0], pair[1]) })
        .collect();
    assert!(done.out == expected);
}

#[test]
fn whatever_the_size_of_batches_and_the_number_of_connections_the_answers_are_the_same() {
    let input = rows(3000);
    let right = answers(&input);
    for more in [["--batch-bytes", "1"], ["--batch-bytes", "100"], ["--batch-bytes", "16MiB"], ["--connections", "5"]] {
        let mut arguments = vec!["solve", "-f", "uva10561"];
        arguments.extend(more);
        let done = run(&arguments, &input);
        assert_eq!((done.code, done.out == right), (Some(0), true), "{more:?}");
    }
}

#[test]
fn a_line_at_a_time_is_answered_at_once() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sprague"))
        .args(["solve", "-f", "poj3537"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    for (length, answer) in [(3, "1\n"), (6, "2\n"), (12, "2\n"), (13, "1\n")] {
        // A length is over when white space follows.
        writeln!(input, "{length}").expect("writes");
        let mut line = String::new();
        answers.read_line(&mut line).expect("reads");
        assert_eq!(line, answer, "{length}");
    }
    drop(input);
    assert!(child.wait().expect("ends").success());
}
