//! What a stream answers: order, mixed games, bad boards among good ones, the Summary.

use std::time::Duration;

use sprague::games::{Board, Solution};
use sprague::server::settings::Settings;
use sprague::server::workers::{Games, Solver};
use sprague::theory::{Control, Stopped};
use sprague::wire::v1;
use tonic::Code;

use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn every_batch_is_answered_in_order_board_by_board_and_summed_up() {
    let served = Served::games().await;
    let batches = vec![
        batch(7, vec![row("....."), grid(2, "/X\\/"), piles(&[3, 1]), piles(&[])]),
        batch(7, vec![]),
        batch(u64::MAX, vec![row("X.X.."), row("X..X.X"), row("......")]),
    ];
    let (messages, end) = stream(&mut served.client().await, batches).await;
    assert!(end.is_ok(), "{end:?}");
    let expected =
        ["7: 1 2, 1 0 1 2 3, 1 left:2, 2", "7:", "18446744073709551615: 1 1, 1 4, 2", "3 batches, 7 = 7 + 0"];
    let told = story(&messages);
    // The grid's moves are the games' own tests' matter; who wins is enough here.
    assert_eq!(told[1..], expected[1..]);
    assert!(told[0].starts_with("7: 1 2, "), "{}", told[0]);
    assert!(told[0].ends_with("1 left:2, 2"), "{}", told[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_batches_ends_in_a_summary_of_zeros() {
    let served = Served::games().await;
    let (messages, end) = stream(&mut served.client().await, vec![]).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages), ["0 batches, 0 = 0 + 0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_board_costs_no_other_board_its_answer() {
    let mut settings = Settings::default();
    settings.sizes.treblecross.cells = 20;
    settings.sizes.darkraft.rows = 3;
    settings.sizes.darkraft.columns = 3;
    settings.sizes.end_nim.piles = 3;
    let served = Served::with(settings, Games).await;
    let bad = [
        (v1::Board { game: None }, "NO_GAME"),
        (row("..x"), "BAD_CELL@2"),
        (raw_row(b".\xff."), "BAD_CELL@1"),
        (row(".XXX."), "ALREADY_WON@1"),
        (row(".."), "TOO_SHORT"),
        (row(""), "TOO_SHORT"),
        (empty(21), "TOO_MANY_CELLS"),
        (grid(2, "///"), "RAGGED"),
        (grid(0, ""), "EMPTY"),
        (grid(3, ""), "EMPTY"),
        (grid(2, "/L"), "BAD_CELL@1"),
        (grid(4, "////"), "TOO_MANY_CELLS"),
        (grid(1, "////"), "TOO_MANY_CELLS"),
        (grid(u32::MAX, "/"), "TOO_MANY_CELLS"),
        (piles(&[1, 0, 2]), "PILE_ZERO@1"),
        (piles(&[1, 1, 1, 1]), "TOO_MANY_PILES"),
    ];
    let mut boards = Vec::new();
    let mut expected = Vec::new();
    for (board, reason) in bad {
        boards.extend([row("..."), board]);
        expected.extend(["1 0 1 2", reason]);
    }
    let mut client = served.client().await;
    let (messages, end) = stream(&mut client, vec![batch(0, boards.clone())]).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages), [format!("0: {}", expected.join(", ")), "1 batches, 32 = 16 + 16".into()]);
    // The same in a unary call: status OK, the error in its place.
    for (board, expected) in boards.into_iter().zip(expected) {
        let request = v1::SolveRequest { board: Some(board), outcome_only: false };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(show(response.result.as_ref().unwrap()), expected);
    }
    let nothing = client.solve(v1::SolveRequest::default()).await.unwrap().into_inner();
    assert_eq!(show(&nothing.result.unwrap()), "NO_GAME");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_size_over_the_limit_is_refused_with_the_limit_and_the_size() {
    let mut settings = Settings::default();
    settings.sizes.treblecross.cells = 20;
    let served = Served::with(settings, Games).await;
    let request = v1::SolveRequest { board: Some(empty(21)), outcome_only: false };
    let response = served.client().await.solve(request).await.unwrap().into_inner();
    let Some(v1::board_result::Result::Error(error)) = response.result.unwrap().result else { panic!("no error") };
    assert_eq!(error.message, "21 cells are more than the server's limit of 20 cells");
}

#[tokio::test(flavor = "multi_thread")]
async fn outcome_only_leaves_out_moves_and_value() {
    let served = Served::games().await;
    let boards = vec![row("....."), grid(1, "X"), piles(&[4]), row("......")];
    let batches = vec![
        v1::SolveStreamRequest { batch_id: 1, boards: boards.clone(), outcome_only: true },
        v1::SolveStreamRequest { batch_id: 2, boards, outcome_only: false },
    ];
    let (messages, end) = stream(&mut served.client().await, batches).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages)[..2], ["1: 1, 1, 1, 2", "2: 1 2, 1 0, 1 left:4, 2"]);
    let kinds = |message: &v1::solve_stream_response::Message| -> Vec<(v1::ValueKind, u32)> {
        let v1::solve_stream_response::Message::Batch(batch) = message else { return vec![] };
        let solution = |result: &v1::BoardResult| match &result.result {
            Some(v1::board_result::Result::Solution(solution)) => (solution.value_kind(), solution.nim_value),
            _ => panic!("no solution"),
        };
        batch.results.iter().map(solution).collect()
    };
    assert_eq!(kinds(&messages[0]), [(v1::ValueKind::NotAsked, 0); 4]);
    use v1::ValueKind::{Nimber, NotKnown};
    assert_eq!(kinds(&messages[1]), [(Nimber, 2), (Nimber, 1), (NotKnown, 0), (Nimber, 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn light_and_heavy_boards_of_many_batches_come_back_in_the_order_sent() {
    let served = Served::with(Settings::default(), Echo).await;
    let mut batches = Vec::new();
    let mut expected = Vec::new();
    for id in 0..200u64 {
        // Costs from ten units to over a heavy board's, so that batches are solved in place, split, and on both pools.
        let lengths: Vec<usize> =
            (0..id % 5).map(|i| [3, 5000, 90_000][((id + i) % 3) as usize] + i as usize).collect();
        batches.push(batch(id, lengths.iter().map(|&length| empty(length)).collect()));
        let results: Vec<String> = lengths.iter().map(|length| format!("1 {length}")).collect();
        expected.push(format!("{id}: {}", results.join(", ")).trim_end().to_owned());
    }
    let (messages, end) = stream(&mut served.client().await, batches).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages)[..200], expected);
}

/// Panics at a board of 13 cells, and answers nothing of one of 14.
struct Panics;

impl Solver for Panics {
    fn cost(&self, _: &Board) -> u64 {
        1
    }

    fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped> {
        match board {
            Board::Treblecross(board) if board.cells().len() == 13 => panic!("thirteen cells"),
            Board::Treblecross(board) if board.cells().len() == 14 => Err(Stopped::OverBudget),
            _ => Echo.solve(board, control),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_or_an_overrun_of_the_solver_costs_one_board() {
    let served = Served::with(Settings::default(), Panics).await;
    let boards = vec![empty(5), empty(13), empty(6), empty(14), empty(7)];
    let mut client = served.client().await;
    let (messages, end) = stream(&mut client, vec![batch(1, boards.clone()), batch(2, boards)]).await;
    assert!(end.is_ok());
    let line = "1 5, INTERNAL, 1 6, OVER_BUDGET, 1 7";
    assert_eq!(story(&messages), [format!("1: {line}"), format!("2: {line}"), "2 batches, 10 = 6 + 4".into()]);
    let request = v1::SolveRequest { board: Some(empty(13)), outcome_only: false };
    let response = client.solve(request).await.unwrap().into_inner();
    assert_eq!(show(&response.result.unwrap()), "INTERNAL");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_solver_delays_answers_and_loses_none() {
    let served = Served::with(Settings::default(), Sleeper::default()).await;
    let batches = (0..20).map(|id| batch(id, vec![empty(3), empty(5 + id as usize % 3)])).collect();
    let (messages, end) = stream(&mut served.client().await, batches).await;
    assert!(end.is_ok());
    let expected: Vec<String> = (0..20).map(|id| format!("{id}: 2, 2")).collect();
    assert_eq!(story(&messages)[..20], expected);
    assert_eq!(story(&messages)[20], "20 batches, 40 = 40 + 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_come_while_the_client_still_writes() {
    let served = Served::with(Settings::default(), Echo).await;
    let (sender, answers) = open(&mut served.client().await).await;
    let mut answers = answers.unwrap().into_inner();
    for id in 0..3 {
        sender.send(batch(id, vec![empty(4)])).await.unwrap();
        let answer = tokio::time::timeout(Duration::from_secs(20), answers.message()).await.expect("an answer in time");
        assert_eq!(story(&[answer.unwrap().unwrap().message.unwrap()]), [format!("{id}: 1 4")]);
    }
    drop(sender);
    let (messages, end) = read(&mut answers).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages), ["3 batches, 3 = 3 + 0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_protobuf_ends_its_call_and_no_other() {
    let served = Served::games().await;
    let mut client = served.client().await;
    // A batch whose boards field announces more bytes than it has, sent as another message type of the same wire form.
    let (sender, answers) = open(&mut client).await;
    sender.send(batch(1, vec![row("...")])).await.unwrap();
    let mut answers = answers.unwrap().into_inner();
    assert!(answers.message().await.unwrap().is_some());
    let garbled = support_raw::stream(&served.address, &[0x12, 0x7f, 0x01]).await;
    assert_eq!(garbled.code(), Code::InvalidArgument, "{garbled:?}");
    drop(sender);
    let (messages, end) = read(&mut answers).await;
    assert!(end.is_ok());
    assert_eq!(story(&messages), ["1 batches, 1 = 1 + 0"]);
}

/// A client that sends any bytes as a message.
mod support_raw {
    use bytes::{Buf, BufMut};
    use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
    use tonic::{Request, Status};

    #[derive(Clone, Default)]
    struct Raw;

    impl Encoder for Raw {
        type Item = Vec<u8>;
        type Error = Status;
        fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
            buffer.put_slice(&item);
            Ok(())
        }
    }

    impl Decoder for Raw {
        type Item = Vec<u8>;
        type Error = Status;
        fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
            let mut bytes = vec![0; buffer.remaining()];
            buffer.copy_to_slice(&mut bytes);
            Ok(Some(bytes))
        }
    }

    impl Codec for Raw {
        type Encode = Vec<u8>;
        type Decode = Vec<u8>;
        type Encoder = Raw;
        type Decoder = Raw;
        fn encoder(&mut self) -> Raw {
            Raw
        }
        fn decoder(&mut self) -> Raw {
            Raw
        }
    }

    /// The status that a stream of one such message ends with.
    pub(super) async fn stream(address: &str, message: &[u8]) -> Status {
        let channel = tonic::transport::Endpoint::new(format!("http://{address}")).unwrap().connect().await.unwrap();
        let mut grpc = tonic::client::Grpc::new(channel);
        grpc.ready().await.unwrap();
        let path = "/sprague.v1.SpragueService/SolveStream".parse().unwrap();
        let request = Request::new(tokio_stream::iter([message.to_vec()]));
        match grpc.streaming(request, path, Raw).await {
            Err(status) => status,
            Ok(answers) => answers.into_inner().message().await.expect_err("the call fails"),
        }
    }
}
