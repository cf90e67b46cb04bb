//! What the server allows, and how it says no.

use std::time::Duration;

use sprague::games::{Board, Solution};
use sprague::server::settings::Settings;
use sprague::server::workers::{Games, Solver};
use sprague::theory::{Control, Stopped};
use sprague::wire::v1;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_facts_are_its_settings() {
    let mut settings = Settings::default();
    settings.sizes.end_nim.piles = 77;
    settings.limits.streams = 5;
    let served = Served::with(settings.clone(), Games).await;
    let facts = served.client().await.get_server_info(v1::GetServerInfoRequest {}).await.unwrap().into_inner();
    assert_eq!(facts.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(facts.recommended_batch_bytes, 65_536);
    let names: Vec<&str> = facts.games.iter().map(|game| game.name.as_str()).collect();
    assert_eq!(names, ["treblecross", "darkraft", "end-nim"]);
    let facts = sprague::wire::facts::ServerFacts::from(facts);
    assert_eq!(facts.sizes, settings.sizes);
    assert_eq!(facts.limits, settings.limits);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_may_have_as_many_boards_as_the_limit_and_no_more() {
    let mut settings = Settings::default();
    settings.limits.boards_per_batch = 3;
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    let boards = |count| vec![row("..."); count];
    let (messages, end) = stream(&mut client, vec![batch(0, boards(3))]).await;
    assert!(end.is_ok());
    assert_eq!(messages.len(), 2);
    let status = stream(&mut client, vec![batch(9, boards(4))]).await.1.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "batch 9 has 4 boards, more than boards_per_batch = 3");
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "TOO_MANY_BOARDS");
    assert_eq!(details.error_info().unwrap().domain, "sprague.v1");
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "boards");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_on_uploading_sees_the_status_of_an_early_end() {
    let mut settings = Settings::default();
    settings.limits.boards_per_batch = 1;
    let served = Served::with(settings, Games).await;
    let batches = (0..2000).map(|id| batch(id, vec![empty(200); if id < 5 { 1 } else { 2 }])).collect();
    let (messages, end) = stream(&mut served.client().await, batches).await;
    assert_eq!(end.unwrap_err().code(), Code::InvalidArgument);
    assert!(messages.len() <= 5, "no answer follows the fault");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_over_the_size_limit_is_refused_by_its_size() {
    let mut settings = Settings::default();
    settings.limits.message_bytes = 10_000;
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    assert!(stream(&mut client, vec![batch(0, vec![empty(9_900)])]).await.1.is_ok());
    let status = stream(&mut client, vec![batch(0, vec![empty(10_100)])]).await.1.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status:?}");
    let request = v1::SolveRequest { board: Some(empty(10_100)), outcome_only: false };
    assert_eq!(client.solve(request).await.unwrap_err().code(), Code::OutOfRange);
}

/// Costs what its cells number, and spends ten times that.
struct Spender;

impl Solver for Spender {
    fn cost(&self, board: &Board) -> u64 {
        match board {
            Board::Treblecross(board) => board.cells().len() as u64,
            _ => 0,
        }
    }

    fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped> {
        control.spend(10 * self.cost(board))?;
        Echo.solve(board, control)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_over_the_budget_is_refused_by_its_cost_or_stopped_on_the_way() {
    let mut settings = Settings::default();
    settings.limits.cost_per_board = 100;
    let served = Served::with(settings, Spender).await;
    let boards = vec![empty(10), empty(11), empty(100), empty(101)];
    let (messages, end) = stream(&mut served.client().await, vec![batch(0, boards)]).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages)[0], "0: 1 10, OVER_BUDGET, OVER_BUDGET, OVER_BUDGET");
    let v1::solve_stream_response::Message::Batch(batch) = &messages[0] else { panic!("no batch") };
    let message = |at: usize| match &batch.results[at].result {
        Some(v1::board_result::Result::Error(error)) => error.message.clone(),
        _ => panic!("no error"),
    };
    assert_eq!(message(1), "the board needs more than cost_per_board = 100 units of work");
    assert_eq!(message(3), "the board needs about 101 units of work, more than cost_per_board = 100 units of work");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_over_the_limit_are_refused_at_once_until_one_ends() {
    let mut settings = Settings::default();
    settings.limits.streams = 2;
    let served = Served::with(settings, Echo).await;
    let mut client = served.client().await;
    let (first, answers) = open(&mut client).await;
    let mut first_answers = answers.unwrap().into_inner();
    let (_second, answers) = open(&mut client).await;
    let _second_answers = answers.unwrap();
    let status = stream(&mut client, vec![]).await.1.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("streams = 2"), "{}", status.message());
    assert!(status.get_error_details().retry_info().unwrap().retry_delay.is_some());
    // The place belongs to the stream, not to the call: it is free when the stream has ended.
    drop(first);
    assert!(read(&mut first_answers).await.1.is_ok());
    let ended = async {
        while stream(&mut client, vec![]).await.1.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("a place comes free");
}

#[tokio::test(flavor = "multi_thread")]
async fn unary_calls_over_the_limit_are_refused_at_once() {
    let settings = Settings { calls: 1, ..Settings::default() };
    let solver = Sleeper::default();
    let served = Served::with(settings, solver.clone()).await;
    let request = |cells| v1::SolveRequest { board: Some(empty(cells)), outcome_only: false };
    let mut long = served.client().await;
    let slow = tokio::spawn(async move { long.solve(request(2000)).await });
    while solver.begun() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let status = served.client().await.solve(request(3)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.get_error_details().retry_info().is_some());
    assert!(slow.await.unwrap().is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_has_no_more_batches_in_work_than_the_limit() {
    let mut settings = Settings::default();
    settings.limits.batches_in_flight = 2;
    settings.workers = 4;
    let solver = Sleeper::default();
    let served = Served::with(settings, solver.clone()).await;
    let batches = (0..12).map(|id| batch(id, vec![empty(30)])).collect();
    let mut client = served.client().await;
    let running = tokio::spawn(async move { stream(&mut client, batches).await });
    while !running.is_finished() {
        assert!(solver.begun() <= solver.finished() + 2 + 1, "{} of {}", solver.begun(), solver.finished());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(running.await.unwrap().1.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_whose_answers_are_not_taken_is_read_no_further() {
    let mut settings = Settings::default();
    settings.limits.queued_bytes = 100_000;
    settings.stall_timeout = Duration::from_secs(600);
    let solver = Sleeper::default();
    let served = Served::with(settings, solver.clone()).await;
    // Nobody reads: the client's own window fills (its messages are small), then the server's queue, then ours.
    let endpoint = tonic::transport::Endpoint::new(format!("http://{}", served.address)).unwrap();
    let channel = endpoint.initial_stream_window_size(16_384).connect().await.unwrap();
    let (sender, answers) = open(&mut Client::new(channel)).await;
    let answers = answers.unwrap().into_inner();
    let flood = tokio::spawn(async move {
        let boards = vec![v1::Board::default(); 500];
        for id in 0..100_000 {
            if sender.send(batch(id, boards.clone())).await.is_err() {
                break;
            }
        }
    });
    // The flood comes to rest: back-pressure, not an error.
    let mut before = usize::MAX;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for _ in 0..3 {
        assert!(!flood.is_finished(), "100,000 batches were taken in without one answer read");
        tokio::time::sleep(Duration::from_millis(100)).await;
        before = before.min(1);
    }
    drop(answers);
    flood.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_stands_still_is_ended_and_its_place_is_free() {
    let mut settings = Settings::default();
    settings.limits.streams = 1;
    settings.stall_timeout = Duration::from_millis(200);
    let served = Served::with(settings, Sleeper::default()).await;
    let mut client = served.client().await;
    // Work is no standstill: this board takes longer than the limit.
    let (messages, end) = stream(&mut client, vec![batch(0, vec![empty(600)])]).await;
    assert!(end.is_ok(), "{end:?}");
    assert_eq!(messages.len(), 2);
    // The place is given back a moment after the last message.
    let (_sender, mut answers) = loop {
        match open(&mut client).await {
            (sender, Ok(answers)) => break (sender, answers.into_inner()),
            (_, Err(status)) => assert_eq!(status.code(), Code::ResourceExhausted),
        }
    };
    let status = answers.message().await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "STALLED");
    let ended = async {
        while stream(&mut client, vec![]).await.1.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the place comes free");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_over_the_limit_are_closed_as_they_come() {
    let settings = Settings { connections: 1, ..Settings::default() };
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    assert!(client.get_server_info(v1::GetServerInfoRequest {}).await.is_ok());
    let mut second = tokio::net::TcpStream::connect(&served.address).await.unwrap();
    let mut byte = [0];
    let read = tokio::time::timeout(Duration::from_secs(20), second.read(&mut byte)).await.expect("closed in time");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    assert!(client.get_server_info(v1::GetServerInfoRequest {}).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_never_speaks_is_closed() {
    let settings = Settings { handshake_timeout: Duration::from_millis(100), ..Settings::default() };
    let served = Served::with(settings, Games).await;
    let mut silent = tokio::net::TcpStream::connect(&served.address).await.unwrap();
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), silent.read_to_end(&mut bytes)).await;
    assert!(read.is_ok(), "still open");
    // One that spoke stays, quiet as it is.
    let mut client = served.client().await;
    assert!(client.get_server_info(v1::GetServerInfoRequest {}).await.is_ok());
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(client.get_server_info(v1::GetServerInfoRequest {}).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn random_bytes_and_huge_headers_harm_nobody_else() {
    let served = Served::games().await;
    for bytes in
        [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 4096], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff"]
    {
        let mut stream = tokio::net::TcpStream::connect(&served.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the connection is still open");
    }
    for (bytes, is_taken) in [(8 << 10, true), (17 << 10, false), (1 << 20, false)] {
        let mut request = tonic::Request::new(v1::GetServerInfoRequest {});
        request.metadata_mut().insert("x-huge", "a".repeat(bytes).parse().unwrap());
        let outcome = served.client().await.get_server_info(request).await;
        assert_eq!(outcome.is_ok(), is_taken, "{bytes}: {outcome:?}");
    }
    assert!(served.client().await.get_server_info(v1::GetServerInfoRequest {}).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_status_with_its_details_is_at_most_4_kib() {
    let mut settings = Settings::default();
    settings.limits.boards_per_batch = 1;
    settings.limits.streams = 1;
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    let too_many = stream(&mut client, vec![batch(u64::MAX, vec![row("..."); 60_000])]).await.1.unwrap_err();
    assert!(too_many.message().len() + too_many.details().len() <= 4096);
}
