//! What the server's command line lets an operator see: metrics by HTTP, and a line for every stream.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use super::command::{rows, run};
use super::spragued::Server;

/// The lines of a log in JSON with this message, once there are some.
fn lines(log: &Path, message: &str) -> Vec<serde_json::Value> {
    for _ in 0..200 {
        let text = std::fs::read_to_string(log).unwrap();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let found: Vec<_> =
            lines.map(|line| line["fields"].clone()).filter(|fields| fields["message"] == message).collect();
        if !found.is_empty() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no line {message:?} in {}", std::fs::read_to_string(log).unwrap());
}

#[test]
fn a_stream_leaves_a_line_with_its_peer_boards_time_and_code_and_metrics_that_count_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let arguments = ["--metrics-listen", "127.0.0.1:0", "--log-format", "json"].map(String::from);
    let server = Server::start_logging(&arguments, &log);
    let done = run(&["solve", "-f", "uva10561", "--connections", "1", "--server", &server.address], &rows(300));
    assert_eq!(done.code, Some(0), "{}", done.err);

    let calls = lines(&log, "call");
    let [call] = &calls[..] else { panic!("one stream, and no line for a short call that went well: {calls:?}") };
    assert_eq!(
        (call["method"].as_str(), call["boards"].as_u64()),
        (Some("/sprague.v1.SpragueService/SolveStream"), Some(300))
    );
    assert_eq!(call["code"].as_str(), Some("Ok"));
    assert!(call["peer"].as_str().unwrap().starts_with("127.0.0.1:"), "{call}");
    assert!(call["seconds"].as_f64().unwrap() > 0.0, "{call}");

    let page = lines(&log, "metrics")[0]["address"].as_str().unwrap().to_owned();
    let mut http = TcpStream::connect(page).unwrap();
    http.write_all(b"GET /metrics HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    http.read_to_string(&mut answer).unwrap();
    let all: u64 = answer
        .lines()
        .filter(|line| line.starts_with("sprague_boards_total"))
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(all, 300, "{answer}");
}
