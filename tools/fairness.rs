//! Measures whether heavy boards hold up small ones: unary calls alone, then beside a stream of the heaviest boards.
//!
//! `fairness ADDRESS [CALLS]` asks a running server at HOST:PORT and prints the latencies of both and their ratio.

use std::time::{Duration, Instant};

use sprague::games::{Board, darkraft, treblecross};
use sprague::wire::v1::sprague_service_client::SpragueServiceClient;
use sprague::wire::{self, v1};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};

type Client = SpragueServiceClient<Channel>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("usage: fairness HOST:PORT [CALLS]")?;
    let calls = arguments.next().map_or(Ok(3000), |calls| calls.parse())?;
    let connect = async || Endpoint::new(format!("http://{address}"))?.tcp_nodelay(true).connect().await;
    let mut light = Client::new(connect().await?);
    // Connections and caches settle first.
    latencies(&mut light, calls / 10).await?;
    let alone = latencies(&mut light, calls).await?;
    let heavy = tokio::spawn(heavy_stream(Client::new(connect().await?)));
    tokio::time::sleep(Duration::from_millis(500)).await;
    let beside = latencies(&mut light, calls).await?;
    let still_running = !heavy.is_finished();
    heavy.abort();
    println!("alone:  p50 {:>6.0} us, p99 {:>6.0} us", alone.0, alone.1);
    println!("beside: p50 {:>6.0} us, p99 {:>6.0} us", beside.0, beside.1);
    println!("p99 beside heavy boards / alone: {:.2}", beside.1 / alone.1);
    if !still_running {
        return Err("the heavy stream ended before the measurement did".into());
    }
    Ok(())
}

/// Asks a small board, pausing a millisecond between calls as a service with some traffic would: p50 and p99, in us.
async fn latencies(client: &mut Client, calls: usize) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let board = Board::Treblecross(treblecross::Board::new("..X....X.....".into())?);
        let begun = Instant::now();
        client.solve(wire::solve_request(board, false)).await?;
        times.push(begun.elapsed().as_secs_f64() * 1e6);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    times.sort_by(f64::total_cmp);
    Ok((times[calls / 2], times[calls * 99 / 100]))
}

/// Keeps a window of 64 x 64 boards rich in X under way: seconds of work each.
async fn heavy_stream(mut client: Client) {
    let (sender, requests) = mpsc::channel(16);
    let Ok(answers) = client.solve_stream(ReceiverStream::new(requests)).await else { return };
    let mut answers = answers.into_inner();
    let reader = tokio::spawn(async move { while let Ok(Some(_)) = answers.message().await {} });
    for id in 0.. {
        let cells: Vec<u8> = (0..64 * 64u64).map(|at| if (at * 7 + id) % 11 == 0 { b'/' } else { b'X' }).collect();
        let Ok(board) = darkraft::Board::new(64, cells.into()) else { break };
        let batch: v1::SolveStreamRequest = wire::batch(id, [Board::Darkraft(board)], false);
        if sender.send(batch).await.is_err() {
            break;
        }
    }
    reader.abort();
}
