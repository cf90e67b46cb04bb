//! Callers that leave or run out of time: their work stops, everybody else's goes on.

use std::time::{Duration, Instant};

use sprague::server::settings::Settings;
use sprague::wire::v1;
use tonic::{Code, Request};

use crate::support::*;

/// The count of boards begun, once it has stood still for a while.
async fn settled(solver: &Sleeper) -> u64 {
    let mut begun = solver.begun();
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        if solver.begun() == begun {
            return begun;
        }
        begun = solver.begun();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streams_deadline_ends_it_and_stops_its_work() {
    let solver = Sleeper::default();
    let served = Served::with(Settings::default(), solver.clone()).await;
    // Each board takes ten seconds.
    let batches: Vec<_> = (0..10).map(|id| batch(id, vec![empty(10_000)])).collect();
    let mut request = Request::new(tokio_stream::iter(batches));
    request.set_timeout(Duration::from_millis(300));
    let mut answers = served.client().await.solve_stream(request).await.unwrap().into_inner();
    let status = read(&mut answers).await.1.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    let begun = settled(&solver).await;
    assert!(begun <= 4, "{begun} boards were begun: only as many as there are threads can have been");
    assert_eq!(solver.finished(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_counts_while_the_client_is_silent() {
    let served = Served::with(Settings::default(), Echo).await;
    let (sender, requests) = tokio::sync::mpsc::channel::<v1::SolveStreamRequest>(1);
    let mut request = Request::new(tokio_stream::wrappers::ReceiverStream::new(requests));
    // A deadline of our own, so that the client's side of tonic does not end the call first.
    request.metadata_mut().insert("grpc-timeout", "200m".parse().unwrap());
    let mut answers = served.client().await.solve_stream(request).await.unwrap().into_inner();
    let status = tokio::time::timeout(Duration::from_secs(20), answers.message()).await.expect("ended").unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    drop(sender);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unary_deadline_is_exceeded_not_cancelled_and_stops_the_solve() {
    let solver = Sleeper::default();
    let served = Served::with(Settings::default(), solver.clone()).await;
    let mut request = Request::new(v1::SolveRequest { board: Some(empty(30_000)), outcome_only: false });
    request.metadata_mut().insert("grpc-timeout", "200m".parse().unwrap());
    let begun = Instant::now();
    let status = served.client().await.solve(request).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "the board alone takes thirty seconds");
    settled(&solver).await;
    assert_eq!(solver.finished(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_peer_leaves_its_queued_work_is_dropped_and_running_work_stops() {
    let solver = Sleeper::default();
    let served = Served::with(Settings::default(), solver.clone()).await;
    let mut client = served.client().await;
    let (sender, answers) = open(&mut client).await;
    for id in 0..10 {
        sender.send(batch(id, vec![empty(10_000); 10])).await.unwrap();
    }
    let answers = answers.unwrap();
    while solver.begun() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    drop(answers);
    drop(sender);
    let begun = settled(&solver).await;
    assert!(begun <= 4, "{begun} of 100 boards were begun");
    assert_eq!(solver.finished(), 0, "a board takes ten seconds and was told to stop");
    // The pool is free again.
    let request = v1::SolveRequest { board: Some(empty(50)), outcome_only: false };
    assert!(client.solve(request).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn when_a_unary_caller_leaves_its_solve_stops() {
    let solver = Sleeper::default();
    let served = Served::with(Settings::default(), solver.clone()).await;
    let mut client = served.client().await;
    let request = v1::SolveRequest { board: Some(empty(10_000)), outcome_only: false };
    let call = tokio::spawn(async move { client.solve(request).await });
    while solver.begun() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    call.abort();
    settled(&solver).await;
    // Ten seconds of work for each thread would be in the way now.
    let request = v1::SolveRequest { board: Some(empty(30)), outcome_only: false };
    assert!(served.client().await.solve(request).await.is_ok());
    assert_eq!(solver.finished(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn light_boards_do_not_wait_behind_heavy_ones() {
    let solver = Sleeper::default();
    let served = Served::with(Settings { workers: 1, ..Settings::default() }, solver.clone()).await;
    let mut heavy = served.client().await;
    let (sender, answers) = open(&mut heavy).await;
    for id in 0..16 {
        sender.send(batch(id, vec![empty(10_000); 4])).await.unwrap();
    }
    let answers = answers.unwrap();
    while solver.begun() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // 64 heavy boards of ten seconds each are ahead of these on the one heavy thread.
    let batches = (0..5).map(|id| batch(id, vec![empty(3); 3])).collect();
    let light = tokio::time::timeout(Duration::from_secs(9), stream(&mut heavy.clone(), batches)).await;
    assert_eq!(story(&light.expect("not behind the heavy ones").0)[5], "5 batches, 15 = 15 + 0");
    assert_eq!(solver.finished(), 15);
    drop(answers);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_streams_heavy_boards_leave_another_its_turn() {
    let solver = Sleeper::default();
    let served = Served::with(Settings { workers: 1, ..Settings::default() }, solver.clone()).await;
    let mut greedy = served.client().await;
    let (sender, answers) = open(&mut greedy).await;
    for id in 0..16 {
        sender.send(batch(id, vec![empty(100); 40])).await.unwrap();
    }
    let answers = answers.unwrap();
    while solver.begun() < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // 640 boards of 100 ms are queued; a turn is due after the one that is running and one that waits.
    let before = solver.begun();
    let other = stream(&mut served.client().await, vec![batch(0, vec![empty(30)])]).await;
    assert!(other.1.is_ok());
    assert!(solver.begun() - before <= 6, "{} heavy boards went first", solver.begun() - before);
    drop(answers);
}
