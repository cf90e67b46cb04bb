//! Streams of boards: order, errors in their places, slow sources, consumers that pause, flat memory.

use std::time::Duration;

use sprague::games::Board;
use sprague::server::settings::Settings;
use sprague::wire::Reason;
use sprague::{Client, Error};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};

use super::servers::{Served, board, number, right, too_large};

/// Boards by their places, made as they are asked for.
fn boards(count: u64) -> impl Stream<Item = Board> {
    tokio_stream::iter((0..count).map(board))
}

/// This process's memory, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_stream_comes_back_in_order_and_memory_stays_flat() {
    let count = number("SPRAGUE_TEST_BOARDS", 50_000);
    let served = Served::with(Settings::default()).await;
    let client = Client::connect([&served.address]).await.unwrap();
    // The boards repeat, so each is solved here once.
    let period = 3 * 40 * 7 * 11;
    let expected: Vec<_> = (0..period.min(count)).map(|place| right(&board(place))).collect();
    let mut solutions = client.solve_all(boards(count).map(|board| board));
    let (mut place, mut early) = (0, 0);
    while let Some(solution) = solutions.next().await {
        assert!(solution.unwrap() == expected[(place % period) as usize], "board {place}");
        place += 1;
        if place == count / 10 {
            early = resident();
        }
    }
    assert_eq!(place, count);
    let grown = resident().saturating_sub(early);
    assert!(grown < 48 << 10, "grown by {grown} KiB since the first tenth");
    served.is_left_idle().await;
}

#[tokio::test]
async fn a_boards_error_is_in_its_place_and_the_others_go_on() {
    let client = Client::embedded().await.unwrap();
    let bad = |place: u64| place % 100 == 7;
    let mixed = (0..1000).map(|place| if bad(place) { too_large() } else { board(place) });
    let mut solutions = client.solve_all(tokio_stream::iter(mixed));
    for place in 0..1000 {
        match solutions.next().await.unwrap() {
            Err(Error::Board(error)) => assert!(bad(place) && error.reason == Reason::TooManyCells, "{place}: {error}"),
            Err(error) => panic!("{place}: {error}"),
            Ok(solution) => assert!(!bad(place) && solution == right(&board(place)), "{place}"),
        }
    }
    assert!(solutions.next().await.is_none());
}

#[tokio::test]
async fn an_empty_stream_has_no_solutions() {
    let client = Client::embedded().await.unwrap();
    assert!(client.solve_all(tokio_stream::empty::<Board>()).next().await.is_none());
}

#[tokio::test]
async fn after_an_error_that_is_no_boards_the_stream_ends() {
    let served = Served::with(Settings::default()).await;
    let client =
        Client::builder().server(&served.address).retry_for(Duration::from_millis(200)).connect().await.unwrap();
    let (sender, receiver) = mpsc::channel(1);
    let mut solutions = client.solve_all(ReceiverStream::new(receiver));
    sender.send(board(0)).await.unwrap();
    assert!(solutions.next().await.unwrap().is_ok());
    drop(served);
    sender.send(board(1)).await.unwrap();
    let error = solutions.next().await.unwrap().unwrap_err();
    assert!(!error.is_of_one_board(), "{error}");
    assert!(solutions.next().await.is_none());
    assert!(solutions.next().await.is_none());
    // The source is given up, too.
    assert!(sender.is_closed());
}

#[tokio::test]
async fn a_slow_source_gets_each_answer_before_it_goes_on() {
    let client = Client::embedded().await.unwrap();
    let (sender, receiver) = mpsc::channel(1);
    let mut solutions = client.solve_all(ReceiverStream::new(receiver));
    for place in 0..50 {
        sender.send(board(place)).await.unwrap();
        assert!(solutions.next().await.unwrap().unwrap() == right(&board(place)));
    }
    drop(sender);
    assert!(solutions.next().await.is_none());
}

#[tokio::test]
async fn a_source_that_pauses_again_and_again_loses_nothing() {
    let client = Client::embedded().await.unwrap();
    // As long as another task has its turn between two boards, its stream is pending.
    let (sender, hesitant) = mpsc::channel(1);
    tokio::spawn(async move {
        for place in 0..2000 {
            sender.send(board(place)).await.unwrap();
            tokio::task::yield_now().await;
        }
    });
    let solutions: Vec<_> = client.solve_all(ReceiverStream::new(hesitant)).collect::<Result<_, _>>().await.unwrap();
    assert!(solutions == (0..2000).map(|place| right(&board(place))).collect::<Vec<_>>());
}

#[tokio::test]
async fn boards_may_be_borrowed_and_a_stream_may_move_between_tasks() {
    let client = Client::embedded().await.unwrap();
    let owned: Vec<Board> = (0..300).map(board).collect();
    let solved: Result<Vec<_>, _> = client.solve_all(tokio_stream::iter(&owned)).collect().await;
    assert_eq!(solved.unwrap().len(), 300);
    let mut solutions = client.solve_all(boards(3000));
    for place in 0..3000 {
        if place % 500 == 3 {
            let moved = async move { (solutions.next().await, solutions) };
            let (solution, back) = tokio::spawn(moved).await.unwrap();
            assert!(solution.unwrap().unwrap() == right(&board(place)));
            solutions = back;
        } else {
            assert!(solutions.next().await.unwrap().unwrap() == right(&board(place)), "{place}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_pauses_longer_than_the_server_waits_gets_everything() {
    let stall_timeout = Duration::from_millis(300);
    let served = Served::with(Settings { stall_timeout, ..Settings::default() }).await;
    let client = Client::connect([&served.address]).await.unwrap();
    // More than may be under way at once, with long answers.
    let count = 60_000;
    let mut solutions = client.solve_all(boards(count));
    for place in 0..count {
        if [10, 20_000, 45_000].contains(&place) {
            tokio::time::sleep(4 * stall_timeout).await;
        }
        assert!(solutions.next().await.unwrap().unwrap() == right(&board(place)), "board {place}");
    }
    assert!(solutions.next().await.is_none());
}
