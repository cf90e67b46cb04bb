//! The server's standard error and standard output: full, closed, without a reader, or with one that has stopped.

use std::io::{PipeReader, PipeWriter, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use sprague::wire::v1;
use sprague::wire::v1::sprague_service_client::SpragueServiceClient;

use super::authority::{Authority, put};
use super::command::{Run, answers, rows, run as sprague};
use super::spragued::{Server, command, run};

/// A pipe that takes no more, and its reader.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b'\n'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    (reader, writer)
}

fn full() -> Stdio {
    std::fs::File::options().write(true).open("/dev/full").unwrap().into()
}

#[test]
fn nothing_but_the_log_depends_on_standard_error() {
    let input = rows(3000);
    let right = answers(&input);
    for log in ["info", "debug"] {
        let (_stopped, blocked) = full_pipe();
        let (gone, without_reader) = std::io::pipe().unwrap();
        drop(gone);
        let mut closed = Command::new("sh");
        closed.args(["-c", "exec \"$@\" 2>&-", "sh"]).arg(command().get_program());
        closed.args(["--listen", "127.0.0.1:0", "--log", log]);
        for (name, server) in [
            ("closed", Server::spawn(&mut closed)),
            ("full", Server::start_with_log(full(), &["--log", log])),
            ("gone", Server::start_with_log(without_reader.into(), &["--log", log])),
            ("blocked", Server::start_with_log(blocked.into(), &["--log", log])),
        ] {
            let done = sprague(&["solve", "-f", "uva10561", "--server", &server.address], &input);
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{name}, {log}");
            assert!(done.out == right, "{name}, {log}");
            let done = sprague(&["explain", "treblecross", "...X...", "--server", &server.address], "");
            assert_eq!(done.code, Some(0), "{name}, {log}: {}", done.err);
            server.signal(Signal::HUP);
            // Its exit code is asserted to be 0.
            let begun = Instant::now();
            server.drain();
            assert!(begun.elapsed() < Duration::from_secs(10), "{name}, {log}");
        }
    }
}

#[test]
fn lines_that_are_dropped_are_counted_and_told_once_the_reader_reads_again() {
    let (mut stopped, blocked) = full_pipe();
    let metrics = free_address();
    let server = Server::start_with_log(blocked.into(), &["--log", "trace", "--metrics-listen", &metrics]);
    let input = rows(3000);
    let dropped = "\nsprague_log_lines_dropped_total ";
    let begun = Instant::now();
    loop {
        let page = page(&metrics);
        let count = page.split(dropped).nth(1).unwrap().lines().next().unwrap();
        if count != "0" {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(50), "{page}");
        assert_eq!(sprague(&["solve", "-f", "uva10561", "--server", &server.address], &input).code, Some(0));
    }
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        stopped.read_to_string(&mut text).unwrap();
        text
    });
    // What waited is written by then; the rest at the end.
    std::thread::sleep(Duration::from_millis(500));
    server.drain();
    let text = reading.join().unwrap();
    assert!(text.contains(" log lines were dropped: standard error did not take them in time"), "{}", text.len());
    assert!(text.trim_end().ends_with("stopped"), "{}", &text[text.len() - 200..]);
}

fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// The page of metrics.
fn page(address: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn what_is_printed_and_does_not_arrive_is_exit_74() {
    for asked in ["--help", "--version", "--print-config"] {
        let done: Run = command().arg(asked).stdout(full()).output().unwrap().into();
        assert_eq!(done.code, Some(74), "{asked}: {}", done.err);
        assert!(done.err.starts_with("spragued: cannot write to standard output: "), "{asked}: {}", done.err);
        assert_eq!(command().arg(asked).stdout(full()).stderr(full()).status().unwrap().code(), Some(74), "{asked}");
        // A reader that has seen enough is no fault.
        let (gone, writer) = std::io::pipe().unwrap();
        drop(gone);
        let done: Run = command().arg(asked).stdout(writer).output().unwrap().into();
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{asked}");
    }
}

#[test]
fn errors_have_their_exit_code_whether_they_are_read_or_not() {
    for (arguments, code) in [
        (&["--bogus"][..], 2),
        (&["--listen", "0.0.0.0:0"], 2),
        (&["--listen", "127.0.0.1:0", "--token-file", "/does/not/exist"], 74),
    ] {
        let (_stopped, blocked) = full_pipe();
        for standard_error in [full(), blocked.into()] {
            let done = command().args(arguments).stderr(standard_error).status().unwrap();
            assert_eq!(done.code(), Some(code), "{arguments:?}");
        }
        assert_ne!(run(arguments).err, "", "{arguments:?}");
    }
}

#[test]
fn a_limit_that_is_too_low_ends_the_server_at_once_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("spragued");
    std::fs::copy(command().get_program(), &program).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode;
    std::fs::set_permissions(folder.path(), mode(0o755)).unwrap();
    let is_root = rustix::process::getuid().is_root();
    for (limit, values) in [("-u", 1..=7), ("-n", 6..=12), ("-v", 300_000..=300_000)] {
        // Root may have as many processes as it likes.
        let shell: &[&str] = match limit {
            "-u" if is_root => &["setpriv", "--reuid", "65534", "--clear-groups", "bash"],
            _ => &["bash"],
        };
        for value in values {
            let script = format!("ulimit {limit} {value} && exec {} --listen 127.0.0.1:0", program.display());
            let begun = Instant::now();
            let mut command = Command::new(shell[0]);
            let done: Run = command.args(&shell[1..]).args(["-c", &script]).output().unwrap().into();
            assert_eq!((done.code, done.out.as_str()), (Some(70), ""), "{limit} {value}: {}", done.err);
            assert!(done.err.contains(&format!("ulimit {limit}")), "{limit} {value}: {}", done.err);
            assert!(begun.elapsed() < Duration::from_secs(10), "{limit} {value}");
        }
    }
}

