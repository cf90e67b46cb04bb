//! The server with a slow solver: for trying out how a client behaves when answers take their time.
//!
//! `cargo run --example slow_server -- 127.0.0.1:0 1us` serves right answers, each late by a microsecond a cell or pile,
//! and prints one line, `slow_server listening on ADDR`. It ends with its standard input, or when killed.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sprague::games::{Board, Solution};
use sprague::server::Server;
use sprague::server::listen::Listener;
use sprague::server::settings::Settings;
use sprague::server::workers::{Games, Solver};
use sprague::theory::{Control, Stopped};

/// The games of the library, each answer late in proportion to its board.
struct Slow {
    per_cell: Duration,
}

/// How often a waiting solve looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(1);

impl Slow {
    fn wait(&self, board: &Board) -> Duration {
        let cells = match board {
            Board::Treblecross(board) => board.cells().len(),
            Board::Darkraft(board) => board.cells().len(),
            Board::EndNim(board) => board.piles().len(),
        };
        self.per_cell.saturating_mul(u32::try_from(cells).unwrap_or(u32::MAX))
    }
}

impl Solver for Slow {
    fn cost(&self, board: &Board) -> u64 {
        Games.cost(board).saturating_add(u64::try_from(self.wait(board).as_nanos()).unwrap_or(u64::MAX))
    }

    fn solve(&self, board: &Board, control: &Control) -> Result<Solution, Stopped> {
        let end = Instant::now() + self.wait(board);
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            std::thread::sleep(left.min(LOOK));
            control.spend(0)?;
        }
        Games.solve(board, control)
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, per_cell] = &arguments[..] else {
        eprintln!("usage: slow_server ADDR:PORT|unix:/path TIME_PER_CELL    (such as 127.0.0.1:0 1us)");
        return ExitCode::from(2);
    };
    match serve(address, per_cell).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("slow_server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(address: &str, per_cell: &str) -> Result<(), Box<dyn std::error::Error>> {
    let listener = Listener::bind(&address.parse()?).await?;
    let bound = listener.address().to_string();
    let solver = Slow { per_cell: humantime::parse_duration(per_cell)? };
    let server = Server::start(Settings::default(), Arc::new(solver), vec![listener])?;
    println!("slow_server listening on {bound}");
    // Whoever started this program holds its input open for as long as the server is wanted.
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await??;
    drop(server);
    Ok(())
}
