//! Futures and streams that are dropped at any moment: their work ends, here and at the server.

use std::time::Duration;

use sprague::Client;
use sprague::games::{Board, darkraft};
use sprague::server::settings::Settings;
use tokio_stream::StreamExt as _;

use super::servers::{Served, board, heavy, number, random, right};

/// A board of some milliseconds.
fn medium() -> Board {
    darkraft::Board::new(20, vec![b'X'; 20 * 20].into()).unwrap().into()
}

/// Begins something, and stops waiting for it somewhere in the middle.
async fn cancel_one(client: &Client, seed: &mut u64) {
    let limit = Duration::from_micros(random(seed) % 3000);
    let start = random(seed);
    let board_at = move |place: u64| if place % 50 == 49 { medium() } else { board(start + place) };
    match random(seed) % 4 {
        0 => drop(tokio::time::timeout(limit, client.solve(medium())).await),
        1 => drop(tokio::time::timeout(limit, client.explain(medium()).options().into_future()).await),
        2 => {
            let mut solutions = client.solve_all(tokio_stream::iter((0..).map(board_at)));
            let reading = async { while solutions.next().await.is_some() {} };
            assert!(tokio::time::timeout(limit, reading).await.is_err(), "there is no end of boards");
        }
        _ => {
            // A dropped `next` loses nothing.
            let mut solutions = client.solve_all(tokio_stream::iter((0..40).map(move |place| board(start + place))));
            let mut place = 0;
            while place < 40 {
                let next = solutions.next();
                let moment = Duration::from_micros(random(seed) % 200);
                let Ok(solution) = tokio::time::timeout(moment, next).await else { continue };
                assert!(solution.unwrap().unwrap() == right(&board(start + place)));
                place += 1;
            }
        }
    }
}

async fn cancel_many(client: &Client, seeds: std::ops::Range<u64>, each: u64) {
    let mut tasks = tokio::task::JoinSet::new();
    for mut seed in seeds {
        let client = client.clone();
        tasks.spawn(async move {
            for _ in 0..each {
                cancel_one(&client, &mut seed).await;
            }
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_dropped_at_whatever_moment_leaves_nothing_behind() {
    let served = Served::with(Settings::default()).await;
    let client = Client::connect([&served.address]).await.unwrap();
    let tasks = 4;
    cancel_many(&client, 0..tasks, number("SPRAGUE_TEST_CANCELLATIONS", 500) / tasks).await;
    served.is_left_idle().await;
    let solutions = client.solve_all(tokio_stream::iter((0..500).map(board)));
    assert!(
        solutions.collect::<Result<Vec<_>, _>>().await.unwrap()
            == (0..500).map(|place| right(&board(place))).collect::<Vec<_>>()
    );
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert!(tasks < 50, "{tasks} tasks are left");
}

#[tokio::test(flavor = "current_thread")]
async fn what_is_dropped_ends_on_a_runtime_of_one_thread_too() {
    let served = Served::with(Settings::default()).await;
    let client = Client::connect([&served.address]).await.unwrap();
    cancel_many(&client, 0..2, 20).await;
    served.is_left_idle().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_work_ends_at_the_server_when_nobody_waits_for_it() {
    let served = Served::with(Settings::default()).await;
    let client = Client::connect([&served.address]).await.unwrap();
    let soon = Duration::from_millis(50);
    assert!(tokio::time::timeout(soon, client.solve(heavy())).await.is_err());
    assert!(tokio::time::timeout(soon, client.explain(heavy()).into_future()).await.is_err());
    let mut solutions = client.solve_all(tokio_stream::iter(vec![heavy(); 20]));
    assert!(tokio::time::timeout(soon, solutions.next()).await.is_err());
    assert!(!served.server.is_idle());
    drop(solutions);
    // Twenty such boards take a minute.
    let start = std::time::Instant::now();
    served.is_left_idle().await;
    assert!(start.elapsed() < Duration::from_secs(20));
}
