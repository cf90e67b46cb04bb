//! Several files and folders: one connection, a line a file, each answer file whole or not at all.

use std::fs;

use super::command::{names, run};

fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_folder_is_answered_file_by_file_with_a_line_each() {
    let folder = folder_of(&[("02.in", "1\n..X\n"), ("01.in", "2\n...\n....\n"), ("notes.txt", "no judge file")]);
    let path = folder.path().to_str().unwrap();
    let out = format!("{path}/answers");
    let done = run(&["solve", "-f", "lightoj1229", path, "-o", &out], "");
    let expected = format!("{path}/01.in: 2 cases -> {out}/01.out\n{path}/02.in: 1 case -> {out}/02.out\n");
    assert_eq!((done.code, done.out.as_str(), done.err), (Some(0), "", expected));
    assert_eq!(names(&folder.path().join("answers")), ["01.out", "02.out"]);
    assert_eq!(fs::read_to_string(format!("{out}/01.out")).unwrap(), "Case 1: 1 2 3\nCase 2: 2 3\n");
    assert_eq!(fs::read_to_string(format!("{out}/02.out")).unwrap(), "Case 1: 0\n");
    let quiet = run(&["solve", "-q", "-f", "lightoj1229", path, "-o", path], "");
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
    assert!(folder.path().join("02.out").exists());
}

#[test]
fn a_file_at_fault_keeps_its_old_answers_and_the_others_are_answered() {
    let folder = folder_of(&[("a.in", "1\nabc\n"), ("b.txt", "1\n...\n"), ("a.out", "old")]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = folder.path().to_str().unwrap();
    let done = run(&["solve", "-f", "uva10561", &path("a.in"), &path("no.in"), &path("b.txt"), "-o", out], "");
    assert_eq!(done.code, Some(74));
    let lines: Vec<&str> = done.err.lines().collect();
    assert!(lines[0].starts_with(&format!("{}:2:1: case 1: ", path("a.in"))), "{}", done.err);
    assert!(lines[1].contains("no.in cannot be read"), "{}", done.err);
    assert!(lines[2].ends_with(&format!("b.txt: 1 case -> {}", path("b.txt.out"))), "{}", done.err);
    assert_eq!(lines[3], "sprague: 2 of 3 files failed");
    assert_eq!(fs::read_to_string(path("a.out")).unwrap(), "old");
    assert_eq!(fs::read_to_string(path("b.txt.out")).unwrap(), "WINNING\n1 2 3\n");
    assert_eq!(names(folder.path()), ["a.in", "a.out", "b.txt", "b.txt.out"]);
}

#[test]
fn several_files_are_asked_of_one_connection() {
    let folder = folder_of(&[("1.in", "1\n...\n"), ("2.in", "1\n...\n"), ("3.in", "1\n...\n")]);
    let out = folder.path().to_str().unwrap();
    let done = run(&["solve", "-f", "uva10561", "--server", "127.0.0.1:1", "--retry-for", "0s", out, "-o", out], "");
    // Nobody there: one message, not one a file.
    assert_eq!((done.code, done.err.lines().count()), (Some(69), 1), "{}", done.err);
}

#[test]
fn what_cannot_be_meant_is_a_wrong_command_line() {
    let folder = folder_of(&[("a.in", "1\n...\n"), ("file", "")]);
    let nothing = folder_of(&[]);
    let empty = nothing.path().to_str().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let here = folder.path().to_str().unwrap();
    for (arguments, message, code) in [
        (vec![path("a.in"), path("a.in")], "several files need a folder for their answers: -o FOLDER", 2),
        (vec![here.into()], "several files need a folder for their answers: -o FOLDER", 2),
        (vec![path("a.in"), "-".into(), "-o".into(), here.into()], "standard input cannot be one of several", 2),
        (vec![path("a.in"), here.into(), "-o".into(), here.into()], "would both be answered in", 2),
        (vec![here.into(), "-o".into(), path("file")], "is no folder, and several files need one", 2),
        (vec![empty.into()], "no file in it ends in .in; name the files one by one", 74),
        (vec!["/dev".into(), "-o".into(), here.into()], "no file in it ends in .in; name the files one by one", 74),
    ] {
        let mut all: Vec<&str> = vec!["solve", "-f", "uva10561"];
        all.extend(arguments.iter().map(String::as_str));
        let done = run(&all, "");
        assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(done.err.contains(message), "{}", done.err);
        assert_eq!(names(folder.path()), ["a.in", "file"]);
    }
}
