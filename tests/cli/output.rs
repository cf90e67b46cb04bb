//! Where answers go: files whole or not at all, pipes that close, disks that are full.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use super::command::{answers, names, rows, run, sprague};

#[test]
fn an_answer_file_appears_whole_and_keeps_its_mode_and_its_links() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let input = rows(500);
    let right = answers(&input);
    fs::write(path("input"), &input).unwrap();
    fs::write(path("old"), "old").unwrap();
    fs::set_permissions(path("old"), fs::Permissions::from_mode(0o604)).unwrap();
    std::os::unix::fs::symlink("old", path("link")).unwrap();
    for target in ["new", "link", "input"] {
        let mut command = sprague(&["solve", "-f", "uva10561"]);
        command.arg(path("input")).arg("-o").arg(path(target)).assert().success().stdout("").stderr("");
        assert!(fs::read_to_string(path(target)).unwrap() == right, "{target}");
    }
    assert!(path("link").is_symlink());
    assert_eq!(fs::metadata(path("old")).unwrap().permissions().mode() & 0o777, 0o604);
    assert_eq!(names(folder.path()), ["input", "link", "new", "old"]);
}

#[test]
fn a_failed_run_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    fs::write(&old, "old").unwrap();
    for (arguments, code) in [
        (&["--keep-going"][..], 65),
        (&[], 65),
        (&["--server", "127.0.0.1:1", "--retry-for", "100ms"], 69),
        (&["--timeout", "0s"], 69),
    ] {
        let mut command = sprague(&["solve", "-f", "uva10561", "-o"]);
        let done = command.arg(&old).args(arguments).write_stdin("2\n...\nabc\n").assert().code(code);
        assert_eq!(done.get_output().stdout, b"");
        let kept = fs::read_to_string(&old).unwrap();
        // A run that was told to keep going came to its end.
        let expected = if arguments.contains(&"--keep-going") { "WINNING\n1 2 3\nERROR\n" } else { "old" };
        assert_eq!(kept, expected, "{arguments:?}");
        assert_eq!(names(folder.path()), ["old"], "{arguments:?}");
        fs::write(&old, "old").unwrap();
    }
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display();
    for (arguments, message) in [
        (vec!["/no/such/file".into()], "sprague: /no/such/file cannot be read: No such file".to_string()),
        (vec!["-o".into(), format!("{folder}")], format!("sprague: {folder} cannot be written: is a directory")),
        (vec!["-o".into(), format!("{folder}/no/a")], format!("sprague: {folder}/no/a cannot be written: ")),
        (vec!["-o".into(), "/dev/full".into()], "sprague: /dev/full cannot be written: No space left".into()),
    ] {
        let mut all: Vec<&str> = vec!["solve", "-f", "uva10561"];
        all.extend(arguments.iter().map(String::as_str));
        let done = run(&all, "1\n...\n");
        assert_eq!((done.code, done.out.as_str()), (Some(74), ""), "{arguments:?}");
        assert!(done.err.starts_with(&message), "{}", done.err);
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    fs::write(&input, rows(100_000)).unwrap();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sprague"))
        .args(["solve", "-f", "uva10561"])
        .arg(&input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &b""[..]));
}
