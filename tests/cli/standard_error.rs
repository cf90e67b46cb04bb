//! Standard error is a convenience: closed, full, left or not read, it changes no answer and no exit code.

use std::fs::{self, File};
use std::io::{PipeReader, Write as _, pipe};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use super::command::{names, shell, sprague};

/// What a pipe holds.
const PIPE: usize = 64 * 1024;

/// A standard error at fault.
#[derive(Debug, Clone, Copy)]
enum Sink {
    Closed,
    Full,
    Left,
    NotRead,
}

const SINKS: [Sink; 4] = [Sink::Closed, Sink::Full, Sink::Left, Sink::NotRead];

/// Runs in a folder with such a standard error.
fn run_with(sink: Sink, folder: &Path, arguments: &[&str]) -> Output {
    let script = if matches!(sink, Sink::Closed) { r#"exec "$0" "$@" 2>&-"# } else { r#"exec "$0" "$@""# };
    let mut command = shell(script, arguments);
    let mut held: Option<PipeReader> = None;
    let stderr: Stdio = match sink {
        Sink::Closed => Stdio::null(),
        Sink::Full => File::options().write(true).open("/dev/full").unwrap().into(),
        Sink::Left => pipe().unwrap().1.into(),
        Sink::NotRead => {
            let (reader, mut writer) = pipe().unwrap();
            writer.write_all(&[b'.'; PIPE]).unwrap();
            held = Some(reader);
            writer.into()
        }
    };
    let done = command.current_dir(folder).stdin(Stdio::null()).stderr(stderr).output().unwrap();
    drop(held);
    done
}

/// Three good files, and one whose second and third case are bad.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("many")).unwrap();
    for name in ["many/1.in", "many/2.in", "many/3.in", "good"] {
        fs::write(folder.path().join(name), "2\n...\n....\n").unwrap();
    }
    fs::write(folder.path().join("right"), "WINNING\n1 2 3\nWINNING\n2 3\n").unwrap();
    fs::write(folder.path().join("bad"), "3\n...\nabc\nXXX\n").unwrap();
    folder
}

#[test]
fn the_work_is_done_and_the_exit_code_holds_whatever_standard_error_is() {
    for arguments in [
        &["solve", "-f", "uva10561", "many", "-o", "out"][..],
        &["-vv", "solve", "-f", "uva10561", "good", "bad", "--keep-going", "-o", "out"],
        &["solve", "-f", "uva10561", "good", "absent", "bad", "-o", "out"],
        &["solve", "-f", "uva10561", "bad"],
        &["solve", "-f", "uva10561", "--server", "127.0.0.1:1", "--retry-for", "100ms", "good"],
        &["-v", "solve", "-f", "uva10561", "-"],
        &["generate", "-f", "uva10561", "--cases", "2", "-d", "out"],
        &["validate", "-f", "uva10561", "bad", "good"],
        &["check", "-f", "uva10561", "good", "right"],
        &["check", "-f", "uva10561", "good", "bad"],
        &["check", "-f", "uva10561", "bad", "right"],
        &["explain", "treblecross", "....."],
        &["explain", "treblecross", "abc"],
        &["-vv", "info"],
        &["formats"],
        &["man"],
        &["completions", "bash"],
        &["--version"],
        &["solve", "--help"],
        &["solve"],
        &["--nonsense"],
    ] {
        let right_folder = folder();
        let right = sprague(arguments).current_dir(right_folder.path()).output().unwrap();
        for sink in SINKS {
            let folder = folder();
            let done = run_with(sink, folder.path(), arguments);
            assert_eq!(done.status.code(), right.status.code(), "{sink:?}: {arguments:?}");
            assert!(done.stdout == right.stdout, "{sink:?}: {arguments:?}");
            assert_eq!(names(folder.path()), names(right_folder.path()), "{sink:?}: {arguments:?}");
            let out = folder.path().join("out");
            for name in if out.exists() { names(&out) } else { Vec::new() } {
                let read = |folder: &Path| fs::read(folder.join("out").join(&name)).unwrap();
                assert!(read(folder.path()) == read(right_folder.path()), "{sink:?}: {arguments:?}: {name}");
            }
        }
    }
}

