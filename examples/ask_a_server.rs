//! Asks a running `spragued` what it takes, and to solve a board of each game.
//!
//! `cargo run --example ask_a_server -- 127.0.0.1:50051` prints the server's version and three outcomes. The address may also
//! be `https://HOST:PORT` or `unix:/PATH`; with several, they share the work.

use std::error::Error;
use std::time::Duration;

use sprague::games::{Board, darkraft, end_nim, treblecross};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let servers: Vec<String> = std::env::args().skip(1).collect();
    let client = sprague::Client::builder().servers(servers).retry_for(Duration::from_secs(5)).connect().await?;
    let info = client.info().await?;
    println!("sprague {}, rows of up to {} cells", info.version, info.sizes.treblecross.cells);
    let boards: [Board; 3] = [
        treblecross::Board::new("X...X".into())?.into(),
        darkraft::Board::new(2, r"X/\X".into())?.into(),
        end_nim::Board::new(vec![3, 1, 2])?.into(),
    ];
    for board in &boards {
        println!("{}: {:?}", board.game().name(), client.outcome(board).await?);
    }
    Ok(())
}
