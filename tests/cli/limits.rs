//! Small machines: few threads, little memory, few descriptors, and signals that end a run.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::command::{answers, names, rows, shell};

/// A folder that everybody may use, with the program, a judge file and its answers.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(assert_cmd::cargo::cargo_bin("sprague"), folder.path().join("sprague")).unwrap();
    let input = rows(3000);
    fs::write(folder.path().join("right"), answers(&input)).unwrap();
    fs::write(folder.path().join("input"), input).unwrap();
    fs::write(folder.path().join("small"), "3\n").unwrap();
    open(folder.path());
    ["sprague", "right", "input", "small"].iter().for_each(|name| open(&folder.path().join(name)));
    folder
}

/// Runs the folder's program under a limit, as a user to whom limits of processes apply.
fn limited(folder: &Path, limit: &str, command: &str) -> Output {
    let mut bash = Command::new("timeout");
    bash.arg("50");
    if rustix::process::getuid().is_root() {
        bash.args(["setpriv", "--reuid", "65534", "--clear-groups"]);
    }
    let script = format!("{limit} && exec ./sprague {command}");
    bash.args(["bash", "-c", &script]).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn without_threads_or_much_memory_everything_is_answered_all_the_same() {
    let folder = folder();
    let right = fs::read_to_string(folder.path().join("right")).unwrap();
    for limit in ["ulimit -u 1", "ulimit -u 3", "ulimit -u 6", "ulimit -v 300000", "ulimit -u 1 -v 300000"] {
        for (command, expected) in [
            ("solve -f uva10561 input", right.as_str()),
            ("check -f uva10561 input right", "right: right: 3000 cases\n"),
            ("explain end-nim 3,1,9,5", "end-nim, 4 piles"),
            ("generate -f luogu-p2599 -q --cases 2 --answers /dev/null -o -", "2\n"),
            ("explain gdoi2016 LRLRLRLR,RLRLRLRL,LLLLRRRR,RRLLRRLL --line --json", "{\n"),
        ] {
            let done = limited(folder.path(), limit, command);
            let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert!(done.status.success() && err.is_empty(), "{limit}: {command}: {:?} {err}", done.status);
            let is_right = if command.starts_with("solve") { out == expected } else { out.starts_with(expected) };
            assert!(is_right, "{limit}: {command}: {out}");
        }
    }
    let done = limited(folder.path(), "ulimit -u 1", "solve -f uva10561 --server localhost:1 input");
    assert_eq!(done.status.code(), Some(70));
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(err.contains("localhost:1") && err.contains("ulimit -u"), "{err}");
}

#[test]
fn too_few_descriptors_are_said_by_their_limit() {
    let folder = folder();
    for limit in 4..=12 {
        for command in [
            "solve -f uva10561 input -o out",
            "solve -f uva10561 --server 127.0.0.1:1,127.0.0.1:2 --retry-for 100ms input",
            "check -f uva10561 input right",
            "explain treblecross .....",
            "generate -f uva10561 --cases 1 -q -d set",
            "validate -q -f poj3537 small",
            "info",
        ] {
            let done = limited(folder.path(), &format!("ulimit -n {limit}"), command);
            let err = String::from_utf8_lossy(&done.stderr);
            match done.status.code() {
                Some(70) => {
                    let message = format!("sprague: the limit of open files (ulimit -n) is {limit}: set it to");
                    assert!(err.starts_with(&message) && err.lines().count() == 1, "{command}: {err}");
                }
                Some(0) => assert!(limit > 8 || command.starts_with("validate"), "{limit}: {command}: {err}"),
                code => assert!(code == Some(69) && command.contains("--server"), "{limit}: {command}: {code:?} {err}"),
            }
        }
    }
    assert!(names(folder.path()).iter().all(|name| !name.starts_with(".sprague")));
}

/// A run that waits for more of its input, with an answer file begun.
fn waiting(folder: &Path, before: &str) -> Child {
    let script = format!("{before} exec \"$0\" \"$@\"");
    let mut child = shell(&script, &["solve", "-f", "poj3537", "-o", "out"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"3\n6\n").unwrap();
    let begun = Instant::now();
    let handlers = || fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let watches = |status: &str| {
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim().to_owned();
        u64::from_str_radix(&caught, 16).unwrap_or(0) >> 14 & 1 == 1
    };
    while !watches(&handlers()) {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn every_signal_that_ends_a_run_leaves_the_folder_as_it_was() {
    for (signal, code) in [("-HUP", 129), ("-INT", 130), ("-QUIT", 131), ("-USR1", 138), ("-TERM", 143), ("-XCPU", 152)]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out"), "old").unwrap();
        let mut child = waiting(folder.path(), "");
        kill(&child, signal);
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}: {err}");
        assert!(err.starts_with("sprague: interrupted after") && err.ends_with("out is as it was\n"), "{err}");
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "old");
    }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out"), "old").unwrap();
    let mut child = waiting(folder.path(), "");
    // Some file systems have no files without names.
    let has_unnamed = names(folder.path()) == ["out"];
    kill(&child, "-KILL");
    child.wait().unwrap();
    assert!(!has_unnamed || names(folder.path()) == ["out"]);
    assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "old");
}

