//! What an operator sees: metrics, health over HTTP, and a dashboard that asks for what is there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use sprague::server::credentials::{Access, Tls, TlsFiles, Tokens};
use sprague::server::listen::{Address, Listener};
use sprague::server::meters::Meters;
use sprague::server::settings::Settings;
use sprague::server::workers::{Games, Solver};
use sprague::server::{Server, events, exposition};
use sprague::wire::v1;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tracing_subscriber::prelude::*;

use crate::authority::{Authority, put};
use crate::support::*;

/// A server that is watched, and where its metrics are.
struct Watched {
    served: Served,
    page: String,
}

async fn watched(solver: impl Solver) -> Watched {
    watched_with(solver, Access::default()).await
}

async fn watched_with(solver: impl Solver, access: Access) -> Watched {
    let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await.unwrap();
    let address = listener.address().to_string();
    let meters = Arc::new(Meters::running());
    let (settings, solver) = (Settings { workers: 1, ..Settings::default() }, Arc::new(solver));
    let server = Server::watched(settings, solver, vec![listener], access, meters.clone()).unwrap();
    let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let page = http.local_addr().unwrap().to_string();
    tokio::spawn(exposition::serve(http, meters));
    Watched { served: Served { server, address }, page }
}

impl Watched {
    /// The status line's code, and the body.
    async fn ask(&self, method: &str, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.page).await.unwrap();
        let request = format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split_whitespace().nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Samples by name and labels, as the page writes them.
    async fn samples(&self) -> BTreeMap<String, f64> {
        let (code, page) = self.ask("GET", "/metrics").await;
        assert_eq!(code, 200);
        let sample = |line: &str| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        };
        page.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(sample).collect()
    }

    /// Waits until a sample has a value: what a call leaves behind is counted a moment after its caller has its answer.
    async fn until(&self, name: &str, value: f64) {
        for _ in 0..400 {
            if self.samples().await.get(name) == Some(&value) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{name} is not {value}: {:#?}", self.samples().await);
    }
}

fn grpc(metric: &str, method: &str, code: Option<&str>) -> String {
    let code = code.map_or(String::new(), |code| format!(",grpc_code=\"{code}\""));
    format!("{metric}{{grpc_service=\"sprague.v1.SpragueService\",grpc_method=\"{method}\"{code}}}")
}

/// One call of each kind.
async fn use_it(watched: &Watched) {
    let mut client = watched.served.client().await;
    client.get_server_info(v1::GetServerInfoRequest {}).await.unwrap();
    client.solve(v1::SolveRequest { board: Some(row(".....")), outcome_only: false }).await.unwrap();
    // The last one is long enough for a worker's queue.
    let boards =
        vec![row("..."), row("XXX"), grid(1, "X"), grid(1, "?"), piles(&[1, 1]), v1::Board::default(), empty(20_000)];
    stream(&mut client, vec![batch(1, boards), batch(2, vec![row("....")])]).await.1.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_counted_by_method_and_code_and_boards_by_game_and_outcome() {
    let watched = watched(Games).await;
    use_it(&watched).await;
    watched.until(&grpc("grpc_server_handled_total", "SolveStream", Some("OK")), 1.0).await;
    let samples = watched.samples().await;
    let boards =
        |game: &str, outcome: &str| samples[&format!("sprague_boards_total{{game=\"{game}\",outcome=\"{outcome}\"}}")];
    for (game, [first, second, error]) in [
        ("treblecross", [4.0, 0.0, 1.0]),
        ("darkraft", [1.0, 0.0, 1.0]),
        ("end-nim", [0.0, 1.0, 0.0]),
        ("unknown", [0.0, 0.0, 1.0]),
    ] {
        assert_eq!(
            [boards(game, "first"), boards(game, "second"), boards(game, "error")],
            [first, second, error],
            "{game}"
        );
    }
    for method in ["Solve", "SolveStream", "GetServerInfo"] {
        assert_eq!(samples[&grpc("grpc_server_started_total", method, None)], 1.0, "{method}");
        assert_eq!(samples[&grpc("grpc_server_handled_total", method, Some("OK"))], 1.0, "{method}");
        assert_eq!(samples[&grpc("grpc_server_handling_seconds_count", method, None)], 1.0, "{method}");
    }
    assert_eq!(samples[&grpc("grpc_server_started_total", "Explain", None)], 0.0);
    assert_eq!(samples[&format!("sprague_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))], 1.0);
    assert!(samples["sprague_queue_seconds_count"] >= 1.0);
    assert!(samples["sprague_solve_seconds_count"] >= 3.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_calls_are_counted_with_their_code_and_made_up_methods_as_one() {
    let watched = watched(Games).await;
    let failed = grpc("grpc_server_handled_total", "SolveStream", Some("InvalidArgument"));
    // There before the first failure: a rate does not see a counter that begins with 1.
    assert_eq!(watched.samples().await[&failed], 0.0);
    let mut client = watched.served.client().await;
    let too_many = vec![batch(1, vec![row("..."); 65_537])];
    stream(&mut client, too_many).await.1.unwrap_err();
    watched.until(&failed, 1.0).await;
    for name in ["Nothing", "Nil"] {
        let mut grpc = tonic::client::Grpc::new(watched.served.channel().await);
        grpc.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let path = format!("/sprague.v1.SpragueService/{name}").parse().unwrap();
        grpc.unary(tonic::Request::new(()), path, codec).await.unwrap_err();
    }
    let unknown =
        "grpc_server_handled_total{grpc_service=\"unknown\",grpc_method=\"unknown\",grpc_code=\"Unimplemented\"}";
    watched.until(unknown, 2.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_clients_get_wrong_is_not_counted_as_the_servers_fault() {
    let watched = watched(Games).await;
    crate::protocol::go_wrong(&watched.served.channel().await).await;
    watched.until(&grpc("grpc_server_handling_seconds_count", "Solve", None), 6.0).await;
    let samples = watched.samples().await;
    let counted = |code| samples[&grpc("grpc_server_handled_total", "Solve", Some(code))];
    // Of the client that left, either may be seen first: half a message, or that it is gone.
    assert_eq!(counted("InvalidArgument") + counted("Canceled"), 6.0, "{samples:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_flight_is_seen_and_gone_when_the_caller_leaves() {
    let solver = Sleeper::default();
    let watched = watched(solver.clone()).await;
    let mut client = watched.served.client().await;
    let (sender, answers) = open(&mut client).await;
    for id in 0..3 {
        sender.send(batch(id, vec![empty(20_000)])).await.unwrap();
    }
    watched.until("sprague_streams_in_flight", 1.0).await;
    while watched.samples().await["sprague_queued_bytes"] < 60_000.0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop((sender, answers, client));
    watched.until("sprague_streams_in_flight", 0.0).await;
    watched.until("sprague_queued_bytes", 0.0).await;
    watched.until(&grpc("grpc_server_handled_total", "SolveStream", Some("Canceled")), 1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn health_over_http_says_what_health_checks_say() {
    let watched = watched(Games).await;
    assert_eq!(watched.ask("GET", "/healthz").await, (200, "SERVING\n".into()));
    watched.served.server.announce_drain().await;
    assert_eq!(watched.ask("GET", "/healthz").await, (503, "NOT_SERVING\n".into()));
    for (method, path, code) in
        [("GET", "/", 404), ("POST", "/metrics", 405), ("DELETE", "/healthz", 405), ("HEAD", "/metrics", 200)]
    {
        assert_eq!(watched.ask(method, path).await.0, code, "{method} {path}");
    }
}

/// TLS with a certificate of a fresh authority.
fn tls(folder: &std::path::Path, until: i32) -> Tls {
    let identity = Authority::new().sign_for("127.0.0.1", until);
    let (cert, key) = (put(folder, "cert", &identity.cert), put(folder, "key", &identity.key));
    Tls::load(TlsFiles { cert, key, client_ca: None }).unwrap()
}

fn refusals(what: &str, reason: &str) -> String {
    format!("sprague_refusals_total{{what=\"{what}\",reason=\"{reason}\"}}")
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_counted_by_reason() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = Some(Tokens::load(put(folder.path(), "tokens", "a-token-of-this-test")).unwrap());
    let watched = watched_with(Games, Access { tls: None, tokens }).await;
    let mut client = watched.served.client().await;
    for _ in 0..3 {
        client.get_server_info(v1::GetServerInfoRequest {}).await.unwrap_err();
    }
    watched.until(&refusals("call", "TOKEN_MISSING"), 3.0).await;
    let mut request = tonic::Request::new(v1::GetServerInfoRequest {});
    request.metadata_mut().insert("authorization", "Bearer a-token-of-another".parse().unwrap());
    client.get_server_info(request).await.unwrap_err();
    watched.until(&refusals("call", "TOKEN_UNKNOWN"), 1.0).await;
    // What is not HTTP/2.
    let mut stream = TcpStream::connect(&watched.served.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    watched.until(&refusals("connection", "NOT_HTTP2"), 1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_failures_of_tls_and_the_certificates_end_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let watched = watched_with(Games, Access { tls: Some(tls(folder.path(), 2040)), tokens: None }).await;
    watched.until("sprague_certificate_not_after_timestamp_seconds", 2_208_988_800.0).await;
    let mut stream = TcpStream::connect(&watched.served.address).await.unwrap();
    watched.until("sprague_connections_open", 1.0).await;
    stream.write_all(b"no TLS at all, and long enough to be looked at").await.unwrap();
    watched.until(&refusals("tls", "HANDSHAKE"), 1.0).await;
    watched.until("sprague_connections_open", 0.0).await;
    tls(folder.path(), 2050);
    watched.served.server.reload().unwrap();
    watched.until("sprague_certificate_not_after_timestamp_seconds", 2_524_608_000.0).await;
    let samples = watched.samples().await;
    assert!(samples["process_resident_memory_bytes"] > 1e6);
    assert!(samples["process_open_fds"] > 3.0 && samples["process_open_fds"] < samples["process_max_fds"]);
}

#[tokio::test]
async fn requests_that_http_2_resets_are_counted_whatever_the_log_has() {
    let meters = Arc::new(Meters::running());
    let logs = tracing_subscriber::registry().with(events::layer(meters.clone()));
    let _counting = tracing::subscriber::set_default(logs);
    let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await.unwrap();
    let address = listener.address().to_string();
    let (settings, solver) = (Settings { workers: 1, ..Settings::default() }, Arc::new(Games));
    let _server = Server::watched(settings, solver, vec![listener], Access::default(), meters.clone()).unwrap();
    for (authority, path, reason) in [
        ("127.0.0.1:1,127.0.0.1:2", "/", "AUTHORITY"),
        ("%2Frun%2Fsprague.sock", "/", "AUTHORITY"),
        ("", "/", "AUTHORITY"),
        ("localhost", "no path", "HEADERS"),
    ] {
        let of = |page: &str| -> u64 {
            let name = refusals("call", reason);
            page.lines().find_map(|line| line.strip_prefix(&name)).unwrap().trim().parse().unwrap()
        };
        let before = of(&meters.page());
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(&opening(authority, path)).await.unwrap();
        for _ in 0..400 {
            if of(&meters.page()) > before {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(of(&meters.page()), before + 1, "{authority:?} {path:?}");
    }
}

/// A connection's beginning with one request, as bytes: no HTTP library sends what is not valid.
fn opening(authority: &str, path: &str) -> Vec<u8> {
    // Indexed: `:method POST` and `:scheme http`; literal without indexing: `:path` and `:authority`.
    let mut block = vec![0x83, 0x86];
    for (index, text) in [(4, path), (1, authority)] {
        block.extend([index, u8::try_from(text.len()).unwrap()]);
        block.extend(text.as_bytes());
    }
    let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
        let length = u8::try_from(payload.len()).unwrap();
        [&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()
    };
    let (settings, headers) = (frame(4, 0, 0, &[]), frame(1, 5, 1, &block));
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &settings[..], &headers].concat()
}

/// The words of a query that could be names.
fn words(query: &str) -> Vec<&str> {
    query.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}

/// The labels that a query selects or groups by.
fn labels(query: &str) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    for part in query.split('{').skip(1) {
        let inside = part.split('}').next().unwrap();
        labels.extend(inside.split(',').map(|pair| words(pair)[0].to_owned()));
    }
    for part in query.split(" by (").skip(1) {
        labels.extend(words(part.split(')').next().unwrap()).into_iter().map(str::to_owned));
    }
    labels
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_asks_for_metrics_and_labels_that_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let watched = watched(Games).await;
    // Only a server with a certificate says when it expires.
    let with_tls = watched_with(Games, Access { tls: Some(tls(folder.path(), 2100)), tokens: None }).await;
    use_it(&watched).await;
    watched.until(&grpc("grpc_server_handled_total", "SolveStream", Some("OK")), 1.0).await;
    let (_, page) = watched.ask("GET", "/metrics").await;
    // Metric names with the labels that each has somewhere.
    let mut served: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for sample in watched.samples().await.keys().chain(with_tls.samples().await.keys()) {
        let (name, labels) = sample.split_once('{').unwrap_or((sample, ""));
        let known = served.entry(name.to_owned()).or_default();
        known.extend(labels.split("\",").filter_map(|pair| Some(pair.split_once("=\"")?.0.to_owned())));
    }

    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/grafana/sprague.json")).unwrap();
    let dashboard: serde_json::Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut asked_for = BTreeSet::new();
    for panel in panels {
        let title = panel["title"].as_str().unwrap();
        for target in panel["targets"].as_array().unwrap_or_else(|| panic!("{title} has no queries")) {
            let query = target["expr"].as_str().unwrap();
            let metrics: Vec<&str> = words(query)
                .into_iter()
                .filter(|word| ["sprague_", "grpc_server_", "process_"].iter().any(|first| word.starts_with(first)))
                .collect();
            assert!(!metrics.is_empty(), "{title} asks for nothing: {query}");
            let mut known: BTreeSet<String> = ["instance", "job"].map(str::to_owned).into();
            for metric in metrics {
                known.extend(served.get(metric).unwrap_or_else(|| panic!("{title}: {metric} is not served")).clone());
                asked_for.insert(metric.to_owned());
            }
            let unknown: Vec<_> = labels(query).into_iter().filter(|label| !known.contains(label)).collect();
            assert!(unknown.is_empty(), "{title}: no metric of {query} has the labels {unknown:?}");
        }
    }
    // And the other way round: what is served is shown.
    for line in page.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let metric = line.split(' ').next().unwrap();
        let shown = asked_for
            .iter()
            .any(|name| name == metric || name.strip_prefix(metric).is_some_and(|rest| rest.starts_with('_')));
        assert!(shown, "{metric} is on no panel");
        assert!(page.contains(&format!("# HELP {metric} ")), "{metric} is not explained");
    }
}
