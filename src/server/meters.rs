//! What a server counts and times while it works, in the form that Prometheus reads.
//!
//! Counting is done once a call, a batch or a task, never once a board.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, NoopRecorder, Recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use prost::Message as _;
use tonic::Code;

use super::process::{self, Process};
use super::quota::Quotas;
use super::refusals::Refusals;
use super::status::CODES;
use crate::games::{Game, Outcome, Solution};
use crate::wire::{self, BoardError};

/// Upper bounds of the times that are told apart, in seconds: a call in place takes some 10 us, a heavy board a minute.
const BUCKETS: [f64; 15] =
    [0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0];

/// What each metric means.
const HELP: [(&str, &str); 15] = [
    ("grpc_server_started_total", "Calls begun, by method."),
    ("grpc_server_handled_total", "Calls ended, by method and status code."),
    ("grpc_server_handling_seconds", "Time from the first byte of a call to its status, by method."),
    ("sprague_boards_total", "Boards answered, by game and outcome: first or second player wins, or an error."),
    ("sprague_queue_seconds", "Time that a task of boards waited for a worker."),
    ("sprague_solve_seconds", "Time that a task of boards was worked on."),
    ("sprague_streams_in_flight", "Streams open."),
    ("sprague_queued_bytes", "Boards read and not yet answered, and answers not yet taken, in bytes over all streams."),
    ("sprague_memory_bytes", "Memory that clients hold of the server's budget."),
    ("sprague_memory_limit_bytes", "The server's budget of memory for its clients."),
    ("sprague_connections_open", "Connections open, those in a handshake included."),
    ("sprague_refusals_total", "Connections, TLS handshakes and calls refused or ended early, by reason."),
    (
        CERTIFICATE_END,
        "When the first certificate of the server's chain expires, in seconds since 1970-01-01T00:00:00Z.",
    ),
    ("sprague_log_lines_dropped_total", "Log lines dropped because standard error did not take them in time."),
    ("sprague_build_info", "Always 1; the version is a label."),
];

/// There only where a server has a certificate.
const CERTIFICATE_END: &str = "sprague_certificate_not_after_timestamp_seconds";

/// Methods of other services that a server has, besides its own.
const STANDARD_METHODS: [(&str, &str); 5] = [
    ("grpc.health.v1.Health", "Check"),
    ("grpc.health.v1.Health", "Watch"),
    ("grpc.health.v1.Health", "List"),
    ("grpc.reflection.v1.ServerReflection", "ServerReflectionInfo"),
    ("grpc.reflection.v1alpha.ServerReflection", "ServerReflectionInfo"),
];

/// Everything else counts as one method: a visitor must not be able to make metrics up.
const UNKNOWN: (&str, &str) = ("unknown", "unknown");

/// The meters of one server.
pub struct Meters {
    /// `None`: nothing is counted.
    recorder: Option<PrometheusRecorder>,
    process: Option<Process>,
    log_lines_dropped: Counter,
    /// By path.
    methods: HashMap<String, Method>,
    unknown: Method,
    boards: [[Counter; OUTCOMES.len()]; Game::ALL.len() + 1],
    queue_seconds: Histogram,
    solve_seconds: Histogram,
    /// Streams open.
    pub(super) streams_in_flight: Gauge,
    /// Bytes that streams hold.
    pub(super) queued_bytes: Gauge,
    memory: Gauge,
    memory_limit: Gauge,
    /// That of the server that is metered.
    quotas: OnceLock<Quotas>,
    connections_open: Gauge,
    /// What is refused. Counted whether the meters run or stand still: the log has it, too.
    pub(super) refusals: Refusals,
    is_serving: AtomicBool,
}

/// What became of a board, as the label says it.
const OUTCOMES: [&str; 3] = ["first", "second", "error"];

/// One method's meters.
pub(super) struct Method {
    pub(super) started: Counter,
    /// By code. All are there from the start: a rate does not see a counter that begins with its first failure.
    handled: [Counter; CODES.len()],
    seconds: Histogram,
}

impl Method {
    /// Counts the end of a call.
    pub(super) fn handled(&self, code: Code, time: Duration) {
        self.handled[code as usize].increment(1);
        self.seconds.record(time);
    }
}

