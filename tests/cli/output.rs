//! Where answers go: files whole or not at all, pipes that close, disks that are full.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use super::command::{Run, answers, names, rows, run, sprague};
use super::fake::{Act, Fake};

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
    for target in ["new", "link"] {
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
    let silent = Fake::new([Act::Silent]);
    for (arguments, code) in [
        (&["--keep-going"][..], 65),
        (&[], 65),
        (&["--server", "127.0.0.1:1", "--retry-for", "100ms"], 69),
        (&["--server", &silent.address, "--timeout", "100ms"], 69),
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
        (
            vec!["-o".into(), format!("{folder}")],
            format!("sprague: {folder} cannot be written: it is a folder: name a file in it\n"),
        ),
        (
            vec!["-o".into(), format!("{folder}/no/a")],
            format!("sprague: {folder}/no/a cannot be written: there is no folder {folder}/no\n"),
        ),
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
fn no_answers_take_the_place_of_a_judge_file() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("a.in", "1\n...\n");
    put("b.out", "1\n...\n");
    put("b.in", "1\n...\n");
    std::os::unix::fs::symlink("a.in", folder.path().join("link")).unwrap();
    let before = names(folder.path());
    let generate = ["generate", "-f", "uva10561", "-o", "x.in", "--answers"];
    for (arguments, message) in [
        (&["solve", "-f", "uva10561", "a.in", "-o", "a.in"][..], "would replace the judge file a.in: type -o a.out\n"),
        (&["solve", "-f", "uva10561", "a.in", "-o", "./a.in"], "would replace the judge file ./a.in: type -o ./a.out"),
        (&["solve", "-f", "uva10561", "a.in", "-o", "link"], "would replace the judge file link: type -o link.out\n"),
        (&["solve", "-f", "uva10561", "link", "-o", "a.in"], "would replace the judge file a.in: type -o a.out\n"),
        (&["solve", "-f", "uva10561", "b.out", "-o", "b.out"], "type -o b.out.out\n"),
        (
            &["solve", "-f", "uva10561", "b.in", "b.out", "-o", "."],
            "would replace ./b.out, which is to be answered too",
        ),
        (&[&generate[..], &["x.in"]].concat(), "cannot both be x.in: type --answers x.out\n"),
        (&[&generate[..], &["./x.in"]].concat(), "cannot both be ./x.in: type --answers x.out\n"),
        (&["generate", "-f", "uva10561", "-o", "x.out", "--answers", "x.out"], "type --answers x.out.out\n"),
        (&["generate", "-f", "uva10561", "--answers", "-"], "cannot share standard output: name a file with -o\n"),
        (
            &["explain", "-f", "uva10561", "a.in", "--case", "1", "--svg", "a.in"],
            "the picture would replace the judge file a.in: name another\n",
        ),
    ] {
        let done = Run::from(sprague(arguments).current_dir(folder.path()).output().unwrap());
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{arguments:?}: {}", done.err);
        assert!(done.err.contains(message), "{arguments:?}: {}", done.err);
        assert_eq!(names(folder.path()), before, "{arguments:?}");
        assert_eq!(fs::read_to_string(folder.path().join("a.in")).unwrap(), "1\n...\n", "{arguments:?}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let picture = run(&["explain", "treblecross", "...", "--svg", "-"], "").out;
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    let right = run(&["generate", "-f", "poj3537"], "").out;
    for (arguments, input, out) in [
        (&["solve", "-f", "uva10561", "-o", "-"][..], "1\n...\n", "WINNING\n1 2 3\n"),
        (&["generate", "-f", "poj3537", "-o", "-"], "", &right),
        (
            &["generate", "-f", "poj3537", "-o", "a.in", "--answers", "-"],
            "",
            &run(&["solve", "-f", "poj3537"], &right).out,
        ),
        (&["generate", "-f", "poj3537", "-o", "-", "--answers", "a.out"], "", &right),
    ] {
        let done = Run::from(sprague(arguments).current_dir(folder.path()).write_stdin(input).output().unwrap());
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(done.out == out, "{arguments:?}: {}", done.out);
    }
    assert_eq!(names(folder.path()), ["a.in", "a.out"]);
}

#[test]
fn one_file_goes_into_a_folder_under_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(folder.path().join("a.in"), "1\n...\n").unwrap();
    let mut command = sprague(&["solve", "-f", "uva10561", "a.in", "-o", "tests"]);
    let done = Run::from(command.current_dir(folder.path()).output().unwrap());
    assert_eq!((done.code, done.err.as_str()), (Some(0), "a.in: 1 case -> tests/a.out\n"));
    assert_eq!(fs::read_to_string(folder.path().join("tests/a.out")).unwrap(), "WINNING\n1 2 3\n");
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

#[cfg(target_os = "linux")]
#[test]
fn what_has_no_path_of_its_own_is_written_straight() {
    let done = run(&["solve", "-f", "uva10561", "-o", "/dev/stdout"], &rows(20));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(done.out, answers(&rows(20)));
}
