//! Values at the edge on both command lines and in the environment: durations, sizes and numbers of any magnitude.

use super::command::{Run, run, sprague};
use super::spragued;

/// Longer than any clock can count, by a second and by much.
const ENDLESS: [&str; 3] = ["18446744073709551615s", "18446744073709551616s", "99999999999999999999999y"];

#[test]
fn durations_that_no_clock_can_count_are_refused_with_the_bound() {
    for value in ENDLESS {
        for (flag, bounds) in [("--retry-for", "write 0s to 1year"), ("--timeout", "write 1ms to 1year")] {
            let done = run(&["solve", "-f", "uva10561", flag, value], "1\n...\n");
            assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{flag} {value}");
            assert!(done.err.contains(bounds), "{flag} {value}: {}", done.err);
        }
        for (flag, bounds) in [
            ("--stall-timeout", "write 1ms to 1year"),
            ("--handshake-timeout", "write 1ms to 1year"),
            ("--keepalive-interval", "write 1ms to 1year"),
            ("--keepalive-timeout", "write 1ms to 1year"),
            ("--drain-delay", "write 0s to 1year"),
            ("--drain-timeout", "write 0s to 1year"),
        ] {
            let done = spragued::run(&["--listen", "127.0.0.1:0", flag, value]);
            assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{flag} {value}");
            assert!(done.err.contains(bounds), "{flag} {value}: {}", done.err);
        }
    }
}

#[test]
fn sizes_and_numbers_out_of_bounds_are_refused_with_the_bounds() {
    for (flag, value, bounds) in [
        ("--batch-bytes", "0", "write 1 to 1GiB"),
        ("--batch-bytes", "18446744073709551616", "write 1 to 1GiB"),
        ("--connections", "18446744073709551616", "write a whole number in digits, 1 to 64"),
    ] {
        let done = run(&["solve", "-f", "uva10561", flag, value], "1\n...\n");
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{flag} {value}");
        assert!(done.err.contains(bounds), "{flag} {value}: {}", done.err);
    }
    for (flag, value, bounds) in [
        ("--message-bytes", "2GiB", "write 4KiB to 1GiB"),
        ("--message-bytes", "18446744073709551616", "write 4KiB to 1GiB"),
        ("--queued-bytes", "16EiB", "write 4KiB to 1PiB"),
        ("--stall-timeout", "0s", "write 1ms to 1year"),
        ("--handshake-timeout", "0s", "write 1ms to 1year"),
        ("--keepalive-interval", "0s", "write 1ms to 1year"),
        ("--keepalive-timeout", "1ns", "write 1ms to 1year"),
        ("--workers", "0", "write a whole number in digits, 1 to 1024"),
        ("--streams", "many", "write a whole number in digits, 1 to 999999"),
        ("--calls", "1000000", "write a whole number in digits, 1 to 999999"),
        ("--connections", "0", "write a whole number in digits, 1 to 999999"),
        ("--boards-per-batch", "4294967296", "write a whole number in digits, 1 to 4294967295"),
        ("--batches-in-flight", "0", "write a whole number in digits, 1 to 4294967295"),
        ("--cost-per-board", "18446744073709551616", "write a whole number in digits, 1 to 18446744073709551615"),
        ("--max-treblecross-cells", "1000001", "write a whole number in digits, 1 to 1000000"),
        ("--max-darkraft-rows", "65", "write a whole number in digits, 1 to 64"),
        ("--max-darkraft-columns", "0", "write a whole number in digits, 1 to 64"),
        ("--max-end-nim-piles", "0", "write a whole number in digits, 1 to 1000000"),
    ] {
        let done = spragued::run(&["--listen", "127.0.0.1:0", flag, value]);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{flag} {value}");
        assert!(done.err.contains(bounds), "{flag} {value}: {}", done.err);
    }
}

#[test]
fn the_largest_values_serve() {
    let arguments = "--stall-timeout 1y --handshake-timeout 1y --keepalive-interval 1y --keepalive-timeout 1y \
        --drain-timeout 1y --message-bytes 1GiB --queued-bytes 1PiB --boards-per-batch 4294967295 \
        --batches-in-flight 4294967295 --cost-per-board 18446744073709551615 --streams 999999 --calls 999999 \
        --connections 999999";
    let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
    let server = spragued::Server::start_with("127.0.0.1:0", &arguments);
    let flags = ["--retry-for", "1y", "--timeout", "1y", "--batch-bytes", "1GiB", "--connections", "64"];
    let mut command = sprague(&["solve", "-f", "uva10561", "--server", &server.address]);
    let done = Run::from(command.args(flags).write_stdin("1\n...\n").output().unwrap());
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "WINNING\n1 2 3\n", ""));
    server.drain();
}

