//! What a terminal can show: colours where it has them, boards and sentences in its width.

use std::process::Stdio;

use super::command::{Run, run, shell, sprague};

/// Three boards that are wider than terminals, with their reasons, moves and lines of play.
fn wide_boards() -> [Vec<String>; 3] {
    let strip = format!("{}X", ".......".repeat(15)) + &".".repeat(900);
    let rows = ["XLRLXRLLRX".repeat(6), "LRXLLRXXRL".repeat(6)].join(",");
    let piles = (0..20).map(|pile| format!("{}", 7_u64.pow(pile % 12) + 3)).collect::<Vec<_>>().join(",");
    [["treblecross", &strip], ["gdoi2016", &rows], ["end-nim", &piles]].map(|words| {
        let more = ["--options", "--line"];
        ["explain"].iter().chain(&words).chain(&more).map(|word| (*word).to_owned()).collect()
    })
}

#[test]
fn pages_keep_to_the_width_there_is_and_say_the_same_in_each() {
    for arguments in wide_boards() {
        let page = |columns: &str| {
            let mut command = sprague(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            Run::from(command.env("COLUMNS", columns).output().unwrap())
        };
        let whole = page("100000");
        assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));
        for columns in [30_usize, 40, 79, 80, 81, 100, 120, 200] {
            let found = page(&columns.to_string());
            assert_eq!((found.code, found.err.as_str()), (Some(0), ""));
            let widest = found.out.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns, "{}: {widest} at {columns}:\n{}", arguments[1], found.out);
            let prose = found.out.lines().filter(|line| !line.starts_with("  "));
            assert!(prose.map(str::len).all(|length| length <= 100), "{}", found.out);
            // What is broken into lines has lost nothing.
            let words = |page: &str| -> Vec<String> {
                page.lines()
                    .skip_while(|line| !line.starts_with("Every"))
                    .flat_map(str::split_whitespace)
                    .map(str::to_owned)
                    .collect()
            };
            assert_eq!(words(&found.out), words(&whole.out), "{} at {columns}", arguments[1]);
        }
    }
}

#[test]
fn blocks_of_a_board_stand_under_each_other() {
    let board = format!("{}X{}", ".".repeat(36), ".".repeat(36));
    let page = |columns: &str| {
        let done = sprague(&["explain", "treblecross", &board]).env("COLUMNS", columns).output().unwrap();
        Run::from(done).out
    };
    let rows = |page: &str, head: &str| -> Vec<String> {
        let rows = page.lines().filter_map(|line| line.strip_prefix(&format!("  {head:<6}")));
        rows.map(str::to_owned).collect()
    };
    for (columns, lengths) in
        [("81", vec![73]), ("80", vec![70, 3]), ("40", vec![30, 30, 13]), ("12", [vec![4; 18], vec![1]].concat())]
    {
        let boards = rows(&page(columns), "board");
        assert_eq!(boards.iter().map(String::len).collect::<Vec<_>>(), lengths, "{columns}");
        assert_eq!(boards.concat(), board, "{columns}");
    }
    assert_eq!(rows(&page("40"), "cell")[1], "    35   40   45   50   55   60");
    let grid = "X".repeat(30);
    let done = sprague(&["explain", "darkraft", &grid]).env("COLUMNS", "50").output().unwrap();
    let page = Run::from(done).out;
    let heads: Vec<&str> = page.lines().filter(|line| line.starts_with("     ")).collect();
    assert_eq!(heads.iter().map(|head| head.split_whitespace().count()).collect::<Vec<_>>(), [15, 15], "{page}");
    assert!(heads[1].starts_with("     16 17 "), "{page}");
}

/// What a command shows on a terminal of a width.
fn on_terminal(setup: &str, arguments: &str) -> String {
    let script = format!("{setup} {} {arguments}", assert_cmd::cargo::cargo_bin("sprague").display());
    let mut command = shell(r#"exec timeout 60 script -qec "$1" /dev/null"#, &[&script]);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "CI"] {
        command.env_remove(name);
    }
    let done = command.stdin(Stdio::null()).output().unwrap();
    String::from_utf8(done.stdout).unwrap().replace('\r', "")
}

#[test]
fn colours_are_where_they_are_shown_and_wanted() {
    for arguments in
        ["explain treblecross X.....", "--help", "solve", "-v solve -f uva10561 --server 127.0.0.1:1 --retry-for 0s"]
    {
        for (setup, has_colour) in [
            ("TERM=xterm", true),
            ("TERM=dumb", false),
            ("TERM=xterm NO_COLOR=1", false),
            ("TERM=xterm NO_COLOR=", true),
            ("TERM=xterm CLICOLOR=0", false),
            ("TERM=dumb CLICOLOR_FORCE=1", true),
        ] {
            let shown = on_terminal(setup, arguments);
            assert_eq!(shown.contains('\x1b'), has_colour, "{setup} {arguments}: {shown:?}");
        }
    }
    let forced = sprague(&["explain", "treblecross", "X....."]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(Run::from(forced).out.contains("\x1b[32m"));
    assert!(on_terminal("TERM=dumb", "explain treblecross X..... --color always").contains("\x1b[32m"));
    assert!(!run(&["explain", "treblecross", "X....."], "").out.contains('\x1b'));
}

#[test]
fn the_width_is_the_terminals() {
    let board = format!("X{}", ".".repeat(99));
    for columns in [40, 80, 110] {
        let page =
            on_terminal(&format!("stty cols {columns}; TERM=dumb COLUMNS=3"), &format!("explain treblecross {board}"));
        let widest = page.lines().map(str::len).max().unwrap();
        assert!((columns - 10..=columns).contains(&widest), "{widest} at {columns}:\n{page}");
        let formats = on_terminal(&format!("stty cols {columns}; TERM=dumb"), "formats");
        assert!(formats.lines().count() > 7, "{formats}");
        assert!(columns < 80 || formats.lines().all(|line| line.len() <= columns), "{formats}");
    }
}
