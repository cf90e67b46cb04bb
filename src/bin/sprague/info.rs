//! `sprague info`: what the servers are and what they take.

use std::fmt::Write as _;

use clap::Args;
use sprague::games::Game;
use sprague::message::count;
use sprague::units::show_size;
use sprague::wire::facts::ServerFacts;

use super::exit::{self, Failure};
use super::signals::Signals;
use super::{files, servers};

/// Show a server's version, games and limits
#[derive(Debug, Args)]
#[command(after_help = "Example: sprague info --server solver-1:50051")]
pub(crate) struct Arguments {
    #[command(flatten)]
    servers: servers::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let runtime = servers::runtime()?;
    let text = runtime.block_on(async {
        let signals = Signals::watch()?;
        let (client, _embedded) = tokio::select! {
            connected = arguments.servers.connect() => connected?,
            () = signals.came() => return Err(Failure::silent(signals.code().unwrap_or(exit::INTERNAL))),
        };
        Ok(client.servers().map(|(name, facts)| page(name, facts)).collect::<Vec<_>>().join("\n"))
    });
    runtime.shutdown_background();
    files::print(&text?)
}

fn page(name: &str, facts: Option<&ServerFacts>) -> String {
    let Some(facts) = facts else { return format!("{name}: no answer\n") };
    let ServerFacts { version, sizes, limits, recommended_batch_bytes } = facts;
    let memory = match limits.memory_bytes {
        0 => "no limit".into(),
        bytes => format!("{}, over all clients", show_size(bytes)),
    };
    let games = Game::ALL.map(|game| {
        let most: Vec<String> = sizes.of(game).into_iter().map(|(unit, most)| count(most, unit)).collect();
        (game.name(), format!("up to {}", most.join(" and ")))
    });
    let rows = [
        ("message", show_size(limits.message_bytes)),
        ("recommended batch", show_size(*recommended_batch_bytes)),
        ("boards in a batch", limits.boards_per_batch.to_string()),
        ("cost of a board", format!("{} ms of one core, by estimate", limits.cost_per_board / 1_000_000)),
        ("streams at once", limits.streams.to_string()),
        ("batches in flight", format!("{} a stream", limits.batches_in_flight)),
        ("bytes in flight", format!("{} a stream", show_size(limits.queued_bytes))),
        ("memory", memory),
    ];
    let mut text = format!("{name}: sprague {version}\n");
    for (what, value) in games.into_iter().chain(rows) {
        let _infallible = writeln!(text, "  {what:18} {value}");
    }
    text
}
