//! Solves a Treblecross board with the server in this process: who wins, and by which cells.
//!
//! `cargo run --example solve_one_board` prints the answer to `X......`; another board may follow, as in
//! `cargo run --example solve_one_board -- .X.X.`.

use sprague::games::treblecross;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cells = std::env::args().nth(1).unwrap_or_else(|| "X......".into());
    let client = sprague::Client::embedded().await?;
    let solution = client.solve(treblecross::Board::new(cells.clone().into())?).await?;
    println!("{cells}: {:?}, winning cells from 0: {:?}", solution.outcome(), solution.winning_cells());
    Ok(())
}
