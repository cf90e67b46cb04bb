//! Names of files that would take a message apart: line ends, colours, text from right to left, bytes that are no UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::command::{Run, sprague};
use super::spragued;

/// A name and how messages show it.
const NAME: &[u8] = b"a\n7:1: \x1b[31m\xe2\x80\xae\xff";
const SHOWN: &str = r"a\n7:1: \u{1b}[31m\u{202e}\xff";

fn run(folder: &Path, arguments: &[&[u8]], input: &str) -> Run {
    let mut command = sprague(&[]);
    command.args(arguments.iter().map(|argument| OsStr::from_bytes(argument))).current_dir(folder);
    command.write_stdin(input).output().unwrap().into()
}

fn name(ending: &str) -> Vec<u8> {
    [NAME, ending.as_bytes()].concat()
}

#[test]
fn a_message_is_one_line_whatever_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let put = |ending: &str, text: &str| fs::write(folder.join(OsStr::from_bytes(&name(ending))), text).unwrap();
    put(".in", "1\n..x\n");
    put(".good", "1\n...\n");
    put(".out", "WINNING\n1\n");
    fs::create_dir(folder.join(OsStr::from_bytes(&name(".tests")))).unwrap();
    let (bad, good, out, tests) = (name(".in"), name(".good"), name(".out"), name(".tests"));
    let inside = [&tests[..], b"/a.out"].concat();
    let (bad, good, out, tests, none) = (&bad[..], &good[..], &out[..], &tests[..], &name(".none")[..]);
    let f: &[&[u8]] = &[b"-f", b"uva10561"];
    let typed = r"$'a\x0a7:1: \x1b[31m\xe2\x80\xae\xff";
    let command = |command: &'static str, more: &[&[u8]]| {
        [&[command.as_bytes()], f, more].concat().into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    for (arguments, code, out, err) in [
        (command("solve", &[bad]), 65, String::new(), format!("{SHOWN}.in:2:3: case 1: cell 3 is 'x': use 'X'\n")),
        (
            command("solve", &[none]),
            74,
            String::new(),
            format!("sprague: {SHOWN}.none cannot be read: No such file or directory (os error 2)\n"),
        ),
        (
            command("solve", &[good, b"-o", tests]),
            0,
            String::new(),
            format!("{SHOWN}.good: 1 case -> {SHOWN}.tests/{SHOWN}.good.out\n"),
        ),
        (
            command("solve", &[good, b"-o", good]),
            2,
            String::new(),
            format!("sprague: the answers would replace the judge file {SHOWN}.good: type -o {typed}.good.out'\n"),
        ),
        (
            command("solve", &[b"-o", none, bad]),
            65,
            String::new(),
            format!("{SHOWN}.in:2:3: case 1: cell 3 is 'x': use 'X'\n"),
        ),
        (
            command("validate", &[bad, good]),
            1,
            String::new(),
            format!(
                "{SHOWN}.in:2:3: case 1: cell 3 is 'x': use 'X'\n{SHOWN}.good: 1 case, as the statement of uva10561 has them\n"
            ),
        ),
        (
            command("check", &[good, out]),
            1,
            format!(
                "{SHOWN}.out:2: case 1: wrong answer: printed 1, right is 1 2 3; 2 is missing: it wins, it leaves nothing of its zone; nim-sum 0\n"
            ),
            String::new(),
        ),
        (
            command("explain", &[bad, b"--case", b"1"]),
            65,
            String::new(),
            format!("{SHOWN}.in:2:3: case 1: cell 3 is 'x': use 'X'\n"),
        ),
        (command("info", &[]), 2, String::new(), String::new()),
        (
            vec![b"info".to_vec(), b"--server".to_vec(), [b"unix:/none/", NAME].concat()],
            2,
            String::new(),
            String::new(),
        ),
        (
            vec![
                b"info".to_vec(),
                b"--ca".to_vec(),
                none.to_vec(),
                b"--server".to_vec(),
                b"https://127.0.0.1:1".to_vec(),
            ],
            74,
            String::new(),
            format!("sprague: {SHOWN}.none cannot be read: No such file or directory (os error 2)\n"),
        ),
        (command("generate", &[b"--cases", b"1", b"-d", tests, b"--kinds", b"edges"]), 0, String::new(), String::new()),
        (command("solve", &[tests, b"-o", &inside]), 0, String::new(), String::new()),
    ] {
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let done = run(folder, &arguments, "");
        let shown = String::from_utf8_lossy(&arguments.concat()).into_owned();
        assert_eq!(done.code, Some(code), "{shown}: {}", done.err);
        if !out.is_empty() || !err.is_empty() {
            assert_eq!((done.out.as_str(), done.err.as_str()), (out.as_str(), err.as_str()), "{shown}");
        }
        for text in [&done.out, &done.err] {
            assert!(!text.contains(['\x1b', '\u{202e}', '\u{fffd}']), "{shown}: {text:?}");
        }
    }
}

#[test]
fn what_a_server_is_named_is_shown_with_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix:{}/a\n\x1b[31m", folder.path().display());
    let server = spragued::Server::start(&socket);
    let shown = format!(r"unix:{}/a\n\u{{1b}}[31m", folder.path().display());
    assert_eq!(server.address, shown);
    let info = super::command::run(&["info", "--server", &socket], "");
    assert!(info.out.starts_with(&format!("{shown}: sprague ")), "{}{}", info.out, info.err);
    server.drain();
    let refused = super::command::run(&["info", "--retry-for", "0s", "--server", &socket], "");
    assert!(refused.err.starts_with(&format!("sprague: no server answered for 0s: {shown}: ")), "{}", refused.err);
    assert_eq!(refused.err.lines().count(), 1, "{}", refused.err);

    for arguments in [
        &["--token-file", "no\n\x1b[31m"][..],
        &["--tls-cert", "no\n\x1b[31m", "--tls-key", "no\n\x1b[31m"],
        &["--listen", "unix:/none/no\n\x1b[31m"],
        &["--listen", "no\n\x1b[31m:1"],
        &["--no\n\x1b[31m"],
        &["--log", "no\n\x1b[31m"],
        &["--token-file", "no\n\x1b[31m", "--print-config"],
    ] {
        let done = spragued::run(arguments);
        let text = format!("{}{}", done.out, done.err);
        assert!(text.contains(r"no\n\u{1b}[31m") && !text.contains('\x1b'), "{arguments:?}: {text}");
    }
    let unknown = super::command::run(&["solve", "--no\n\x1b[31m"], "");
    assert!(unknown.err.contains(r"--no\n\u{1b}[31m") && !unknown.err.contains('\x1b'), "{}", unknown.err);
}
