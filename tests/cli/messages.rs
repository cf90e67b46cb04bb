//! What the client says: help, formats, servers, and what is wrong with a command line.

use sprague::judge::Format;

use super::command::run;

#[test]
fn a_wrong_command_line_says_what_would_be_right() {
    for (arguments, message) in [
        (&["solve", "-f", "uva1056"][..], "a similar value exists: 'uva10561'"),
        (&["solve"], "--format <FORMAT>"),
        (&["solve", "-f", "uva10561", "a", "b"], "several files need a folder for their answers: -o FOLDER"),
        (&["solve", "-f", "uva10561", "--retry-for", "soon"], "500ms"),
        (&["solve", "-f", "uva10561", "--batch-bytes", "much"], "64KiB"),
        (&["solve", "-f", "uva10561", "--server", "localhost"], "the port is missing or too large; write HOST:PORT"),
        (&["solve", "-f", "uva10561", "--connections", "0"], "1..=64"),
        (&["slove"], "a similar subcommand exists: 'solve'"),
        (&[], "Usage: sprague"),
    ] {
        let done = run(arguments, "");
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(done.err.contains(message), "{arguments:?}: {}", done.err);
    }
}

#[test]
fn settings_come_from_the_environment_too() {
    let done = super::command::sprague(&["info"]).env("SPRAGUE_SERVER", "nonsense").assert().code(2);
    let err = String::from_utf8_lossy(&done.get_output().stderr);
    assert!(err.contains("'nonsense' is no server address"), "{err}");
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
    for what in [env!("CARGO_PKG_VERSION"), "treblecross", "up to 64 rows and 64 columns", "end-nim", "16MiB"] {
        assert!(done.out.contains(what), "{what}: {}", done.out);
    }
}