#[test]
fn more_messages_than_a_stopped_reader_has_room_for_cost_no_time() {
    let folder = folder();
    let bad: String = std::iter::once("20000\n".into()).chain((0..20_000).map(|_| "abc\n".to_owned())).collect();
    fs::write(folder.path().join("bad"), bad).unwrap();
    let begun = Instant::now();
    let done = run_with(Sink::NotRead, folder.path(), &["solve", "-f", "uva10561", "--keep-going", "bad"]);
    assert_eq!(done.status.code(), Some(65));
    assert_eq!(done.stdout.len(), 20_000 * "ERROR\n".len());
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_slow_reader_gets_every_message() {
    let folder = folder();
    let bad: String = std::iter::once("20000\n".into()).chain((0..20_000).map(|_| "abc\n".to_owned())).collect();
    fs::write(folder.path().join("bad"), bad).unwrap();
    let done = sprague(&["validate", "-f", "uva10561", "--most", "100000", "bad"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    let lines = String::from_utf8(done.stderr).unwrap().lines().count();
    assert!(lines >= 20_000, "{lines}");
}

#[test]
fn what_cannot_be_printed_is_74_help_and_version_too() {
    let folder = folder();
    for arguments in [
        &["--version"][..],
        &["--help"],
        &["check", "--help"],
        &["help", "solve"],
        &["completions", "zsh"],
        &["man"],
        &["formats"],
        &["info"],
        &["explain", "treblecross", "....."],
        &["check", "-f", "uva10561", "good", "right"],
        &["check", "-f", "uva10561", "good", "bad"],
        &["generate", "-f", "uva10561"],
        &["solve", "-f", "uva10561", "good"],
    ] {
        for sink in ["/dev/full", "|"] {
            let script = if sink == "|" { r#""$0" "$@" | true"# } else { r#"exec "$0" "$@" >/dev/full"# };
            let done = shell(script, arguments).current_dir(folder.path()).output().unwrap();
            let err = String::from_utf8(done.stderr).unwrap();
            if sink == "|" {
                assert_eq!(err, "", "{arguments:?}");
            } else {
                assert_eq!(done.status.code(), Some(74), "{arguments:?}");
                assert_eq!(err.lines().count(), 1, "{arguments:?}: {err}");
                assert!(err.starts_with("sprague: standard output cannot be written: No space left"), "{err}");
            }
        }
    }
}

#[test]
fn progress_is_shown_on_a_terminal_in_the_foreground_that_is_not_dumb() {
    let folder = folder();
    for (term, script, is_shown) in [
        ("xterm", "$0 solve -f uva10561 good -o out", true),
        ("dumb", "$0 solve -f uva10561 good -o out", false),
        ("xterm", "set -m; $0 solve -f uva10561 good -o out & wait", false),
    ] {
        let sprague = assert_cmd::cargo::cargo_bin("sprague");
        let script = script.replace("$0", &sprague.display().to_string());
        let mut command = shell(r#"exec script -qec "$1" /dev/null"#, &[&format!("bash -c '{script}'")]);
        let done = command.current_dir(folder.path()).env("TERM", term).stdin(Stdio::null()).output().unwrap();
        let shown = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{shown}");
        assert_eq!(shown.contains("0 %") && shown.contains("\x1b["), is_shown, "{term}: {script}: {shown:?}");
        assert!(is_shown || !shown.contains('\x1b'), "{term}: {script}: {shown:?}");
        assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "WINNING\n1 2 3\nWINNING\n2 3\n");
        fs::remove_file(folder.path().join("out")).unwrap();
    }
}
