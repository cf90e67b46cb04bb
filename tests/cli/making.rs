//! `generate` and `validate`, as a setter uses them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sprague::judge::Format;

use super::command::{Run, names, run};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_set_has_numbered_files_with_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let done = run(&["generate", "-f", "luogu-p2599", "--cases", "4", "-d", path], "");
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""), "{}", done.err);
    assert_eq!(done.err.lines().count(), 6);
    assert_eq!(done.err.lines().next(), Some(format!("{path}/01-traps.in: 4 cases -> {path}/01-traps.out").as_str()));
    let kinds = ["01-traps", "02-edges", "03-random", "04-near-equal", "05-staircase", "06-one-win"];
    let expected: Vec<String> = kinds.iter().flat_map(|kind| [format!("{kind}.in"), format!("{kind}.out")]).collect();
    assert_eq!(names(folder.path()), expected);
    for kind in kinds {
        let (input, answers) = (read(&folder.path().join(format!("{kind}.in"))), format!("{kind}.out"));
        assert_eq!(run(&["solve", "-f", "luogu-p2599"], &input).out, read(&folder.path().join(answers)), "{kind}");
    }
    assert!(read(&folder.path().join("01-traps.in")).starts_with("4\n4\n1 1 2 2\n"));
}

#[test]
fn a_set_says_what_it_replaces_and_what_it_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::write(folder.path().join("notes.txt"), "").unwrap();
    let made = |format: &str, more: &[&str]| {
        let done = run(&[&["generate", "-f", format, "--cases", "1", "-d", path], more].concat(), "");
        assert_eq!(done.code, Some(0), "{}", done.err);
        done.err.lines().filter(|line| line.starts_with("sprague: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(made("luogu-p2599", &[]), [""; 0]);
    assert_eq!(
        made("luogu-p2599", &["--kinds", "traps,random"]),
        [
            format!("sprague: 2 files replaced in {path}"),
            format!("sprague: {path} also holds 5 judge files not of this set, as 02-edges.in"),
        ]
    );
    assert_eq!(made("luogu-p2599", &["--quiet"]), [""; 0]);
    let right = read(&folder.path().join("01-traps.in"));
    let refused = run(&["generate", "-f", "lightoj1229", "-d", path], "");
    let words =
        format!("sprague: {path}/01-traps.in is no lightoj1229 file, and would be replaced: name another folder\n");
    assert_eq!((refused.code, refused.err), (Some(2), words));
    assert_eq!(read(&folder.path().join("01-traps.in")), right);
    let file = format!("{path}/notes.txt");
    let refused = run(&["generate", "-f", "lightoj1229", "-d", &file], "");
    assert_eq!(
        (refused.code, refused.err),
        (Some(74), format!("sprague: {file} cannot be written: it is no folder\n"))
    );
}

#[test]
fn what_is_no_text_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.in");
    let path = path.to_str().unwrap();
    for (bytes, words) in [
        (&b"\xff\xfe1\0\n\0.\0.\0.\0"[..], "this is UTF-16: save it as UTF-8"),
        (b"\xfe\xff\x001\0\n", "this is UTF-16: save it as UTF-8"),
        (b"1\0\n\0.\0.\0.\0", "this is no text: it is full of zero bytes"),
        (b"\x1f\x8b\x08 and so on", "this is no text: it is compressed, unpack it first"),
        (b"PK\x03\x04 and so on", "this is no text: it is compressed, unpack it first"),
        (b"\x89PNG\r\n", "this is no text: it is a picture"),
    ] {
        fs::write(path, bytes).unwrap();
        for (arguments, code) in [
            (&["solve", "-f", "uva10561", path][..], 65),
            (&["solve", "-f", "uva10561", "--keep-going", path], 65),
            (&["check", "-f", "uva10561", path, "-"], 65),
            (&["validate", "-f", "uva10561", path], 1),
            (&["explain", "-f", "uva10561", path, "--case", "1"], 65),
        ] {
            let done = run(arguments, "");
            assert_eq!((done.code, done.err), (Some(code), format!("sprague: {path}: {words}\n")), "{arguments:?}");
        }
    }
    // Answers that are no text are wrong.
    fs::write(path, b"\xff\xfe1\0\n\0").unwrap();
    let done = run(&["check", "-f", "poj3537", "-", path], "3\n");
    let told = format!("{path}:1: wrong answer: this is UTF-16: save it as UTF-8\n");
    assert_eq!((done.code, done.err.as_str(), done.out), (Some(1), "", told));
    let one = run(&["solve", "-f", "uva10561"], "1\n...\0..\n");
    assert_eq!((one.code, one.err.as_str()), (Some(65), "-:2:4: case 1: cell 4 is '\\0': a cell is '.' or 'X'\n"));
}

#[test]
fn lost_files_are_lost_as_solve_sees_it() {
    for format in Format::ALL {
        let done = run(&["generate", "-f", format.name(), "--outcome", "second"], "");
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{format}");
        let answers = run(&["solve", "--strict", "-f", format.name()], &done.out);
        assert_eq!(answers.code, Some(0), "{format}: {}", answers.err);
        let is_lost = |line: &str| match format.name() {
            "uva10561" => matches!(line, "LOSING" | ""),
            "lightoj1229" => line.ends_with(": 0"),
            "poj3537" => line == "2",
            "codeforces138d" | "gdoi2016" => line == "LOSE",
            "luogu-p2599" => line == "0",
            name => panic!("{name} needs its lost lines here"),
        };
        assert!(!answers.out.is_empty() && answers.out.lines().all(is_lost), "{format}: {}", answers.out);
    }
}

#[test]
fn a_file_and_its_answers_come_together_and_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (input, answers) = (path("a.in"), path("a.out"));
    let arguments = ["generate", "-f", "uva10561", "--seed", "7", "-o", &input, "--answers", &answers];
    let done = run(&arguments, "");
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "", ""));
    let again = run(&["generate", "-f", "uva10561", "--seed", "7"], "");
    assert_eq!(again.out, read(Path::new(&input)));
    assert_eq!(run(&["solve", "-f", "uva10561", &input], "").out, read(Path::new(&answers)));
    assert_eq!(names(folder.path()), ["a.in", "a.out"]);
}

