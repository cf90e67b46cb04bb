//! Servers that are killed or hang while a client uses them: another one takes over, and soon.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use sprague::{Client, Error};
use tokio_stream::StreamExt as _;

use super::servers::{Process, board, number, right};

/// A connection to a server that hangs would be given up after 30 seconds of pings.
const SOON: Duration = Duration::from_secs(10);

async fn two() -> (Process, Process, Client) {
    let (first, second) = (Process::start(), Process::start());
    let client = Client::connect([&first.address, &second.address]).await.unwrap();
    (first, second, client)
}

/// Solves so many boards, and returns how many have a solution.
async fn solved(client: &Client, count: u64) -> u64 {
    let solutions = client.solve_all(tokio_stream::iter((0..count).map(board)));
    solutions.fold(0, |solved, solution| solved + u64::from(solution.is_ok())).await
}

/// Solves boards of two servers, the first of which gets a signal in the middle. Returns how long it took from then on.
async fn with_a_signal(signal: Signal) -> Duration {
    let (first, _second, client) = two().await;
    let count = number("SPRAGUE_TEST_BOARDS", 50_000);
    let mut solutions = client.solve_all(tokio_stream::iter((0..count).map(board)));
    let mut start = Instant::now();
    for place in 0..count {
        if place == count / 4 {
            first.signal(signal);
            start = Instant::now();
        }
        let solution = solutions.next().await.unwrap().unwrap();
        // Where time counts, most of it is to be the servers'.
        let is_compared = signal == Signal::KILL || place % 10 == 0;
        assert!(!is_compared || solution == right(&board(place)), "board {place}");
    }
    assert!(solutions.next().await.is_none());
    start.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_goes_on_when_one_of_two_servers_is_killed() {
    with_a_signal(Signal::KILL).await;
}

#[tokio::test]
async fn a_run_goes_on_when_one_of_two_servers_is_killed_on_a_runtime_of_one_thread_too() {
    with_a_signal(Signal::KILL).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_goes_on_when_one_of_two_servers_hangs() {
    let (first, _second, client) = two().await;
    let count = number("SPRAGUE_TEST_BOARDS", 50_000);
    let start = Instant::now();
    assert_eq!(solved(&client, count).await, count);
    let usual = start.elapsed();
    drop((first, client));
    let taken = with_a_signal(Signal::STOP).await;
    // One server alone takes twice as long.
    assert!(taken < 3 * usual + SOON, "{taken:?}, and {usual:?} without a fault");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_batch_of_a_server_that_hangs_is_answered_by_the_other() {
    let (first, second, client) = two().await;
    for hanging in [&first, &second] {
        let mut solutions = client.solve_all(tokio_stream::iter((0..4).map(board)).chain(tokio_stream::pending()));
        for place in 0..4 {
            assert!(solutions.next().await.unwrap().unwrap() == right(&board(place)));
        }
        hanging.signal(Signal::STOP);
        let start = Instant::now();
        assert_eq!(solved(&client, 40).await, 40);
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        hanging.signal(Signal::CONT);
        assert!(client.info().await.is_ok());
    }
}

#[tokio::test]
async fn a_question_to_a_server_that_hangs_is_answered_by_the_other() {
    let (first, _second, client) = two().await;
    first.signal(Signal::STOP);
    let start = Instant::now();
    assert!(client.solve(board(3)).await.unwrap() == right(&board(3)));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    // From then on the other one is asked first.
    let start = Instant::now();
    for _ in 0..20 {
        client.info().await.unwrap();
        client.explain(board(3)).await.unwrap();
    }
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[tokio::test]
async fn connecting_does_not_wait_for_a_server_that_hangs() {
    let (first, second) = (Process::start(), Process::start());
    first.signal(Signal::STOP);
    let start = Instant::now();
    let client = Client::connect([&first.address, &second.address]).await.unwrap();
    assert!(client.solve(board(0)).await.is_ok());
    assert_eq!(solved(&client, 40).await, 40);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[tokio::test]
async fn without_another_server_one_that_hangs_is_waited_for() {
    let server = Process::start();
    let client = Client::connect([&server.address]).await.unwrap();
    server.signal(Signal::STOP);
    let solving = tokio::spawn(async move {
        let solutions = client.solve_all(tokio_stream::iter((0..40).map(board)));
        solutions.collect::<Result<Vec<_>, Error>>().await
    });
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!solving.is_finished());
    server.signal(Signal::CONT);
    assert_eq!(solving.await.unwrap().unwrap().len(), 40);
}
