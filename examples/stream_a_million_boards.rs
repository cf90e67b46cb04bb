//! Solves a million Treblecross rows as a stream, in flat memory, and counts who wins.
//!
//! `cargo run --release --example stream_a_million_boards` solves them in this process; servers to do it instead may follow, as
//! in `-- 127.0.0.1:50051`. Prints how many of the rows the first player wins; the time goes to standard error.

use std::error::Error;
use std::time::Instant;

use sprague::games::{Outcome, treblecross};
use tokio_stream::StreamExt as _;

const BOARDS: usize = 1_000_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let servers: Vec<String> = std::env::args().skip(1).collect();
    let client = match servers.is_empty() {
        true => sprague::Client::embedded().await?,
        false => sprague::Client::connect(servers).await?,
    };
    // Rows of 3 to 102 cells, made as they are sent.
    let rows = (0..BOARDS).map(|number| treblecross::Board::empty(3 + number % 100).expect("at least three cells"));
    let start = Instant::now();
    let mut outcomes = client.outcomes(tokio_stream::iter(rows));
    let (mut boards, mut won) = (0, 0);
    while let Some(outcome) = outcomes.next().await {
        boards += 1;
        won += u32::from(outcome? == Outcome::FirstPlayerWins);
    }
    println!("the first player wins {won} of {boards} rows");
    eprintln!("{:.1?}", start.elapsed());
    Ok(())
}
