//! Serves gRPC from a program of one's own, on a free port, with a limit of its own; asks it, and lets it end in good order.
//!
//! `cargo run --example embed_a_server` prints what the server takes and an answer of it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use sprague::games::{Sizes, treblecross};
use sprague::server::Server;
use sprague::server::listen::{Address, Listener};
use sprague::server::settings::Settings;
use sprague::server::workers::Games;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let sizes = Sizes { treblecross: treblecross::Size { cells: 1000 }, ..Sizes::default() };
    let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await?;
    let address = listener.address().to_string();
    let server = Server::start(Settings { sizes, ..Settings::default() }, Arc::new(Games), vec![listener])?;

    let client = sprague::Client::connect([address]).await?;
    println!("rows of up to {} cells", client.info().await?.sizes.treblecross.cells);
    println!("4 cells: {:?}", client.solve(treblecross::Board::empty(4)?).await?.winning_cells());
    match client.solve(treblecross::Board::empty(1001)?).await {
        Err(sprague::Error::Board(error)) => println!("1001 cells: {error}"),
        other => println!("1001 cells: {other:?}"),
    }
    drop(client);
    server.drain(Duration::from_secs(5)).await;
    Ok(())
}