impl fmt::Debug for Meters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meters").field("is_on", &self.is_on()).finish_non_exhaustive()
    }
}

impl Default for Meters {
    /// Meters that stand still.
    fn default() -> Meters {
        Meters::over(&NoopRecorder)
    }
}

impl Meters {
    /// Meters that run. Somebody must call `page` or `upkeep` every few seconds: times are kept one by one until then.
    pub fn running() -> Meters {
        let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).expect("there are buckets");
        let recorder = builder.build_recorder();
        let process = Process::new(|name| gauge(&recorder, name, Vec::new()));
        let meters = Meters::over(&recorder);
        Meters { process, recorder: Some(recorder), ..meters }
    }

    fn over(recorder: &dyn Recorder) -> Meters {
        for (name, help) in HELP.into_iter().chain(process::HELP) {
            match name {
                _ if name.ends_with("_total") => recorder.describe_counter(name.into(), None, help.into()),
                CERTIFICATE_END => recorder.describe_gauge(name.into(), None, help.into()),
                _ if name.ends_with("_seconds") => recorder.describe_histogram(name.into(), None, help.into()),
                _ => recorder.describe_gauge(name.into(), None, help.into()),
            }
        }
        let method = |service: &str, name: &str| {
            let labels = || labels(&[("grpc_service", service), ("grpc_method", name)]);
            let handled = CODES.map(|code| {
                let labels = [labels(), self::labels(&[("grpc_code", code)])].concat();
                counter(recorder, "grpc_server_handled_total", labels)
            });
            let started = counter(recorder, "grpc_server_started_total", labels());
            let seconds = histogram(recorder, "grpc_server_handling_seconds", labels());
            Method { started, handled, seconds }
        };
        let path = |service: &str, name: &str| format!("/{service}/{name}");
        let mut methods: HashMap<String, Method> =
            STANDARD_METHODS.iter().map(|(service, name)| (path(service, name), method(service, name))).collect();
        for (service, name) in own_methods() {
            methods.insert(path(&service, &name), method(&service, &name));
        }
        let unknown = method(UNKNOWN.0, UNKNOWN.1);
        let games: [&str; Game::ALL.len() + 1] =
            std::array::from_fn(|index| Game::ALL.get(index).map_or("unknown", |game| game.name()));
        let boards = games.map(|game| {
            OUTCOMES.map(|outcome| {
                counter(recorder, "sprague_boards_total", labels(&[("game", game), ("outcome", outcome)]))
            })
        });
        gauge(recorder, "sprague_build_info", labels(&[("version", env!("CARGO_PKG_VERSION"))])).set(1.0);
        Meters {
            methods,
            unknown,
            boards,
            queue_seconds: histogram(recorder, "sprague_queue_seconds", Vec::new()),
            solve_seconds: histogram(recorder, "sprague_solve_seconds", Vec::new()),
            streams_in_flight: gauge(recorder, "sprague_streams_in_flight", Vec::new()),
            queued_bytes: gauge(recorder, "sprague_queued_bytes", Vec::new()),
            memory: gauge(recorder, "sprague_memory_bytes", Vec::new()),
            memory_limit: gauge(recorder, "sprague_memory_limit_bytes", Vec::new()),
            quotas: OnceLock::new(),
            connections_open: gauge(recorder, "sprague_connections_open", Vec::new()),
            refusals: Refusals::new(|what, reason| {
                counter(recorder, "sprague_refusals_total", labels(&[("what", what), ("reason", reason)]))
            }),
            is_serving: AtomicBool::new(false),
            log_lines_dropped: counter(recorder, "sprague_log_lines_dropped_total", Vec::new()),
            process: None,
            recorder: None,
        }
    }

    /// Whether anything is counted.
    pub(super) fn is_on(&self) -> bool {
        self.recorder.is_some()
    }

    /// All metrics as text, as Prometheus reads them.
    pub fn page(&self) -> String {
        if let Some(quotas) = self.quotas.get() {
            self.memory.set(quotas.memory_used() as f64);
            self.memory_limit.set(quotas.memory() as f64);
        }
        if let Some(process) = &self.process {
            process.look();
        }
        self.handle().map(|handle| handle.render()).unwrap_or_default()
    }

    fn handle(&self) -> Option<PrometheusHandle> {
        self.recorder.as_ref().map(PrometheusRecorder::handle)
    }

    /// Sums up the times that have come in.
    pub(super) fn upkeep(&self) {
        if let Some(handle) = self.handle() {
            handle.run_upkeep();
        }
    }

    /// Shows what clients hold of these quotas.
    pub(super) fn watch(&self, quotas: Quotas) {
        let _first = self.quotas.set(quotas);
    }

    /// Whether new calls are welcome, as health checks are told.
    pub(super) fn is_serving(&self) -> bool {
        self.is_serving.load(Ordering::Relaxed)
    }

    pub(super) fn set_serving(&self, is_serving: bool) {
        self.is_serving.store(is_serving, Ordering::Relaxed);
    }

    /// Counts log lines that were dropped.
    pub fn log_lines_dropped(&self, lines: u64) {
        self.log_lines_dropped.increment(lines);
    }

    /// Notes when the server's certificate expires, if it has one.
    pub(super) fn certificate(&self, end: Option<u64>) {
        if let (Some(recorder), Some(end)) = (&self.recorder, end) {
            gauge(recorder, CERTIFICATE_END, Vec::new()).set(end as f64);
        }
    }

    /// Counts a connection for as long as what it returns lives.
    pub(super) fn connection(&self) -> OpenConnection {
        self.connections_open.increment(1);
        OpenConnection(self.connections_open.clone())
    }

    /// Whether the server has a method at a path.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.methods.contains_key(path)
    }

    /// The meters of the method at a path.
    pub(super) fn method(&self, path: &str) -> &Method {
        self.methods.get(path).unwrap_or(&self.unknown)
    }

    /// Counts what a worker did with a task: how long it waited, how long it took, what became of its boards.
    pub(super) fn worked(&self, waited: Option<Duration>, took: Duration, done: &Done) {
        if let Some(waited) = waited {
            self.queue_seconds.record(waited);
        }
        self.solve_seconds.record(took);
        for (counters, counts) in self.boards.iter().zip(&done.0) {
            for (counter, &count) in counters.iter().zip(counts) {
                if count > 0 {
                    counter.increment(count);
                }
            }
        }
    }
}