#[test]
fn without_a_second_attempt_there_is_still_a_first() {
    for command in [&["solve", "-f", "uva10561"][..], &["explain", "treblecross", "..."]] {
        let done = run(&[command, &["--retry-for", "0s"]].concat(), "1\n...\n");
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{command:?}");
    }
    let refused = run(&["info", "--retry-for", "0s", "--server", "127.0.0.1:1"], "");
    assert_eq!(refused.code, Some(69));
    assert!(refused.err.contains("no server answered for 0s: 127.0.0.1:1: Connection refused"), "{}", refused.err);
}

#[test]
fn an_empty_variable_counts_as_unset_and_blanks_around_a_value_for_nothing() {
    let names = ["SERVER", "CA", "CERT", "KEY", "TOKEN_FILE", "INSECURE", "CONNECTIONS", "RETRY_FOR", "TIMEOUT"];
    for value in ["", "  "] {
        let mut command = sprague(&["solve", "-f", "uva10561"]);
        command.envs(names.map(|name| (format!("SPRAGUE_{name}"), value)));
        let done = Run::from(command.write_stdin("1\n...\n").output().unwrap());
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "WINNING\n1 2 3\n", ""), "{value:?}");
    }
    let server = spragued::Server::start("127.0.0.1:0");
    let mut command = sprague(&["info"]);
    command.env("SPRAGUE_SERVER", format!(" {0} , {0}\n", server.address)).env("SPRAGUE_RETRY_FOR", " 5s ");
    let done = Run::from(command.output().unwrap());
    assert!(done.out.starts_with(&format!("{}: sprague ", server.address)), "{}{}", done.out, done.err);

    for (variable, value, line) in [
        ("SPRAGUED_LISTEN", "", "listen = 127.0.0.1:50051  (default)"),
        ("SPRAGUED_STALL_TIMEOUT", " ", "stall-timeout = 1m  (default)"),
        ("SPRAGUED_LOG_FORMAT", "", "log-format = text  (default)"),
        ("SPRAGUED_TRUSTED_PROXY", " ", "trusted-proxy =   (default)"),
        (
            "SPRAGUED_TRUSTED_PROXY",
            "10.0.0.1, 10.0.0.0/8",
            "trusted-proxy = 10.0.0.1, 10.0.0.0/8  (SPRAGUED_TRUSTED_PROXY)",
        ),
        ("SPRAGUED_INSECURE", "", "insecure = false  (default)"),
        ("SPRAGUED_INSECURE", "1", "insecure = 1  (SPRAGUED_INSECURE)"),
    ] {
        let config = spragued::run_with(&["--print-config"], variable, value);
        assert!(config.out.lines().any(|found| found == line), "{variable}={value:?}: {}{}", config.out, config.err);
    }
}

#[test]
fn a_wrong_variable_is_named_and_a_flag_wins_over_it() {
    for (variable, value) in [
        ("SPRAGUED_LISTEN", "50051"),
        ("SPRAGUED_INSECURE", "perhaps"),
        ("SPRAGUED_WORKERS", "x"),
        ("SPRAGUED_LOG_FORMAT", "xml"),
        ("SPRAGUED_LOG", "loud"),
        ("SPRAGUED_MESSAGE_BYTES", "1"),
        ("SPRAGUED_STALL_TIMEOUT", ENDLESS[0]),
        ("SPRAGUED_TLS_CERT", "without-its-key.pem"),
        // Nobody is to be let in because a file's name was lost.
        ("SPRAGUED_TOKEN_FILE", ""),
        ("SPRAGUED_CLIENT_CA", ""),
    ] {
        let refused = spragued::run_with(&["--print-config"], variable, value);
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{variable}: {}", refused.err);
        assert!(refused.err.contains(&format!("tip: from the environment variable {variable}\n")), "{}", refused.err);
    }
    for (variable, value) in [
        ("SPRAGUE_SERVER", "localhost"),
        ("SPRAGUE_SERVER", "127.0.0.1:1,"),
        ("SPRAGUE_INSECURE", "perhaps"),
        ("SPRAGUE_CONNECTIONS", "65"),
        ("SPRAGUE_RETRY_FOR", ENDLESS[0]),
        ("SPRAGUE_TIMEOUT", "soon"),
        ("SPRAGUE_BATCH_BYTES", "0"),
        ("SPRAGUE_KEY", "without-its-certificate.key"),
    ] {
        let refused = Run::from(sprague(&["info"]).env(variable, value).output().unwrap());
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{variable}: {}", refused.err);
        assert!(refused.err.contains(&format!("tip: from the environment variable {variable}\n")), "{}", refused.err);
    }
    let typed = Run::from(sprague(&["info", "--timeout=soon"]).env("SPRAGUE_TIMEOUT", "later").output().unwrap());
    assert!(typed.err.contains("\"soon\" is no duration") && !typed.err.contains("environment"), "{}", typed.err);
    let config = spragued::run_with(&["--stall-timeout", "2s", "--print-config"], "SPRAGUED_STALL_TIMEOUT", "3s");
    assert!(config.out.contains("stall-timeout = 2s  (command line)\n"), "{}", config.out);
}