#[test]
fn what_cannot_be_had_is_refused_with_the_reason() {
    for (arguments, message) in [
        (&["-f", "luogu-p2599", "--size", "1", "--outcome", "second"][..], "sprague: a row of one pile is won"),
        (&["-f", "poj3537", "--size", "7..11", "--outcome", "second"], "no empty board of 7 to 11 cells is lost"),
        (&["-f", "codeforces138d", "--cases", "3"], "holds one case; -d FOLDER writes 3 of each kind"),
        (&["-f", "uva10561", "--kinds", "stairs"], "tip: a similar value exists: 'staircase'"),
        (&["-f", "uva10561", "--size", "many"], "write a size, as in 20"),
        (&["-f", "uva10561", "--cases", "1e6"], "'1e6' for '--cases <N>': write a whole number in digits, 1 to"),
        (&["-f", "uva10561", "--cases", "-5"], "'-5' for '--cases <N>': write a whole number in digits, 1 to"),
        (&["-f", "uva10561", "--cases", "0"], "write a whole number in digits, 1 to"),
        (&["-f", "uva10561", "--cases", "99999999999999999999"], "in digits, 1 to 18446744073709551615"),
        (&["-f", "uva10561", "--seed", "abc"], "'abc' for '--seed <N>': write a whole number in digits, 0 to"),
        (&["-f", "uva10561", "-d", "x", "-o", "y"], "cannot be used with"),
    ] {
        let done = run(&[&["generate"], arguments].concat(), "");
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(done.err.contains(message), "{arguments:?}: {}", done.err);
    }
}

#[test]
fn validate_names_every_fault_at_once_with_its_place() {
    let input = "\u{feff}03\n...\r\n.. X\n\nXXX\n+4";
    let done = run(&["validate", "-f", "uva10561"], input);
    let expected = "\
-:1:1: a byte order mark: begin with the text itself
-:1:1: a leading zero: write 3
-:2:4: a carriage return: end lines with a line feed alone
-:3:1: case 2: a board of 2 cells: the statement has 3 to 200
-:3:4: found \"X\" behind a board: the statement has a line for a board alone
-:4:1: a blank line: the statement has none
-:5:1: case 3: the game is already over: XXX at cells 1, 2 and 3
-:6:3: the file ends without a line end: end the last line too
-:6:1: found \"+4\" after case 3, the last by T
";
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(1), "", expected));
    let few = run(&["validate", "-f", "uva10561", "--most", "2"], input);
    assert_eq!(few.err.lines().last(), Some("-: 7 faults more"));
    assert_eq!(run(&["validate", "-q", "-f", "uva10561"], input).err, "");
}

#[test]
fn validate_takes_files_and_folders_and_says_so_when_all_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::write(folder.path().join("a.in"), "3\n2000\n").unwrap();
    fs::write(folder.path().join("b.in"), "2001\n").unwrap();
    let done = run(&["validate", "-f", "poj3537", path], "");
    assert_eq!(done.code, Some(1));
    let expected = format!(
        "{path}/a.in: 2 cases, as the statement of poj3537 has them\n\
         {path}/b.in:1:1: case 1: n, the number of cells is 2001: the statement has 3 to 2000\n"
    );
    assert_eq!(done.err, expected);
    assert_eq!(run(&["validate", "-f", "poj3537", "/no/such"], "").code, Some(74));
}

#[test]
fn an_interrupted_generate_leaves_nothing_half_made() {
    for (signal, code) in [(rustix::process::Signal::INT, 130), (rustix::process::Signal::TERM, 143)] {
        for (arguments, old) in [
            (&["-o", "a.in"][..], &["a.in"][..]),
            (&["-o", "a.in", "--answers", "a.out"], &["a.in", "a.out"]),
            (&["-d", "."], &[]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            old.iter().for_each(|name| fs::write(folder.path().join(name), "old").unwrap());
            // More than anybody waits for.
            let child = Command::new(assert_cmd::cargo::cargo_bin("sprague"))
                .args(["generate", "-f", "uva10561", "--cases", "1000000000"])
                .args(arguments)
                .current_dir(folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // Until something is written beside the files that are to be: with a name, or without one where the system has that.
            let in_the_making = || {
                let is_new = |path: &PathBuf| !old.iter().any(|name| path.ends_with(name));
                let named = names(folder.path()).into_iter().map(|name| folder.path().join(name)).filter(is_new);
                let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
                let unnamed = open.map(|entry| entry.path()).filter(|path| {
                    fs::read_link(path).is_ok_and(|target| target.starts_with(folder.path()) && is_new(&target))
                });
                named.chain(unnamed).any(|path| fs::metadata(path).is_ok_and(|about| about.len() > 0))
            };
            let begun = Instant::now();
            while !in_the_making() {
                assert!(begun.elapsed() < Duration::from_secs(30), "nothing is made: {arguments:?}");
                std::thread::sleep(Duration::from_millis(5));
            }
            rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
            let done = Run::from(child.wait_with_output().unwrap());
            assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{arguments:?}: {}", done.err);
            assert!(done.err.starts_with("sprague: interrupted"), "{}", done.err);
            assert_eq!(names(folder.path()), old, "{arguments:?}");
            assert!(old.iter().all(|name| read(&folder.path().join(name)) == "old"), "{arguments:?}");
        }
    }
}