/// A connection that is counted as open.
pub(super) struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// What became of the boards of a task.
#[derive(Debug, Default)]
pub(super) struct Done([[u64; OUTCOMES.len()]; Game::ALL.len() + 1]);

impl Done {
    /// Adds a board of a game, if it was one of any.
    pub(super) fn add(&mut self, game: Option<Game>, result: &Result<Solution, BoardError>) {
        let game = game.map_or(Game::ALL.len(), |game| game as usize);
        let outcome = match result.as_ref().map(Solution::outcome) {
            Ok(Outcome::FirstPlayerWins) => 0,
            Ok(Outcome::SecondPlayerWins) => 1,
            Err(_) => 2,
        };
        self.0[game][outcome] += 1;
    }
}

/// The methods that this project's own descriptor lists.
fn own_methods() -> Vec<(String, String)> {
    let set = prost_types::FileDescriptorSet::decode(wire::DESCRIPTOR_SET).expect("build.rs wrote it whole");
    let mut methods = Vec::new();
    for file in &set.file {
        for service in &file.service {
            let full_name = format!("{}.{}", file.package(), service.name());
            methods.extend(service.method.iter().map(|method| (full_name.clone(), method.name().to_owned())));
        }
    }
    methods
}

static METADATA: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, None);

fn labels(pairs: &[(&'static str, &str)]) -> Vec<Label> {
    pairs.iter().map(|(name, value)| Label::new(*name, (*value).to_owned())).collect()
}

fn counter(recorder: &dyn Recorder, name: &'static str, labels: Vec<Label>) -> Counter {
    recorder.register_counter(&Key::from_parts(name, labels), &METADATA)
}

fn gauge(recorder: &dyn Recorder, name: &'static str, labels: Vec<Label>) -> Gauge {
    recorder.register_gauge(&Key::from_parts(name, labels), &METADATA)
}

fn histogram(recorder: &dyn Recorder, name: &'static str, labels: Vec<Label>) -> Histogram {
    recorder.register_histogram(&Key::from_parts(name, labels), &METADATA)
}
