//! The server's log is a convenience: whatever becomes of standard error, calls are answered and it ends as it should.

use std::fs::File;
use std::io::{PipeReader, Read as _, Write as _, pipe};
use std::process::Stdio;

use rustix::process::Signal;

use super::command::{answers, rows, run as sprague};
use super::spragued::{Server, run};

/// What a pipe holds.
const PIPE: usize = 64 * 1024;

/// Where the log of a server goes, and what keeps the other end of it open.
fn sinks() -> [(&'static str, Stdio, Option<PipeReader>); 3] {
    let (reader, mut writer) = pipe().unwrap();
    writer.write_all(&[b'.'; PIPE]).unwrap();
    [
        ("full", File::options().write(true).open("/dev/full").unwrap().into(), None),
        ("left", pipe().unwrap().1.into(), None),
        ("not read", writer.into(), Some(reader)),
    ]
}

#[test]
fn calls_are_answered_and_a_drain_ends_well_whatever_standard_error_is() {
    let input = rows(3000);
    let expected = answers(&input);
    for (name, sink, held) in sinks() {
        let server = Server::start_with_log(sink, &["--log", "debug"]);
        for _ in 0..3 {
            let done = sprague(&["solve", "-f", "uva10561", "--server", &server.address], &input);
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{name}");
            assert_eq!(done.out, expected, "{name}");
        }
        server.signal(Signal::HUP);
        server.drain();
        drop(held);
    }
}

#[test]
fn dropped_lines_are_counted_and_told_once_there_is_room() {
    let (mut reader, mut writer) = pipe().unwrap();
    writer.write_all(&[b'.'; PIPE]).unwrap();
    let server = Server::start_with_log(writer.into(), &["--log", "trace"]);
    let input = rows(200);
    // Far more lines than wait for a reader.
    for _ in 0..20 {
        assert_eq!(sprague(&["solve", "-f", "uva10561", "--server", &server.address], &input).code, Some(0));
    }
    let mut log = Vec::new();
    let mut piece = vec![0; PIPE];
    while !String::from_utf8_lossy(&log).contains("log lines were dropped") {
        let read = reader.read(&mut piece).unwrap();
        assert!(read > 0, "the log ended without a word of what was dropped");
        log.extend_from_slice(&piece[..read]);
    }
    drop(reader);
    server.drain();
}

#[test]
fn what_is_asked_for_and_cannot_be_printed_is_exit_74() {
    for arguments in [["--help"], ["--version"], ["--print-config"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("spragued"));
        let done = command.args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(done.status.code(), Some(74), "{arguments:?}");
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(said, "spragued: cannot write to standard output: No space left on device (os error 28)\n");
        assert_eq!(run(&arguments).code, Some(0));
    }
}
