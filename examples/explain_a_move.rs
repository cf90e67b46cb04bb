//! Judges a move in Treblecross: whether it wins, the reply that beats it if not, and who wins after it.
//!
//! `cargo run --example explain_a_move` judges cell 0 of an empty row of 5; a row and a cell may follow, as in
//! `cargo run --example explain_a_move -- ..... 2`.

use std::error::Error;

use sprague::explain::Move;
use sprague::games::treblecross;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let cells = arguments.next().unwrap_or_else(|| ".....".into());
    let cell: u32 = arguments.next().unwrap_or_else(|| "0".into()).parse()?;

    let client = sprague::Client::embedded().await?;
    let board = treblecross::Board::new(cells.clone().into())?;
    let explanation = client.explain(&board).moves(&[Move::Cell(cell)]).await?;
    for judged in &explanation.moves {
        println!("{cells}: cell {cell} {}", if judged.reply.is_none() { "wins" } else { "loses" });
        if let Some(reply) = &judged.reply {
            println!("it is beaten by {:?}", reply.played);
        }
    }
    println!("after it: {:?}, {} winning moves", explanation.outcome, explanation.winning_moves.total);
    Ok(())
}
