//! Single questions: boards of each game, explanations, facts, errors, in both kinds of runtime.

use std::time::{Duration, Instant};

use sprague::client::fault;
use sprague::explain::Move;
use sprague::games::{Outcome, darkraft, end_nim, treblecross};
use sprague::wire::Reason;
use sprague::{Client, Error};
use tokio_stream::StreamExt as _;

use super::servers::{Served, board, heavy, right, too_large};
use sprague::server::settings::Settings;

/// Everything that a client does, once.
async fn all_of_it(client: &Client) {
    let row = treblecross::Board::empty(5).unwrap();
    assert_eq!(client.solve(&row).await.unwrap().winning_cells(), [2]);
    let grid = darkraft::Board::new(2, r"X/\X".into()).unwrap();
    assert_eq!(client.solve(grid.clone()).await.unwrap(), right(&grid.into()));
    let piles = end_nim::Board::new(vec![1, 1]).unwrap();
    assert_eq!(client.outcome(&piles).await.unwrap(), Outcome::SecondPlayerWins);
    let explanation = client.explain(&row).moves(&[Move::Cell(2)]).options().line().await.unwrap();
    assert_eq!((explanation.outcome, explanation.moves.len()), (Outcome::SecondPlayerWins, 1));
    assert!(explanation.options.is_some() && explanation.line.is_some());
    let info = client.info().await.unwrap();
    assert_eq!(info.sizes.treblecross.cells, 1_000_000);

    let boards = || tokio_stream::iter((0..500).map(board));
    let solutions: Vec<_> = client.solve_all(boards()).collect::<Result<_, _>>().await.unwrap();
    let expected: Vec<_> = (0..500).map(|place| right(&board(place))).collect();
    assert!(solutions == expected);
    let outcomes: Vec<_> = client.outcomes(boards()).collect::<Result<_, _>>().await.unwrap();
    assert!(outcomes == expected.iter().map(|solution| solution.outcome()).collect::<Vec<_>>());
}

#[tokio::test(flavor = "current_thread")]
async fn everything_works_on_a_runtime_of_one_thread() {
    all_of_it(&Client::embedded().await.unwrap()).await;
    let served = Served::with(Settings::default()).await;
    all_of_it(&Client::connect([&served.address]).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_works_on_a_runtime_of_several_threads() {
    all_of_it(&Client::embedded().await.unwrap()).await;
    let served = Served::with(Settings::default()).await;
    let client = Client::connect([format!("http://{}", served.address)]).await.unwrap();
    let clone = client.clone();
    let other = tokio::spawn(async move { all_of_it(&clone).await });
    all_of_it(&client).await;
    other.await.unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_heavy_board_does_not_block_a_runtime_of_one_thread() {
    let client = Client::embedded().await.unwrap();
    let solving = tokio::spawn({
        let client = client.clone();
        async move { client.solve(heavy()).await }
    });
    let mut ticks = 0;
    while !solving.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
        ticks += 1;
    }
    assert!(solving.await.unwrap().is_ok());
    assert!(ticks > 20, "the runtime was blocked: {ticks} ticks");
}

#[tokio::test]
async fn one_boards_error_is_told_apart_from_the_servers() {
    let client = Client::embedded().await.unwrap();
    let reason = |error: Error| match error {
        Error::Board(error) => error.reason,
        error => panic!("{error}"),
    };
    assert_eq!(reason(client.solve(too_large()).await.unwrap_err()), Reason::TooManyCells);
    assert_eq!(reason(client.outcome(too_large()).await.unwrap_err()), Reason::TooManyCells);
    assert_eq!(reason(client.explain(too_large()).await.unwrap_err()), Reason::TooManyCells);
    let moves = [Move::Cell(3), Move::Cell(3)];
    assert_eq!(reason(client.explain(board(30)).moves(&moves).await.unwrap_err()), Reason::BadMove);
    let error = Client::builder().server("127.0.0.1:1").retry_for(Duration::ZERO).connect().await.unwrap_err();
    assert!(matches!(error, Error::Call(fault::Error::Unreachable { .. })), "{error}");
}

#[tokio::test]
async fn what_cannot_be_a_client_is_refused_before_anything_is_sent() {
    let error = |builder: sprague::client::Builder| async { builder.connect().await.unwrap_err() };
    let builder = Client::builder;
    assert!(matches!(error(builder()).await, Error::NoServer));
    assert!(matches!(error(builder().server("localhost")).await, Error::Address(_)));
    assert!(matches!(error(builder().server("10.0.0.1:1").token("secret")).await, Error::Address(_)));
    assert!(matches!(error(builder().server("127.0.0.1:1").token("two words")).await, Error::Token));
    assert!(matches!(error(builder().server("https://h:1").ca("no PEM")).await, Error::Address(_)));
}

#[tokio::test]
async fn a_run_or_a_question_takes_no_longer_than_it_may() {
    let served = Served::with(Settings::default()).await;
    let limit = Duration::from_millis(100);
    let client = Client::builder().server(&served.address).run_timeout(limit).connect().await.unwrap();
    // Connecting and waiting count for nothing.
    tokio::time::sleep(2 * limit).await;
    let start = Instant::now();
    let is_late = |error: &Error| matches!(error, Error::Call(fault::Error::TimedOut(after)) if *after == limit);
    let error = client.solve(heavy()).await.unwrap_err();
    assert!(is_late(&error), "{error}");
    let mut solutions = client.solve_all(tokio_stream::iter([heavy(), board(0)]));
    let error = solutions.next().await.unwrap().unwrap_err();
    assert!(is_late(&error), "{error}");
    assert!(solutions.next().await.is_none());
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(client.solve(board(0)).await.is_ok() || start.elapsed() > limit);
    served.is_left_idle().await;
}

#[test]
fn clients_and_their_streams_go_anywhere_and_can_be_shown() {
    fn goes_anywhere<T: Send + Sync + std::fmt::Debug + 'static>() {}
    fn is_sent<T: Send + Unpin + std::fmt::Debug + 'static>(value: T) -> T {
        value
    }
    fn spawns<T: Send>(_: T) {}
    goes_anywhere::<Client>();
    goes_anywhere::<Error>();
    goes_anywhere::<sprague::client::Builder>();
    goes_anywhere::<sprague::client::Explain>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = runtime.block_on(Client::embedded()).unwrap();
    // Outside of a runtime, too: it works on the one on which it was connected.
    let mut solutions = is_sent(client.solve_all(tokio_stream::iter([board(0)])));
    spawns(client.solve(board(0)));
    spawns(client.explain(board(0)).into_future());
    spawns(client.info());
    spawns(Client::connect(["127.0.0.1:1"]));
    assert!(runtime.block_on(solutions.next()).unwrap().is_ok());
    assert!(format!("{client:?} {solutions:?}").contains("embedded"));
    let shown = format!("{:?}", Client::builder().token("secret").identity("secret", "secret"));
    assert!(!shown.contains("secret") && !shown.contains("115, 101"), "{shown}");
}
