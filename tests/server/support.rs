//! A server for one test, solvers that misbehave on purpose, and boards as short words.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sprague::games::{Board, Outcome, Solution, darkraft, end_nim, treblecross};
use sprague::server::Server;
use sprague::server::listen::{Address, Listener};
use sprague::server::settings::Settings;
use sprague::server::workers::{Games, Solver};
use sprague::theory::{Control, Stopped};
use sprague::wire::v1::board_result::Result as Answered;
use sprague::wire::v1::solve_stream_response::Message;
use sprague::wire::v1::sprague_service_client::SpragueServiceClient;
use sprague::wire::{self, v1};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Response, Status, Streaming};

pub(crate) type Client = SpragueServiceClient<Channel>;

/// A server on a free port of this machine.
pub(crate) struct Served {
    pub(crate) server: Server,
    pub(crate) address: String,
}

impl Served {
    /// All clients of a test come from this machine: none of them is limited as one client.
    pub(crate) async fn with(settings: Settings, solver: impl Solver) -> Served {
        let this_machine = "127.0.0.0/8".parse().unwrap();
        Served::limiting_peers(Settings { trusted_proxies: vec![this_machine], ..settings }, solver).await
    }

    /// One client may use half of each limit.
    pub(crate) async fn limiting_peers(settings: Settings, solver: impl Solver) -> Served {
        let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await.unwrap();
        let address = listener.address().to_string();
        let server = Server::start(settings, Arc::new(solver), vec![listener]).unwrap();
        Served { server, address }
    }

    pub(crate) async fn games() -> Served {
        Served::with(Settings::default(), Games).await
    }

    pub(crate) async fn channel(&self) -> Channel {
        Endpoint::new(format!("http://{}", self.address)).unwrap().connect().await.unwrap()
    }

    pub(crate) async fn client(&self) -> Client {
        Client::new(self.channel().await)
    }
}

/// A solver that does as the board tells: a Treblecross board's length is a number of milliseconds.
#[derive(Clone, Default)]
pub(crate) struct Sleeper {
    /// Boards begun.
    pub(crate) begun: Arc<AtomicU64>,
    /// Boards finished.
    pub(crate) finished: Arc<AtomicU64>,
}

impl Sleeper {
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::SeqCst)
    }
}

fn millis(board: &Board) -> u64 {
    match board {
        Board::Treblecross(board) => board.cells().len() as u64,
        _ => 0,
    }
}

impl Solver for Sleeper {
    fn cost(&self, board: &Board) -> u64 {
        millis(board) * 1_000_000
    }

    fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        for _ in 0..millis(board) {
            std::thread::sleep(Duration::from_millis(1));
            control.spend(1_000_000)?;
        }
        self.finished.fetch_add(1, Ordering::SeqCst);
        let value = treblecross::Value::Nimber(0);
        Ok(Solution::Treblecross(treblecross::Solution { winning_cells: vec![], value }))
    }
}

/// A Treblecross board.
pub(crate) fn row(cells: &str) -> v1::Board {
    raw_row(cells.as_bytes())
}

pub(crate) fn raw_row(cells: &[u8]) -> v1::Board {
    let cells = cells.to_vec().into();
    v1::Board { game: Some(v1::board::Game::Treblecross(v1::Treblecross { cells })) }
}

/// An empty Treblecross board.
pub(crate) fn empty(cells: usize) -> v1::Board {
    row(&".".repeat(cells))
}

/// A darkraft board.
pub(crate) fn grid(columns: u32, cells: &str) -> v1::Board {
    let cells = cells.as_bytes().to_vec().into();
    v1::Board { game: Some(v1::board::Game::Darkraft(v1::Darkraft { columns, cells })) }
}

/// An End-Nim row.
pub(crate) fn piles(piles: &[u64]) -> v1::Board {
    v1::Board { game: Some(v1::board::Game::EndNim(v1::EndNim { piles: piles.to_vec() })) }
}

pub(crate) fn batch(batch_id: u64, boards: Vec<v1::Board>) -> v1::SolveStreamRequest {
    v1::SolveStreamRequest { batch_id, boards, outcome_only: false }
}