#[test]
fn refusals_are_one_log_line_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let (log, tokens) = (folder.path().join("log"), put(folder.path(), "tokens", "a-token-of-this-test"));
    let server = Server::start_logging(&["--token-file".into(), tokens.display().to_string()], &log);
    let begun = Instant::now();
    for _ in 0..20 {
        assert_eq!(sprague(&["info", "--server", &server.address], "").code, Some(77));
    }
    let seconds = begun.elapsed().as_secs() as usize;
    server.drain();
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("TOKEN_MISSING")).collect();
    assert!((1..=seconds + 2).contains(&lines.len()), "{text}");
    let count = |line: &&str| line.split("refused ").nth(1).unwrap().split(' ').next().unwrap().parse::<u32>().unwrap();
    assert_eq!(lines.iter().map(count).sum::<u32>(), 20, "{text}");
    // Started, refused, draining, stopped, and no line for any single call.
    assert_eq!(text.lines().count(), lines.len() + 3, "{text}");
}

#[test]
fn warnings_of_libraries_are_one_log_line_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server = Server::start_logging(&[], &log);
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    // The answer to a PING that nobody sent, of which h2 warns.
    let pong = [0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    stream.write_all(&settings).unwrap();
    stream.write_all(&pong.repeat(1000)).unwrap();
    let begun = Instant::now();
    let lines = loop {
        let text = std::fs::read_to_string(&log).unwrap();
        let lines: Vec<String> = text.lines().filter(|line| line.contains("PING")).map(str::to_owned).collect();
        let count = |line: &String| line.split(" of libraries").next()?.split(' ').rev().nth(1)?.parse::<u32>().ok();
        if lines.iter().filter_map(count).sum::<u32>() == 1000 {
            break lines;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{text}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(lines.len() <= begun.elapsed().as_secs() as usize + 2, "{lines:#?}");
}

/// The log's only line of a call, once it is there.
fn call_line(log: &Path) -> String {
    for _ in 0..200 {
        let text = std::fs::read_to_string(log).unwrap();
        if let Some(line) = text.lines().find(|line| line.contains(": call ")) {
            return line.to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no line of a call: {}", std::fs::read_to_string(log).unwrap());
}

#[tokio::test]
async fn calls_are_named_by_their_trace_or_by_a_request_id_that_a_failure_carries() {
    let folder = tempfile::tempdir().unwrap();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (name, header, value, field) in [
        ("traced", "traceparent", format!("00-{trace}-00f067aa0ba902b7-01"), format!("trace_id={trace}")),
        ("given", "x-request-id", "mine-1".into(), "request_id=mine-1".into()),
        ("made", "x-other", "1".into(), "request_id=".into()),
        ("unfit", "traceparent", "00-\\n-0-01".into(), "request_id=".into()),
    ] {
        let log = folder.path().join(name);
        let server = Server::start_logging(&["--log".into(), "sprague=debug".into()], &log);
        let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address)).unwrap();
        let channel = endpoint.connect().await.unwrap();
        let mut request = tonic::Request::new(v1::GetServerInfoRequest {});
        request.metadata_mut().insert(header, value.parse().unwrap());
        SpragueServiceClient::new(channel.clone()).get_server_info(request).await.unwrap();
        let line = call_line(&log);
        assert!(line.contains(&field), "{line}");
        assert_eq!(line.contains("trace_id="), name == "traced", "{line}");

        let mut grpc = tonic::client::Grpc::new(channel);
        grpc.ready().await.unwrap();
        let mut request = tonic::Request::new(v1::GetServerInfoRequest {});
        request.metadata_mut().insert(header, value.parse().unwrap());
        let codec = tonic_prost::ProstCodec::<v1::GetServerInfoRequest, v1::GetServerInfoResponse>::default();
        let path = "/sprague.v1.SpragueService/Nothing".parse().unwrap();
        let status = grpc.unary(request, path, codec).await.unwrap_err();
        let id = status.metadata().get("x-request-id").map(|id| id.to_str().unwrap());
        match name {
            "traced" => assert_eq!(id, None),
            "given" => assert_eq!(id, Some("mine-1")),
            _ => assert_eq!(id.map(str::len), Some(16), "{id:?}"),
        }
    }
}

#[test]
fn a_certificate_that_is_not_valid_now_is_a_warning_at_the_start_and_when_it_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let put_both = |until| {
        let identity = authority.sign_for("127.0.0.1", until);
        put(folder.path(), "key", &identity.key);
        put(folder.path(), "cert", &identity.cert);
    };
    let path = |name: &str| folder.path().join(name).display().to_string();
    let log = folder.path().join("log");
    let arguments = ["--tls-cert".into(), path("cert"), "--tls-key".into(), path("key"), "--log".into(), "warn".into()];
    let warned = || std::fs::read_to_string(&log).unwrap();
    put_both(2100);
    let server = Server::start_logging(&arguments, &log);
    assert_eq!(warned(), "");
    put_both(2020);
    server.signal(Signal::HUP);
    let expired = format!("the certificate in {} expired at 2020-01-01T00:00:00Z", path("cert"));
    for _ in 0..200 {
        if warned().contains(&expired) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(warned().contains(" WARN ") && warned().contains(&expired), "{}", warned());
    drop(server);
    let _server = Server::start_logging(&arguments, &log);
    assert!(warned().contains(&expired), "{}", warned());
}
