//! The Explain call: answers, faults of boards and moves in their place, limits, deadlines.

use std::time::Duration;

use sprague::explain::{Explanation, Move, Reason, Wants};
use sprague::games::Board;
use sprague::notation::{self, Letters};
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::wire::{self, BoardError, Reason as Fault, v1};
use tonic::Code;

use super::support::{Client, Served, empty, piles, row};

const ALL: Wants = Wants { options: true, line: true };

async fn explain(
    client: &mut Client,
    board: v1::Board,
    moves: &[Move],
    wants: Wants,
) -> Result<Explanation, BoardError> {
    let request = v1::ExplainRequest {
        board: Some(board),
        moves: moves.iter().copied().map(Into::into).collect(),
        options: wants.options,
        line: wants.line,
    };
    wire::explain::explained(client.explain(request).await.unwrap().into_inner(), wants)
}

#[tokio::test(flavor = "multi_thread")]
async fn explanations_cross_the_wire_whole() {
    let served = Served::games().await;
    let mut client = served.client().await;
    for (game, text, moves) in [
        (0, "X.....X..X.......X....X..X", &["4"][..]),
        (0, ".XX..", &[]),
        (0, ".XX..", &["1"]),
        (0, "..........", &["1", "5"]),
        (1, r"X\/X,//X\", &["1,1"]),
        (1, "X", &["1,1"]),
        (2, "3,1,9,4", &["left:2"]),
        (2, "2,2", &[]),
        (2, "7", &[]),
        (2, "", &[]),
    ] {
        let game = sprague::games::Game::ALL[game];
        let board: Board = notation::board(game, text, Letters::DRAWN).unwrap();
        let moves: Vec<Move> = moves.iter().map(|text| notation::read_move(&board, text).unwrap()).collect();
        let control = sprague::theory::Control::unlimited();
        for wants in [ALL, Wants::default()] {
            let right = sprague::explain::explain(&board, &moves, wants, &control).unwrap();
            assert_eq!(explain(&mut client, board.clone().into(), &moves, wants).await, Ok(right), "{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_boards_and_moves_are_answers_and_name_their_place() {
    let served = Served::games().await;
    let mut client = served.client().await;
    for (board, moves, reason, offset) in [
        (v1::Board::default(), vec![], Fault::NoGame, None),
        (row(".XXX"), vec![], Fault::AlreadyWon, Some(1)),
        (piles(&[1, 0]), vec![], Fault::PileZero, Some(1)),
        (row("..."), vec![Move::Cell(0), Move::Cell(0)], Fault::BadMove, Some(1)),
        (row("..."), vec![Move::Cell(7)], Fault::BadMove, Some(0)),
        (empty(2000), (0..1001).map(Move::Cell).collect(), Fault::BadMove, Some(1000)),
    ] {
        let fault = explain(&mut client, board, &moves, Wants::default()).await.unwrap_err();
        assert_eq!((fault.reason, fault.offset), (reason, offset), "{fault}");
    }
    let request =
        v1::ExplainRequest { board: Some(row("...")), moves: vec![v1::Move::default()], ..Default::default() };
    let answer = client.explain(request).await.unwrap().into_inner();
    assert_eq!(wire::explain::explained(answer, Wants::default()).unwrap_err().reason, Fault::BadMove);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_is_held_to_the_budget_and_to_the_message_limit() {
    let mut settings = Settings::default();
    settings.limits.message_bytes = 5000;
    settings.limits.cost_per_board = 1_000_000_000;
    let served = Served::with(settings, Games).await;
    let mut client = served.client().await;
    let small = explain(&mut client, empty(400), &[], Wants::default()).await.unwrap();
    assert!(matches!(small.reason, Reason::Zones { .. }));
    let fault = explain(&mut client, empty(4000), &[], ALL).await.unwrap_err();
    assert_eq!(fault.reason, Fault::TooLong, "{fault}");
    let grid = super::support::grid(64, &"X".repeat(64 * 64));
    let fault = explain(&mut client, grid, &[], Wants::default()).await.unwrap_err();
    assert_eq!(fault.reason, Fault::OverBudget, "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_ends_a_long_explanation() {
    let served = Served::games().await;
    let mut client = served.client().await;
    let board = Some(super::support::grid(64, &"X".repeat(64 * 64)));
    let mut request = tonic::Request::new(v1::ExplainRequest { board, ..Default::default() });
    request.set_timeout(Duration::from_millis(100));
    assert_eq!(client.explain(request).await.unwrap_err().code(), Code::DeadlineExceeded);
    // The pool is free again: the work looked at its flag.
    assert!(explain(&mut client, empty(2000), &[], Wants::default()).await.is_ok());
}
