//! What the client says: help, formats, servers, and what is wrong with a command line.

use sprague::judge::Format;

use super::command::run;

#[test]
fn a_wrong_command_line_says_what_would_be_right() {
    for (arguments, message) in [
        (&["solve", "-f", "uva1056"][..], "a similar value exists: 'uva10561'"),
        (&["solve"], "--format <FORMAT>"),
        (&["solve"], "as in -f uva10561: uva10561, lightoj1229, poj3537, codeforces138d, gdoi2016, luogu-p2599"),
        (&["check", "a", "b"], "`sprague formats` shows them"),
        (&["explain", "end-nim", "4", "1", "9", "4"], "with commas between its piles: type 4,1,9,4\n"),
        (&["explain", "end-nim", "4,", "1,", "9"], "type 4,1,9\n"),
        (&["explain", "gdoi2016", "XL", "LR", "--line"], "with commas between its rows: type XL,LR\n"),
        (&["explain", "uva10561", "..X", ".."], "without blanks: type ..X..\n"),
        (&["solve", "-f", "uva10561", "a", "b"], "several files need a folder for their answers: -o FOLDER"),
        (&["solve", "-f", "uva10561", "--retry-for", "soon"], "500ms"),
        (&["solve", "-f", "uva10561", "--batch-bytes", "much"], "64KiB"),
        (&["solve", "-f", "uva10561", "--server", "localhost"], "the port is missing or too large; write HOST:PORT"),
        (&["solve", "-f", "uva10561", "--connections", "0"], "write a whole number in digits, 1 to 64"),
        (&["solve", "-f", "treblecross"], "[possible values: uva10561, lightoj1229, poj3537"),
        (&["solve", "uva10561", "a.in"], "as in -f uva10561: uva10561, lightoj1229, poj3537"),
        (&["validate", "-f", "uva10561", "--strict"], "unexpected argument '--strict' found"),
        (&["info", "127.0.0.1:50051"], "unexpected argument '127.0.0.1:50051' found"),
        (&["explain", "darkraft", r"X/", r"\X"], "with commas between its rows: type 'X/,\\X'\n"),
        (&["explain", "treblecross", ".....", "--case", "1"], "--case is for a judge file: sprague explain -f FORMAT"),
        (
            &["explain", "treblecross", ".....", "--letters", "gdoi2016"],
            "--letters is for darkraft: treblecross has no",
        ),
        (&["explain", "darkraft", "XL", "--letters", "uva10561"], "[possible values: codeforces138d, gdoi2016]"),
        (&["explain", "darkraft", "X", "--json", "--svg", "-"], "--json and --svg - cannot share standard output"),
        (&["explain", "-f", "uva10561"], "sprague explain [OPTIONS] --format <FORMAT> --case <K> <FILE>"),
        (
            &["explain", "-f", "uva10561", "a.in", "--case", "0"],
            "write a whole number in digits, 1 to 18446744073709551615",
        ),
        (&["validate", "-f", "uva10561", "--most", "all"], "write a whole number in digits, 0 to 18446744073709551615"),
        (&["slove"], "a similar subcommand exists: 'solve'"),
        (&[], "Usage: sprague"),
    ] {
        let done = run(arguments, "");
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(done.err.contains(message), "{arguments:?}: {}", done.err);
    }
}

#[test]
fn one_fault_has_one_wording() {
    for (format, file, board, words) in [
        ("uva10561", "1\n..x\n", "..x", "cell 3 is 'x': use 'X'"),
        ("uva10561", "1\nO..\n", "O..", "cell 1 is 'O': a cell is '.' or 'X'"),
        ("lightoj1229", "1\n..é\n", "..é", "cell 3 is 'é': a cell is '.' or 'X'"),
        ("uva10561", "1\n.XXX\n", ".XXX", "the game is already over: XXX at cells 2, 3 and 4"),
        ("gdoi2016", "2 2\nXL\nLx\n", "XL,Lx", "row 2 of 2 has 'x' as letter 2 of 2: use 'X'"),
        ("gdoi2016", "1 2\nX.\n", "X.", "row 1 of 1 has '.' as letter 2 of 2: a cell is 'L', 'R' or 'X'"),
        ("gdoi2016", "2 1\nX\nXX\n", "X,XX", "row 2 of 2 is too long: expected 1 letter"),
        ("luogu-p2599", "1\n2\n3 x\n", "3,x", "\"x\" is no number: expected pile 2"),
        ("luogu-p2599", "1\n2\n3 -1\n", "3,-1", "\"-1\" is negative: expected pile 2"),
        (
            "luogu-p2599",
            "1\n1\n18446744073709551616\n",
            "18446744073709551616",
            "does not fit 64 bits: expected pile 1",
        ),
    ] {
        for (arguments, input) in [
            (&["solve", "-f", format][..], file),
            (&["validate", "-f", format], file),
            (&["explain", format, board], ""),
        ] {
            let done = run(arguments, input);
            assert!(done.code == Some(65) || done.code == Some(1), "{arguments:?}: {done:?}");
            assert!(done.err.contains(words), "{arguments:?}: {}", done.err);
        }
    }
}

#[test]
fn settings_come_from_the_environment_too() {
    let done = super::command::sprague(&["info"]).env("SPRAGUE_SERVER", "nonsense").assert().code(2);
    let err = String::from_utf8_lossy(&done.get_output().stderr);
    assert!(err.contains("\"nonsense\" is no server address"), "{err}");
}

#[test]
fn formats_lists_every_format_and_shows_each_with_its_sample() {
    let table = run(&["formats"], "").out;
    for format in Format::ALL {
        let line = table.lines().find(|line| line.starts_with(format.name())).expect("a line a format");
        assert!(line.contains(format.game().name()) && line.contains(format.title()));
        for name in format.aliases().iter().chain([&format.name()]) {
            assert!(line.contains(name));
            let page = run(&["formats", name], "");
            let (input, answer) = format.sample();
            assert!(page.out.contains(input) && page.out.ends_with(answer), "{name}: {}", page.out);
            assert_eq!(run(&["solve", "-f", name], input).out, answer);
        }
    }
}

#[test]
fn info_shows_the_version_and_the_limits() {
    let done = run(&["info"], "");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    for what in [env!("CARGO_PKG_VERSION"), "treblecross", "up to 64 rows and 64 columns", "end-nim", "16MiB", "memory"]
    {
        assert!(done.out.contains(what), "{what}: {}", done.out);
    }
}
