//! Which servers a command asks, the one in its own process included.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sprague::client::target::Target;
use sprague::client::{Client, Options};
use sprague::embedded::Embedded;
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::units;
use tokio::runtime::{Builder, Runtime};

use super::exit::{self, Failure};

/// Where the work is done.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Servers")]
pub(crate) struct Arguments {
    /// A server, as HOST:PORT, http://HOST:PORT or unix:/PATH; several share the work. Without one, the work is done here
    #[arg(long, value_name = "ADDRESS", env = "SPRAGUE_SERVER", value_delimiter = ',', value_parser = target)]
    server: Vec<Target>,
    /// Connections to each server
    #[arg(long, value_name = "N", env = "SPRAGUE_CONNECTIONS", default_value_t = 2,
        value_parser = clap::value_parser!(u16).range(1..=64))]
    connections: u16,
    /// How long to go on trying while no server answers, counted from the last answer
    #[arg(long, value_name = "DURATION", env = "SPRAGUE_RETRY_FOR", default_value = "30s", value_parser = units::duration)]
    retry_for: Duration,
    /// How long everything may take, connecting too [default: no limit]
    #[arg(long, value_name = "DURATION", env = "SPRAGUE_TIMEOUT", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// The size of request messages [default: what the servers recommend]
    #[arg(long, value_name = "SIZE", env = "SPRAGUE_BATCH_BYTES", value_parser = units::size)]
    batch_bytes: Option<u64>,
}

fn target(address: &str) -> Result<Target, String> {
    Target::parse(address).map_err(|error| error.to_string())
}

/// Two threads carry as much as more would: what takes long is done elsewhere.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| Failure::new(exit::INTERNAL, format_args!("sprague: no threads can be started: {error}")))
}

impl Arguments {
    /// Finds the servers, or starts the one in this process.
    pub(crate) async fn connect(&self) -> Result<(Client, Option<Embedded>), Failure> {
        let options = Options {
            connections: self.connections.into(),
            retry_for: self.retry_for,
            timeout: self.timeout,
            batch_bytes: self.batch_bytes,
        };
        if !self.server.is_empty() {
            return Ok((Client::connect(&self.server, options).await?, None));
        }
        let embedded = Embedded::start(Settings::default(), Arc::new(Games)).map_err(|error| {
            Failure::new(exit::INTERNAL, format_args!("sprague: the embedded server cannot be started: {error}"))
        })?;
        let target = Target::ready("the embedded server", embedded.channel());
        Ok((Client::connect(&[target], options).await?, Some(embedded)))
    }
}
