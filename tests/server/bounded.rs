//! Clients that take and do not give: what they hold is bounded, ends in time, and leaves others their part.

use std::future::poll_fn;
use std::time::{Duration, Instant};

use bytes::{BufMut as _, Bytes, BytesMut};
use h2::Reason;
use prost::Message as _;
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::wire::v1;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::raw::{PATIENCE, Raw, framed, tcp};
use crate::support::*;

const SOLVE: &str = "/sprague.v1.SpragueService/Solve";
const STREAM: &str = "/sprague.v1.SpragueService/SolveStream";
const CHECK: &str = "/grpc.health.v1.Health/Check";
const WATCH: &str = "/grpc.health.v1.Health/Watch";

fn solve(cells: usize) -> v1::SolveRequest {
    v1::SolveRequest { board: Some(row(&"X.".repeat(cells / 2))), outcome_only: false }
}

fn impatient() -> Settings {
    Settings { stall_timeout: Duration::from_millis(300), ..Settings::default() }
}

async fn within_time(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_stands_still_has_its_place_from_its_headers_on_and_is_ended() {
    let message = solve(100_000);
    for (path, sent) in [
        (SOLVE, Bytes::new()),
        (SOLVE, framed(&message, 1000)),
        // Whole, but without the end of the request.
        (SOLVE, framed(&message, 0)),
        ("/sprague.v1.SpragueService/Explain", framed(&message, 1)),
        ("/sprague.v1.SpragueService/GetServerInfo", Bytes::from_static(&[0, 0])),
        (STREAM, framed(&batch(1, vec![empty(100_000)]), 1000)),
    ] {
        let mut settings = Settings { calls: 1, ..impatient() };
        settings.limits.streams = 1;
        let served = Served::with(settings, Games).await;
        let mut raw = Raw::connect(&served, 1, 65_535).await;
        let mut stalled = raw.open(path).await;
        stalled.send(sent.clone()).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(raw.open(path).await.end().await, Ok(Code::ResourceExhausted), "{path} {}", sent.len());
        assert_eq!(stalled.end().await, Ok(Code::Unavailable), "{path} {}", sent.len());
        let mut client = served.client().await;
        within_time("the place is free again", async || match path {
            STREAM => stream(&mut client, vec![]).await.1.is_ok(),
            _ => client.solve(solve(4)).await.is_ok(),
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_comes_in_drops_is_ended_too() {
    let served = Served::with(impatient(), Games).await;
    let mut raw = Raw::connect(&served, 1, 65_535).await;
    let mut slow = raw.open(SOLVE).await;
    let bytes = framed(&solve(100_000), 0);
    let begun = Instant::now();
    let dripping = async {
        for at in 0..bytes.len() {
            slow.send(bytes.slice(at..=at)).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            if poll_fn(|context| std::task::Poll::Ready(slow.request.poll_reset(context).is_ready())).await {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, dripping).await.expect("it is reset in time");
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_services_take_small_messages_and_few_streams() {
    let served = Served::limiting_peers(impatient(), Games).await;
    let mut raw = Raw::connect(&served, 1, 65_535).await;
    let health = |bytes: usize| tonic_health::pb::HealthCheckRequest { service: "a".repeat(bytes) };
    for (bytes, code) in [(4000, Code::NotFound), (5000, Code::OutOfRange), (4_000_000, Code::OutOfRange)] {
        let mut call = raw.open(CHECK).await;
        let message = framed(&health(bytes), 0);
        call.send(message.slice(..message.len().min(60_000))).await;
        let _over = call.request.send_data(Bytes::new(), true);
        assert_eq!(call.end().await, Ok(code), "{bytes}");
    }
    let mut watches = Vec::new();
    let mut refused = 0;
    for _ in 0..100 {
        let mut call = raw.open(WATCH).await;
        call.request.send_data(framed(&health(0), 0), true).unwrap();
        let response = call.response.await.unwrap();
        match response.headers().get("grpc-status") {
            Some(status) => {
                assert_eq!(status, "8");
                refused += 1;
            }
            None => watches.push(response),
        }
    }
    assert_eq!((watches.len(), refused), (64, 36));
    // Health checks have places of their own.
    let mut call = raw.open(CHECK).await;
    call.request.send_data(framed(&health(0), 0), true).unwrap();
    assert_eq!(call.end().await, Ok(Code::Ok));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_not_taken_is_dropped_and_its_place_is_free_then() {
    let large = framed(&solve(1_000_000), 0);
    let large_batch = framed(&batch(1, vec![row(&"X.".repeat(500_000)); 4]), 0);
    for (path, sent, window) in
        [(SOLVE, &large, 0), (SOLVE, &large, 1), (STREAM, &large_batch, 0), (SOLVE, &framed(&solve(4), 0), 0)]
    {
        let mut settings = Settings { calls: 1, ..impatient() };
        settings.limits.streams = 1;
        let served = Served::with(settings, Games).await;
        let mut raw = Raw::connect(&served, 1, window).await;
        let mut call = raw.open(path).await;
        call.send(sent.clone()).await;
        if path == SOLVE {
            call.request.send_data(Bytes::new(), true).unwrap();
        }
        let (mut body, _request) = tokio::time::timeout(PATIENCE, call.body()).await.unwrap();
        let reset = async {
            loop {
                match body.data().await {
                    Some(Ok(_not_released)) => {}
                    Some(Err(error)) => return error.reason(),
                    None => return None,
                }
            }
        };
        let reset = tokio::time::timeout(PATIENCE, reset).await.expect("it is reset in time");
        assert_eq!(reset, Some(Reason::CANCEL), "{path} {window}");
        let mut client = served.client().await;
        within_time("the place is free again", async || match path {
            STREAM => stream(&mut client, vec![]).await.1.is_ok(),
            _ => client.solve(solve(4)).await.is_ok(),
        })
        .await;
        assert!(served.server.is_idle());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_message_counts_is_known_before_anything_is_built() {
    let mut settings = Settings::default();
    settings.sizes.end_nim.piles = 1000;
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    let boards = vec![v1::Board::default(); 1_000_000];
    let status = stream(&mut client, vec![batch(7, boards)]).await.1.unwrap_err();
    assert_eq!(status.message(), "batch 7 has 1000000 boards, more than boards_per_batch = 65536");
    let moves = vec![v1::Move::default(); 1_000_000];
    let request = v1::ExplainRequest { board: Some(row("...")), moves, ..Default::default() };
    let explained = client.explain(request).await.unwrap().into_inner();
    let Some(v1::explain_response::Result::Error(error)) = explained.result else { panic!("no error") };
    assert_eq!((error.reason(), error.offset), (v1::Reason::BadMove, Some(1000)));
    let request = |count| v1::SolveRequest { board: Some(piles(&vec![1; count])), outcome_only: false };
    let answer = async |client: &mut Client, count| {
        show(&client.solve(request(count)).await.unwrap().into_inner().result.unwrap())
    };
    assert_eq!(answer(&mut client, 1001).await, "TOO_MANY_PILES");
    assert_eq!(answer(&mut client, 1000).await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legal_batch_gets_an_answer_or_an_error_for_every_board_however_long_the_answers_are() {
    let mut settings = Settings::default();
    settings.limits.message_bytes = 1 << 20;
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    // Answers of about 150,000 bytes each.
    let long = || row(&"X.".repeat(50_000));
    let mut boards = vec![row("....")];
    boards.extend(vec![long(); 9]);
    boards.push(row("..."));
    let batches =
        vec![batch(0, vec![row("...")]), batch(1, boards), batch(2, vec![row("....")]), batch(3, vec![long()])];
    let (messages, end) = stream(&mut client, batches).await;
    assert!(end.is_ok(), "{end:?}");
    let shown: Vec<String> = story(&messages).iter().map(|line| line.chars().take(24).collect()).collect();
    assert_eq!(shown[0], "0: 1 0 1 2");
    assert!(shown[1].starts_with("1: 1 1 2, 1 "), "{}", shown[1]);
    assert_eq!(shown[2], "2: 1 1 2");
    assert!(shown[3].starts_with("3: 1 "));
    let v1::solve_stream_response::Message::Batch(answers) = &messages[1] else { panic!("no batch") };
    let shown: Vec<String> = answers.results.iter().map(|result| show(result).chars().take(8).collect()).collect();
    let fit = shown.iter().filter(|answer| answer.starts_with("1 ")).count();
    assert_eq!(shown.iter().filter(|answer| *answer == "TOO_LONG").count() + fit, 11);
    assert!((6..11).contains(&fit), "{shown:?}");
    assert_eq!(shown[10], "1 0 1 2", "a short answer fits behind long ones that did not");
    assert!(v1::SolveStreamResponse { message: Some(messages[1].clone()) }.encoded_len() <= 1 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_gets_half_of_the_streams_and_connections_and_others_the_rest() {
    let mut settings = Settings { connections: 4, ..Settings::default() };
    settings.limits.streams = 4;
    let served = Served::limiting_peers(settings, Games).await;
    let mut greedy = Raw::connect(&served, 2, 65_535).await;
    let mut streams = Vec::new();
    for expected in [None, None, Some(Code::ResourceExhausted)] {
        let mut call = greedy.open(STREAM).await;
        call.send(framed(&batch(0, vec![]), 0)).await;
        let response = (&mut call.response).await.unwrap();
        let status = response.headers().get("grpc-status").map(|status| Code::from_bytes(status.as_bytes()));
        assert_eq!(status, expected);
        streams.push((call, response));
    }
    let _second = Raw::connect(&served, 2, 65_535).await;
    let mut third = tcp(&served, 2).await;
    let read = tokio::time::timeout(PATIENCE, third.read(&mut [0])).await.expect("it is closed");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    // Another client is served.
    let mut other = Raw::connect(&served, 3, 65_535).await;
    let mut call = other.open(STREAM).await;
    call.request.send_data(framed(&batch(0, vec![row("...")]), 0), true).unwrap();
    assert_eq!(call.end().await, Ok(Code::Ok));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_waits_a_moment_for_others_to_leave() {
    let served = Served::limiting_peers(Settings { connections: 2, ..Settings::default() }, Games).await;
    let first = Raw::connect(&served, 2, 65_535).await;
    let _second = Raw::connect(&served, 3, 65_535).await;
    let mut waiting = Raw::connect(&served, 4, 65_535).await;
    let mut call = waiting.open(STREAM).await;
    call.request.send_data(framed(&batch(0, vec![row("...")]), 0), true).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    drop(first);
    assert_eq!(call.end().await, Ok(Code::Ok));
    // Nobody leaves now.
    let mut refused = tcp(&served, 5).await;
    let read = tokio::time::timeout(PATIENCE, refused.read(&mut [0])).await.expect("it is closed");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_clients_heavy_calls_leave_others_their_turn() {
    let solver = Sleeper::default();
    let settings = Settings { workers: 1, calls: 100, ..Settings::default() };
    let served = Served::limiting_peers(settings, solver.clone()).await;
    let mut greedy = Raw::connect(&served, 2, 65_535).await;
    for _ in 0..40 {
        let mut call = greedy.open(SOLVE).await;
        let request = v1::SolveRequest { board: Some(empty(500)), outcome_only: false };
        call.request.send_data(framed(&request, 0), true).unwrap();
        std::mem::forget(call);
    }
    within_time("the first has begun", async || solver.begun() > 0).await;
    let begun = Instant::now();
    let request = v1::SolveRequest { board: Some(empty(30)), outcome_only: false };
    served.client().await.solve(request).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}: 40 boards of 0.5 s went first", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_for_large_messages_is_refused_to_calls_and_waited_for_by_streams() {
    let mut settings = Settings { stall_timeout: Duration::from_secs(2), ..Settings::default() };
    settings.limits.message_bytes = 4 << 20;
    settings.limits.memory_bytes = 32 << 20;
    let served = Served::with(settings, Games).await;
    let mut raw = Raw::connect(&served, 2, 65_535).await;
    let mut prefix = BytesMut::new();
    prefix.put_u8(0);
    prefix.put_u32(4 << 20);
    // Two messages that stand still take all the memory that there is for messages on their way in.
    let mut stalled = Vec::new();
    for _ in 0..2 {
        let mut call = raw.open(SOLVE).await;
        call.send(prefix.clone().freeze()).await;
        stalled.push(call);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut refused = raw.open(SOLVE).await;
    refused.send(prefix.clone().freeze()).await;
    assert_eq!(refused.end().await, Ok(Code::ResourceExhausted));
    // Small ones are none of that, and a stream waits until the memory is free.
    let mut client = served.client().await;
    assert!(client.solve(solve(4)).await.is_ok());
    let (messages, end) = stream(&mut client, vec![batch(0, vec![row(&"X.".repeat(500_000)); 3])]).await;
    assert!(end.is_ok(), "{end:?}");
    assert_eq!(messages.len(), 2);
    let facts = client.get_server_info(v1::GetServerInfoRequest {}).await.unwrap().into_inner();
    assert_eq!(facts.limits.unwrap().memory_bytes, 32 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_without_calls_is_closed_and_one_with_calls_is_not() {
    let settings = Settings { idle_timeout: Duration::from_millis(600), ..impatient() };
    let served = Served::limiting_peers(settings, Games).await;
    let idle = Raw::connect(&served, 2, 65_535).await;
    let mut busy = Raw::connect(&served, 3, 65_535).await;
    let mut watch = busy.open(WATCH).await;
    watch.request.send_data(framed(&tonic_health::pb::HealthCheckRequest::default(), 0), true).unwrap();
    let ended = tokio::time::timeout(PATIENCE, idle.connection).await.expect("it ends in time").unwrap();
    assert!(ended.is_ok() || ended.unwrap_err().is_go_away());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!busy.connection.is_finished());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_connection_is_drained_and_its_streams_end_as_draining() {
    let max_connection_age = Some(Duration::from_millis(500));
    let settings = Settings { max_connection_age, drain_timeout: Duration::from_secs(5), ..Settings::default() };
    let served = Served::with(settings, Games).await;
    let begun = Instant::now();
    let mut client = served.client().await;
    let (sender, answers) = open(&mut client).await;
    sender.send(batch(1, vec![row("...")])).await.unwrap();
    let (messages, end) = read(&mut answers.unwrap().into_inner()).await;
    assert_eq!(story(&messages), ["1: 1 0 1 2"]);
    let status = end.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "DRAINING");
    let age = begun.elapsed();
    assert!((Duration::from_millis(450)..Duration::from_secs(3)).contains(&age), "{age:?}");
    // The next call finds a new connection, or is told to try again.
    within_time("a new connection is there", async || stream(&mut client, vec![]).await.1.is_ok()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_do_no_work_end_the_connection() {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    let floods: [(&str, &[u8]); 5] = [
        ("PING", &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ("SETTINGS", SETTINGS),
        ("PRIORITY", &[0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        ("WINDOW_UPDATE", &[0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ("a kind that nobody knows", &[0, 0, 1, 99, 0, 0, 0, 0, 0, 1]),
    ];
    let served = Served::with(Settings::default(), Games).await;
    for (name, frame) in floods {
        let mut socket = tcp(&served, 2).await;
        socket.write_all(&[PREFACE, SETTINGS].concat()).await.unwrap();
        let (mut reading, mut writing) = socket.into_split();
        let flood = frame.repeat(1000);
        let flooding = tokio::spawn(async move { while writing.write_all(&flood).await.is_ok() {} });
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, reading.read_to_end(&mut bytes)).await;
        assert!(read.is_ok(), "{name}: the connection is still open");
        flooding.abort();
    }
    // A preface is not enough: settings must follow.
    let settings = Settings { handshake_timeout: Duration::from_millis(200), ..Settings::default() };
    let served = Served::with(settings, Games).await;
    let mut socket = tcp(&served, 2).await;
    socket.write_all(PREFACE).await.unwrap();
    let read = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut Vec::new())).await;
    assert!(read.is_ok(), "the connection is still open");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_little_memory_for_the_messages_is_refused_at_the_start() {
    let mut settings = Settings::default();
    settings.limits.memory_bytes = 64 << 20;
    let refused = sprague::server::Server::start(settings, std::sync::Arc::new(Games), vec![]).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "memory = 64MiB is too little for message_bytes = 16MiB: give it 128MiB or more, or take shorter messages"
    );
}
