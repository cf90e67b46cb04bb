//! The client as a process, and input files for it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;

/// No run of these tests takes as long as this; a hang becomes a failure.
const LONGEST_RUN: Duration = Duration::from_secs(60);

/// `sprague`, without the environment of whoever runs the tests.
pub fn sprague(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("sprague").expect("the binary is built with the tests");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SPRAGUE")) {
        command.env_remove(name);
    }
    for name in ["COLUMNS", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.env("RUST_BACKTRACE", "0").timeout(LONGEST_RUN).args(arguments);
    command
}

/// A shell's command line, in which `"$0" "$@"` is `sprague` with arguments.
pub fn shell(script: &str, arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("bash");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SPRAGUE")) {
        command.env_remove(name);
    }
    command.env("RUST_BACKTRACE", "0");
    command.args(["-c", script]).arg(assert_cmd::cargo::cargo_bin("sprague")).args(arguments);
    command
}

/// What a run came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn run(arguments: &[&str], input: &str) -> Run {
    sprague(arguments).write_stdin(input).output().expect("the binary runs").into()
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A uva10561 file of rows of different lengths, so that each answer is in its own place only.
pub fn rows(count: usize) -> String {
    let mut text = format!("{count}\n");
    for number in 0..count {
        let _infallible = writeln!(text, "{}", ".".repeat(3 + number % 50));
    }
    text
}

/// The same file's answers, from a run without a network.
pub fn answers(input: &str) -> String {
    let done = run(&["solve", "-f", "uva10561"], input);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    done.out
}

/// The names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
