//! The drain: what was read is answered, nothing new is taken, and it ends in time.

use std::time::{Duration, Instant};

use sprague::server::SERVICE_NAME;
use sprague::server::settings::Settings;
use sprague::wire::v1;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt as _;

use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_answers_what_it_has_read_and_ends_unavailable_without_a_summary() {
    let solver = Sleeper::default();
    let served = Served::with(Settings::default(), solver.clone()).await;
    let mut client = served.client().await;
    let (sender, answers) = open(&mut client).await;
    let mut answers = answers.unwrap().into_inner();
    for id in 0..3 {
        sender.send(batch(id, vec![empty(300)])).await.unwrap();
    }
    // The third has been read once the second board is running or done, as two threads take them in order.
    while solver.begun() < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let drained = tokio::spawn(served.server.drain(Duration::from_secs(60)));
    let (messages, end) = read(&mut answers).await;
    assert_eq!(story(&messages), ["0: 2", "1: 2", "2: 2"]);
    let status = end.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "DRAINING");
    drop((sender, answers, client));
    tokio::time::timeout(Duration::from_secs(20), drained).await.expect("drained long before its timeout").unwrap();
    assert!(tokio::net::TcpStream::connect(&served.address).await.is_err(), "the listener is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_is_announced_to_health_checks_before_anything_else_changes() {
    let served = Served::games().await;
    let mut health = HealthClient::new(served.channel().await);
    let mut status = async |name: &str| {
        let request = HealthCheckRequest { service: name.into() };
        health.check(request).await.unwrap().into_inner().status().as_str_name().to_owned()
    };
    for name in ["", SERVICE_NAME] {
        assert_eq!(status(name).await, "SERVING");
    }
    served.server.announce_drain().await;
    for name in ["", SERVICE_NAME] {
        assert_eq!(status(name).await, "NOT_SERVING");
    }
    let request = v1::SolveRequest { board: Some(row("...")), outcome_only: false };
    assert!(served.client().await.solve(request).await.is_ok(), "still answers, on new connections too");
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_silent_and_watching_connections_do_not_hold_up_a_drain() {
    let served = Served::games().await;
    let mut idle = served.client().await;
    idle.get_server_info(v1::GetServerInfoRequest {}).await.unwrap();
    let mut health = HealthClient::new(served.channel().await);
    let mut watch = health.watch(HealthCheckRequest { service: String::new() }).await.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    let _silent = tokio::net::TcpStream::connect(&served.address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let begun = Instant::now();
    served.server.drain(Duration::from_secs(60)).await;
    assert!(begun.elapsed() < Duration::from_secs(30), "only the timeout ended it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_at_the_timeout_is_cut() {
    let solver = Sleeper::default();
    let served = Served::with(Settings::default(), solver.clone()).await;
    let mut client = served.client().await;
    let batches = vec![batch(0, vec![empty(30_000)])];
    let running = tokio::spawn(async move { stream(&mut client, batches).await });
    while solver.begun() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    served.server.drain(Duration::from_millis(200)).await;
    let (messages, end) = tokio::time::timeout(Duration::from_secs(20), running).await.expect("cut").unwrap();
    assert!(messages.is_empty());
    assert!(end.is_err());
    assert_eq!(solver.finished(), 0);
}
