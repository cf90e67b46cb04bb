//! `explain` and `check` as people see them: pages, verdicts, exit codes, DOMjudge.

use std::fs;
use std::path::{Path, PathBuf};

use super::command::{Run, run, sprague};

fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    path.display().to_string()
}

#[test]
fn pages_read_as_they_are_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(folder).expect("pages").map(|entry| entry.expect("readable").path()).collect();
    pages.sort();
    assert!(pages.len() >= 8);
    for path in pages {
        let page = fs::read_to_string(&path).expect("text");
        let (command, expected) = page.split_once('\n').expect("a first line");
        let arguments: Vec<&str> = command.strip_prefix("$ sprague ").expect("a command").split(' ').collect();
        let done = run(&arguments, "");
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", path.display());
        // UPDATE_PAGES=1 writes what is printed now, to be looked at.
        if std::env::var_os("UPDATE_PAGES").is_some() {
            fs::write(&path, format!("{command}\n{}", done.out)).expect("writes");
        }
        assert_eq!(done.out, expected, "{}", path.display());
    }
}

#[test]
fn a_board_or_a_move_at_fault_is_named() {
    for (arguments, code, message) in [
        (&["treblecross", "..x"][..], 65, "cell 3 is 'x': use 'X'"),
        (&["treblecross", "...", "--move", "4"], 65, "move 1: cell 4 is not on the board of 3 cells"),
        (&["treblecross", "...", "--move", "1", "--move", "1"], 65, "move 2: cell 1 is taken"),
        (&["treblecross", "...", "--move", "left:1"], 65, "write the cell, as 7"),
        (&["gdoi2016", "XL,LR", "--move", "1,3"], 65, "cell 1,3 is not on the board of 2 rows and 2 columns"),
        (&["darkraft", "XL,LR"], 65, "--letters gdoi2016"),
        (&["treblecross", "10"], 65, "for the empty board of 10 cells type sprague explain poj3537 10\n"),
        (&["treblecross", "Cargo.toml"], 65, "type sprague explain -f FORMAT Cargo.toml --case K\n"),
        (&["darkraft", "X/,X"], 65, r"shells swallow \: quote the board, as in 'X/,\X'"),
        (&["end-nim", "5,3", "--move", "LEFT:5"], 65, "write it small, as left:5"),
        (&["poj3537", "2"], 65, "no move can ever make three in a row"),
        (&["poj3537", "99999999999"], 65, "over the limit"),
        (&["chess", "..."], 2, "\"chess\" is no game"),
        (&["treblecross"], 2, "<BOARD>"),
        (&["-f", "uva10561", "no-such-file", "--case", "1"], 74, "no-such-file cannot be read"),
        (&["-f", "uva10561", &case("uva10561/sample.in"), "--case", "9"], 65, "there is no case 9"),
    ] {
        let done = run(&[&["explain"], arguments].concat(), "");
        assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{arguments:?}: {}", done.err);
        assert!(done.err.contains(message), "{arguments:?}: {}", done.err);
    }
}

#[test]
fn colour_is_used_when_it_is_asked_for_and_adds_no_word() {
    let plain = run(&["explain", "treblecross", "X....."], "").out;
    assert!(!plain.contains('\x1b'), "standard output is no terminal");
    let coloured = run(&["explain", "treblecross", "X.....", "--color", "always"], "").out;
    assert!(coloured.contains("\x1b[32m") && coloured.contains("\x1b[31m"));
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        bare += before;
        rest = after.split_once('m').expect("a whole code").1;
    }
    bare += rest;
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&bare), words(&plain));
}