#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = waiting(folder.path(), "trap '' INT HUP;");
    kill(&child, "-INT");
    kill(&child, "-HUP");
    child.stdin.take().unwrap().write_all(b"12\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "1\n2\n2\n");
}

#[test]
fn a_file_that_may_not_grow_ends_with_74_and_leaves_nothing() {
    let folder = folder();
    let done = limited(folder.path(), "ulimit -f 1", "solve -f uva10561 input -o out");
    assert_eq!(done.status.code(), Some(74), "{:?}", done.status);
    assert_eq!(names(folder.path()), ["input", "right", "small", "sprague"]);
}

#[test]
fn non_blocking_standard_streams_are_waited_for() {
    let input = rows(20_000);
    let right = answers(&input);
    let ends = || {
        let (theirs, ours) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        (OwnedFd::from(theirs), ours)
    };
    let ((stdin, mut to), (stdout, mut from)) = (ends(), ends());
    let mut child =
        shell(r#"exec "$0" "$@""#, &["solve", "-f", "uva10561"]).stdin(stdin).stdout(stdout).spawn().unwrap();
    let writing = std::thread::spawn(move || {
        for piece in input.as_bytes().chunks(200_000) {
            std::thread::sleep(Duration::from_millis(20));
            to.write_all(piece).unwrap();
        }
    });
    std::thread::sleep(Duration::from_millis(300));
    let mut out = String::new();
    from.read_to_string(&mut out).unwrap();
    writing.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(out == right, "{} bytes, and {} are right", out.len(), right.len());
}

#[test]
fn standard_streams_that_are_closed_are_no_place_for_files() {
    let folder = folder();
    let right = fs::read_to_string(folder.path().join("right")).unwrap();
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let done = limited(folder.path(), "true", &format!("solve -f uva10561 -v input -o out {closed}"));
        assert!(done.status.success(), "{closed}: {done:?}");
        assert!(fs::read_to_string(folder.path().join("out")).unwrap() == right, "{closed}");
        fs::remove_file(folder.path().join("out")).unwrap();
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_a_set_is_not_read_first() {
    let folder = folder();
    let script = "mkfifo set/01-traps.in; cat set/01-traps.in & cd set && ../sprague generate -q -f poj3537 --cases 1 -d . && wait";
    fs::create_dir(folder.path().join("set")).unwrap();
    let mut command = Command::new("timeout");
    let done = command.args(["50", "bash", "-c", script]).current_dir(folder.path()).output().unwrap();
    assert!(done.status.success() && !done.stdout.is_empty(), "{done:?}");
}
