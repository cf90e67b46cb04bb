//! The client against the real server: over TCP and a socket, killed and replaced in the middle of a run.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::command::{answers, names, rows, run as sprague};

/// A `spragued` of its own, killed when dropped.
pub struct Server {
    child: Child,
    pub address: String,
}

pub fn command() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("spragued"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SPRAGUE")) {
        command.env_remove(name);
    }
    command
}

/// Runs `spragued` where it ends by itself.
pub fn run(arguments: &[impl AsRef<std::ffi::OsStr>]) -> super::command::Run {
    command().args(arguments).output().unwrap().into()
}

/// The same, with a variable in its environment.
pub fn run_with(arguments: &[&str], variable: &str, value: &str) -> super::command::Run {
    command().args(arguments).env(variable, value).output().unwrap().into()
}

impl Server {
    pub fn start(listen: &str) -> Server {
        Server::start_with(listen, &[])
    }

    /// A quiet server with further arguments.
    pub fn start_with(listen: &str, arguments: &[String]) -> Server {
        Server::spawn(command().args(["--listen", listen, "--log", "off"]).args(arguments))
    }

    /// A server that logs into a file: nobody would empty a pipe.
    pub fn start_logging(arguments: &[String], log: &Path) -> Server {
        let log = std::fs::File::create(log).unwrap();
        Server::spawn(command().args(["--listen", "127.0.0.1:0"]).args(arguments).stderr(log))
    }

    /// A server whose log goes to `stderr`.
    pub fn start_with_log(stderr: Stdio, arguments: &[&str]) -> Server {
        Server::spawn(command().args(["--listen", "127.0.0.1:0"]).args(arguments).stderr(stderr))
    }

    pub fn spawn(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let address = ready.trim_end().strip_prefix("spragued listening on ").expect("the ready line").to_owned();
        Server { child, address }
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    /// Has it end as an operator would, and waits until it did, with a stream of the client's open.
    pub fn drain(mut self) {
        self.signal(rustix::process::Signal::TERM);
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        self.child.wait().unwrap();
    }
}

#[test]
fn the_answers_are_the_same_over_tcp_and_over_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let input = rows(3000);
    let right = answers(&input);
    for listen in ["127.0.0.1:0".into(), format!("unix:{}", folder.path().join("socket").display())] {
        let server = Server::start(&listen);
        for server in [server.address.clone(), server.address.replacen("127.0.0.1", "http://127.0.0.1", 1)] {
            let done = sprague(&["solve", "-f", "uva10561", "--server", &server], &input);
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{server}");
            assert!(done.out == right, "{server}");
        }
        let info = sprague(&["info", "--server", &server.address], "").out;
        assert!(info.starts_with(&format!("{}: sprague {}", server.address, env!("CARGO_PKG_VERSION"))), "{info}");
    }
}

/// A run of the client whose input goes on until it is told to stop.
fn endless_run(servers: &[&str], output: &Path) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("sprague"));
    command.args(["solve", "-f", "poj3537", "--retry-for", "1s", "-o"]).arg(output);
    for server in servers {
        command.args(["--server", server]);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Feeds `cases` lengths, in small pieces over some time.
fn feed(child: &mut Child, cases: std::ops::Range<u32>) {
    use std::io::Write as _;
    let input = child.stdin.as_mut().unwrap();
    for case in cases {
        // A client that has given up is found out at the end.
        let _closed = writeln!(input, "{}", 3 + case % 100);
        if case % 100 == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[test]
fn a_killed_server_ends_the_run_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("answers");
    let server = Server::start("127.0.0.1:0");
    let address = server.address.clone();
    let mut child = endless_run(&[&address], &output);
    feed(&mut child, 0..2000);
    drop(server);
    feed(&mut child, 2000..4000);
    drop(child.stdin.take());
    let done = super::command::Run::from(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(69), "{}", done.err);
    assert!(done.err.starts_with(&format!("sprague: no server answered for 1s: {address}: ")), "{}", done.err);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn servers_restarted_one_after_the_other_lose_nothing_and_are_not_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("answers");
    let (first, second) = (Server::start("127.0.0.1:0"), Server::start("127.0.0.1:0"));
    let addresses = [first.address.clone(), second.address.clone()];
    let mut child = endless_run(&[&addresses[0], &addresses[1]], &output);
    feed(&mut child, 0..3000);
    first.drain();
    feed(&mut child, 3000..4000);
    let _first = Server::start(&addresses[0]);
    feed(&mut child, 4000..6000);
    second.drain();
    feed(&mut child, 6000..7000);
    let _second = Server::start(&addresses[1]);
    feed(&mut child, 7000..9000);
    drop(child.stdin.take());
    let done = super::command::Run::from(child.wait_with_output().unwrap());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(std::fs::read_to_string(&output).unwrap() == answers_to_the_feed(9000));
}

fn answers_to_the_feed(cases: u32) -> String {
    let lengths: String = (0..cases).map(|case| format!("{}\n", 3 + case % 100)).collect();
    sprague(&["solve", "-f", "poj3537"], &lengths).out
}

#[test]
fn a_run_goes_on_with_the_other_server_and_with_one_that_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("answers");
    let (first, second) = (Server::start("127.0.0.1:0"), Server::start("127.0.0.1:0"));
    let second_address = second.address.clone();
    let mut child = endless_run(&[&first.address, &second.address], &output);
    feed(&mut child, 0..3000);
    drop(first);
    feed(&mut child, 3000..6000);
    drop(second);
    feed(&mut child, 6000..6100);
    let _again = Server::start(&second_address);
    feed(&mut child, 6100..9000);
    drop(child.stdin.take());
    let done = super::command::Run::from(child.wait_with_output().unwrap());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(std::fs::read_to_string(&output).unwrap() == answers_to_the_feed(9000));
}

#[test]
fn settings_that_make_no_sense_are_refused_with_what_would() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, code, said) in [
        (&["--log", "chatty"][..], 2, "\"chatty\" is no level: off, error, warn, info, debug, trace, or TARGET=LEVEL"),
        (&["--log", "info,sprague"], 2, "\"sprague\" is no level"),
        (&["--message-bytes", "1"], 2, "less than 4KiB hold no ordinary board with its answer"),
        (&["--queued-bytes", "0"], 2, "less than 4KiB"),
        (&["--listen", "50052"], 2, "\"50052\" is no address: write 127.0.0.1:50051"),
        (&["--metrics-listen", "9464"], 2, "\"9464\" is no address: write 127.0.0.1:50051"),
        (&["--metrics-listen", "unix:/x"], 2, "metrics are served over TCP: write 127.0.0.1:9464"),
        (&["--listen", "127.0.0.1:80000"], 2, "the port is too large: 65535 is the last"),
        (&["--metrics-listen", "[::1]:65536"], 2, "the port is too large: 65535 is the last"),
        (&["--listen", &taken], 74, "; stop what listens there, or choose another address with --listen\n"),
        (
            &["--listen", "127.0.0.1:0", "--log", "off", "--metrics-listen", &taken],
            74,
            "; stop what listens there, or choose another address with --metrics-listen\n",
        ),
    ] {
        let refused = run(arguments);
        assert_eq!((refused.code, refused.out.as_str()), (Some(code), ""), "{arguments:?}: {}", refused.err);
        assert!(refused.err.contains(said), "{arguments:?}: {}", refused.err);
    }
    for log in ["off", "warn,sprague=debug", "sprague[stream]=trace"] {
        let config = run(&["--print-config", "--log", log]);
        assert!(config.out.contains(&format!("log = {log}  (command line)")), "{}{}", config.out, config.err);
    }
}