/// Opens a stream whose requests come from the sender.
pub(crate) async fn open(
    client: &mut Client,
) -> (mpsc::Sender<v1::SolveStreamRequest>, Result<Response<Streaming<v1::SolveStreamResponse>>, Status>) {
    let (sender, requests) = mpsc::channel(1024);
    let answers = client.solve_stream(ReceiverStream::new(requests)).await;
    (sender, answers)
}

/// Sends batches, half-closes, and reads to the end.
pub(crate) async fn stream(
    client: &mut Client,
    batches: Vec<v1::SolveStreamRequest>,
) -> (Vec<Message>, Result<(), Status>) {
    let answers = client.solve_stream(tokio_stream::iter(batches)).await;
    match answers {
        Ok(answers) => read(&mut answers.into_inner()).await,
        Err(status) => (Vec::new(), Err(status)),
    }
}

/// Reads to the end: the messages, and how it ended.
pub(crate) async fn read(answers: &mut Streaming<v1::SolveStreamResponse>) -> (Vec<Message>, Result<(), Status>) {
    let mut messages = Vec::new();
    loop {
        match answers.message().await {
            Ok(Some(message)) => messages.push(message.message.expect("a message is set")),
            Ok(None) => return (messages, Ok(())),
            Err(status) => return (messages, Err(status)),
        }
    }
}

/// A result in a few characters: `1` or `2` for who wins with the moves behind it, or the reason.
pub(crate) fn show(result: &v1::BoardResult) -> String {
    match result.result.as_ref().expect("a result is set") {
        Answered::Error(error) => {
            let offset = error.offset.map_or(String::new(), |offset| format!("@{offset}"));
            error.reason().as_str_name().trim_start_matches("REASON_").to_owned() + &offset
        }
        Answered::Solution(solution) => {
            let winner = match solution.outcome() {
                v1::Outcome::FirstPlayerWins => "1",
                v1::Outcome::SecondPlayerWins => "2",
                v1::Outcome::Unspecified => "?",
            };
            let cells = solution.winning_cells.iter().map(|cell| format!(" {cell}"));
            let ends = solution.winning_ends.iter().map(|end| match end.end() {
                v1::End::Left => format!(" left:{}", end.take),
                v1::End::Right => format!(" right:{}", end.take),
                v1::End::Unspecified => " ?".into(),
            });
            winner.to_owned() + &cells.chain(ends).collect::<String>()
        }
    }
}

/// The results of the batches among messages, as `ID: RESULT, RESULT`; the summary as its numbers.
pub(crate) fn story(messages: &[Message]) -> Vec<String> {
    let line = |message: &Message| match message {
        Message::Batch(batch) => {
            let results: Vec<String> = batch.results.iter().map(show).collect();
            format!("{}: {}", batch.batch_id, results.join(", ")).trim_end().to_owned()
        }
        Message::Summary(sum) => format!("{} batches, {} = {} + {}", sum.batches, sum.boards, sum.solved, sum.failed),
    };
    messages.iter().map(line).collect()
}

/// A solver whose answer names the board: what tests of order need.
pub(crate) struct Echo;

impl Solver for Echo {
    fn cost(&self, board: &Board) -> u64 {
        millis(board) * 10
    }

    fn solve(&self, board: &Board, _: &Control) -> Result<Solution, Stopped> {
        let length = match board {
            Board::Treblecross(board) => board.cells().len(),
            Board::Darkraft(board) => board.cells().len(),
            Board::EndNim(board) => board.piles().len(),
        };
        let nim_value = length as u32;
        Ok(Solution::Darkraft(darkraft::Solution { winning_cells: vec![nim_value], nim_value }))
    }
}

/// Compile-time use of the whole domain, so that a change of shape is noticed here first.
#[test]
fn a_solution_without_winning_moves_is_the_second_players() {
    let lost = Solution::EndNim(end_nim::Solution { winning_ends: vec![] });
    assert_eq!(lost.outcome(), Outcome::SecondPlayerWins);
    assert_eq!(show(&wire::board_result(Ok(lost), false)), "2");
}
