//! Outputs that are not files of their own: descriptors by their names, pipes, and files that no other may replace.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use super::command::{Run, names};

const JUDGE_FILE: &str = "1\n.....\n";
const ANSWERS: &str = "WINNING\n3\n";

/// Runs a script in a folder with a judge file, `in`; `sprague` is the client, and `$solve` answers the judge file.
fn script(folder: &Path, text: &str) -> Run {
    fs::write(folder.join("in"), JUDGE_FILE).unwrap();
    let sprague = assert_cmd::cargo::cargo_bin("sprague");
    let prelude = format!("sprague() {{ '{}' \"$@\"; }}\nsolve='sprague solve -f uva10561 in -o'\n", sprague.display());
    let mut command = Command::new("timeout");
    command.args(["60", "bash", "-c", &(prelude + text)]).current_dir(folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SPRAGUE")) {
        command.env_remove(name);
    }
    command.output().unwrap().into()
}

#[test]
fn a_descriptor_is_written_behind_what_was_written_before_under_each_of_its_names() {
    let folder = tempfile::tempdir().unwrap();
    for (text, log) in [
        ("{ echo before; $solve /dev/stdout; echo after; } >log", "log"),
        ("{ echo before; $solve -; echo after; } >log", "log"),
        ("{ echo before; $solve /dev/fd/1; echo after; } >log", "log"),
        ("{ echo before; $solve /proc/self/fd/1; echo after; } >log", "log"),
        ("ln -sf /dev/stdout link; { echo before; $solve link; echo after; } >log; test -L link", "log"),
        ("{ echo before; $solve /dev/stderr; echo after; } >log 2>&1", "log"),
        ("{ echo before >&3; $solve /dev/fd/3; echo after >&3; } 3>log", "log"),
        ("{ echo before >&3; $solve /proc/$$/fd/3; echo after >&3; } 3>log", "log"),
        ("echo before >log; $solve /dev/stdout >>log; echo after >>log", "log"),
    ] {
        let done = script(folder.path(), text);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{text}");
        let written = fs::read_to_string(folder.path().join(log)).unwrap();
        assert_eq!(written, format!("before\n{ANSWERS}after\n"), "{text}");
    }
}

#[test]
fn pipes_and_pictures_go_through_descriptors_too() {
    let folder = tempfile::tempdir().unwrap();
    for (text, out) in [
        ("$solve /dev/stdout | cat", ANSWERS),
        ("$solve >(cat); wait $!", ANSWERS),
        ("mkfifo pipe; cat pipe & $solve pipe; wait; test -p pipe", ANSWERS),
        ("sprague explain treblecross ... --svg /dev/stdout | head -c 5", "<svg "),
        ("sprague explain treblecross ... --svg /dev/fd/3 3>&1 >text | head -c 5; head -c 11 text", "<svg treblecross"),
        ("sprague generate -f poj3537 --cases 9 -o /dev/stdout --answers answers | wc -l; wc -l <answers", "9\n9\n"),
    ] {
        let done = script(folder.path(), text);
        assert_eq!((done.code, done.err.as_str(), done.out.as_str()), (Some(0), "", out), "{text}");
    }
}

#[test]
fn what_is_not_open_for_writing_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    for (text, message) in [
        ("$solve /dev/fd/3 3<&-", "/dev/fd/3 cannot be written: it is not open"),
        ("sprague generate -f poj3537 -o x --answers /dev/fd/3 3<&-", "/dev/fd/3 cannot be written: it is not open"),
        ("$solve /dev/stdin </dev/null", "/dev/stdin cannot be written: it is open for reading only"),
        ("$solve /dev/stdout 1</dev/null", "standard output cannot be written: it is open for reading only"),
        ("$solve - 1</dev/null", "standard output cannot be written: it is open for reading only"),
        ("sprague formats 1</dev/null", "standard output cannot be written: it is open for reading only"),
        ("$solve nowhere/", "nowhere/ cannot be written: it is a folder: name a file in it"),
    ] {
        let done = script(folder.path(), text);
        assert_eq!((done.code, done.out.as_str()), (Some(74), ""), "{text}: {}", done.err);
        assert_eq!(done.err, format!("sprague: {message}\n"), "{text}");
        assert_eq!(names(folder.path()), ["in"], "{text}");
    }
}

#[test]
fn no_judge_file_is_written_into_by_another_name() {
    let folder = tempfile::tempdir().unwrap();
    for (text, message) in [
        ("$solve - >>in", "the answers would go into the judge file, in: name another with -o"),
        ("$solve /dev/stdout >>in", "the answers would go into the judge file, in: name another with -o"),
        ("$solve /dev/fd/3 3>>in", "the answers would go into the judge file, in: name another with -o"),
        ("sprague solve -f uva10561 -o /dev/fd/3 <in 3>>in", "the judge file, standard input: name another with -o"),
        ("sprague solve -f uva10561 <in >>in", "standard input is read, and standard output goes into it"),
        ("ln -f in same; $solve same; code=$?; rm same; exit $code", "would replace the judge file same"),
        ("sprague check -f uva10561 in in >>in", "in is read, and standard output goes into it"),
        ("sprague explain -f uva10561 --case 1 in >>in", "in is read, and standard output goes into it"),
        ("sprague explain -f uva10561 --case 1 in --svg /dev/fd/3 3>>in", "would replace the judge file in"),
        ("sprague generate -f poj3537 -o /dev/stdout --answers -", "cannot share standard output"),
        ("sprague generate -f poj3537 -o /dev/fd/3 --answers /dev/fd/3 3>>in", "cannot both be /dev/fd/3"),
        ("sprague generate -f poj3537 --answers in >>in", "cannot both go into in"),
        ("sprague explain treblecross ... --svg in >>in", "the picture would replace the text in in"),
    ] {
        let done = script(folder.path(), text);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{text}: {}", done.err);
        assert!(done.err.contains(message), "{text}: {}", done.err);
        assert_eq!(fs::read_to_string(folder.path().join("in")).unwrap(), JUDGE_FILE, "{text}");
    }
}

#[test]
fn what_no_other_file_may_replace_is_written_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let is_root = rustix::process::geteuid().is_root();
    // A mount point needs privileges, and a folder that may not be written to needs their absence.
    let text = match is_root {
        true => {
            "unshare -m true || exit 99; echo 'an old and longer file' >old; touch target; export -f sprague
             unshare -m bash -c \"mount --bind old target && $solve target && cat target\""
        }
        false => {
            "mkdir closed; echo 'an old and longer file' >closed/target; chmod 555 closed
             $solve closed/target; cat closed/target; chmod 755 closed"
        }
    };
    let done = script(folder.path(), text);
    if done.code == Some(99) {
        eprintln!("not tried: no mounts are allowed here");
        return;
    }
    assert_eq!((done.code, done.err.as_str(), done.out.as_str()), (Some(0), "", ANSWERS));
    assert!(!names(folder.path()).iter().any(|name| name.starts_with(".sprague")), "{:?}", names(folder.path()));
}