#[test]
fn json_and_pictures_hold_what_the_page_says() {
    let done = run(&["explain", "gdoi2016", "XL,LR", "--move", "1,1", "--options", "--line", "--json"], "");
    let told: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(told["moves"][0]["move"], "1,1");
    assert_eq!(told["position"]["rows"], serde_json::json!([".L", "L."]));
    // Two lone cells are left, one for each player.
    assert_eq!(told["to_move"], "second player");
    assert_eq!(told["outcome"], "the player to move loses");
    assert_eq!(told["options"].as_array().map(Vec::len), Some(2));
    let folder = tempfile::tempdir().expect("a folder");
    for (game, board) in [("treblecross", "X.....X..X"), ("gdoi2016", "XL,LR"), ("end-nim", "3,1,9,5")] {
        let path = folder.path().join(format!("{game}.svg"));
        let done = Run::from(sprague(&["explain", game, board, "--svg"]).arg(&path).output().expect("runs"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        let picture = fs::read_to_string(&path).expect("written");
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        let headline = done.out.lines().next().expect("a headline");
        assert!(picture.contains(&format!("<title>{headline}</title>")), "{headline}");
    }
}

#[test]
fn a_check_says_right_or_names_the_first_wrong_case() {
    let (input, answers) = (case("uva10561/sample.in"), case("uva10561/sample.out"));
    let check =
        |more: &[&str], answers: &str| run(&[&["check", "-f", "uva10561", &input, "-"], more].concat(), answers);
    let right = fs::read_to_string(&answers).expect("text");
    let done = check(&[], &right);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out.starts_with("-: right: "), "{}", done.out);
    let wrong = right.replacen("WINNING", "LOSING", 1);
    let done = check(&[], &wrong);
    assert_eq!(done.code, Some(1));
    assert_eq!(done.out.lines().count(), 1, "{}", done.out);
    assert!(done.out.contains("wrong answer: printed LOSING, right is "), "{}", done.out);
    let layout = right.replace('\n', "\r\n");
    assert_eq!(check(&[], &layout).code, Some(1));
    assert_eq!(check(&["--lenient"], &layout).code, Some(0));
    let done = check(&["--all"], &layout);
    assert_eq!(done.out.lines().count(), 1 + right.lines().count() / 2, "{}", done.out);
}

#[test]
fn a_check_ends_with_the_code_of_what_is_at_fault() {
    let input = case("uva10561/sample.in");
    for (arguments, answers, code, message) in [
        (&["-f", "uva10561", &input, "no-such-file"][..], "", 74, "no-such-file cannot be read"),
        (&["-f", "uva10561", "no-such-file", "-"], "", 74, "no-such-file cannot be read"),
        (&["-f", "lightoj1229", &case("poj3537/every-3-to-300.in"), "-"], "", 65, "every-3-to-300.in:"),
        (&["-f", "uva10561", "-", "-"], "", 2, "only one of the two files"),
        (&["-f", "uva10561", &input, "-", "--domjudge"], "", 2, "<FEEDBACK>"),
    ] {
        let done = run(&[&["check"], arguments].concat(), answers);
        assert_eq!(done.code, Some(code), "{arguments:?}: {}{}", done.out, done.err);
        assert!(done.err.contains(message), "{arguments:?}: {}", done.err);
    }
    for answers in ["", "WINNING\n", "\u{fe}\u{0}", "7 7 7 7"] {
        assert_eq!(run(&["check", "-f", "uva10561", &input, "-"], answers).code, Some(1), "{answers:?}");
    }
}

#[test]
fn domjudge_gets_its_codes_and_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let feedback = format!("{}/", folder.path().display());
    let (input, answers) = (case("gdoi2016/sample.in"), case("gdoi2016/sample.out"));
    let right = fs::read_to_string(&answers).expect("text");
    let wrong = right.replace("WIN", "?").replace("LOSE", "WIN").replace('?', "LOSE");
    for (printed, code, reason) in [(right.as_str(), 42, "right: "), (&wrong, 43, "case 1: wrong answer: printed ")] {
        let done = run(&["check", "-f", "gdoi2016", "--domjudge", &input, &answers, &feedback], printed);
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(code), "", ""));
        let message = fs::read_to_string(folder.path().join("judgemessage.txt")).expect("a reason");
        assert!(message.contains(reason), "{message}");
    }
}
