//! Which servers a command asks, the one in its own process included.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;
use sprague::cli::limits;
use sprague::client::credentials::{Credentials, Token, check_certificates, check_key};
use sprague::client::target::{Address, BadTarget, Target};
use sprague::client::{Options, Pool};
use sprague::embedded::Embedded;
use sprague::escape;
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::units::{self, number_within, positive_duration, size_within};
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

use super::exit::{self, Failure};

/// Where the work is done.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Servers")]
pub(crate) struct Arguments {
    /// A server, as HOST:PORT, https://HOST:PORT or unix:/PATH; several (--server again, or commas) share the work. Without one, the work is done here
    #[arg(long, value_name = "ADDRESS", env = "SPRAGUE_SERVER", value_delimiter = ',')]
    server: Vec<Address>,
    /// The authorities that may have signed an https server's certificate, in PEM form [default: the system's]
    #[arg(long, value_name = "FILE", env = "SPRAGUE_CA")]
    ca: Option<PathBuf>,
    /// A certificate to show to servers that ask for one, in PEM form
    #[arg(long, value_name = "FILE", env = "SPRAGUE_CERT", requires = "key")]
    cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM form
    #[arg(long, value_name = "FILE", env = "SPRAGUE_KEY", requires = "cert")]
    key: Option<PathBuf>,
    /// A file with the bearer token to show to servers
    #[arg(long, value_name = "FILE", env = "SPRAGUE_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Allow the token to leave this machine unencrypted
    #[arg(long, env = "SPRAGUE_INSECURE", value_parser = BoolishValueParser::new())]
    insecure: bool,
    /// Connections to each server
    #[arg(long, value_name = "N", env = "SPRAGUE_CONNECTIONS", default_value_t = 2,
        value_parser = number_within::<u64>(1..=64), allow_negative_numbers = true)]
    connections: u64,
    /// How long to go on trying while no server answers, counted from the last answer
    #[arg(long, value_name = "DURATION", env = "SPRAGUE_RETRY_FOR", default_value = "30s", value_parser = units::duration)]
    retry_for: Duration,
    /// How long everything may take, connecting too [default: no limit]
    #[arg(long, value_name = "DURATION", env = "SPRAGUE_TIMEOUT", value_parser = positive_duration)]
    timeout: Option<Duration>,
    /// The size of request messages [default: what the servers recommend]
    #[arg(long, value_name = "SIZE", env = "SPRAGUE_BATCH_BYTES", value_parser = batch_size)]
    batch_bytes: Option<u64>,
}

/// As large as a server's messages can be.
fn batch_size(text: &str) -> Result<u64, String> {
    size_within(text, 1..=1 << 30)
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    limits::need_descriptors(1)?;
    let unreadable =
        |error| Failure::new(exit::IO, format_args!("sprague: {} cannot be read: {error}", escape::path(&file)));
    std::fs::read(file).map_err(unreadable)
}

/// Reads a file that must hold something in PEM form.
fn read_pem(file: &Path, check: fn(&[u8]) -> Result<(), &'static str>) -> Result<Vec<u8>, Failure> {
    let pem = read(file)?;
    let unusable = |fault| Failure::new(exit::USAGE, format_args!("sprague: {} {fault}", escape::path(&file)));
    check(&pem).map(|()| pem).map_err(unusable)
}

/// Threads of the runtime: two carry as much as more would, for what takes long is done elsewhere.
const RUNTIME_THREADS: usize = 2;
/// Descriptors of the runtime: three that wait for events, three that wait for signals.
const RUNTIME_DESCRIPTORS: usize = 6;

/// Where a command's work is done. Where the system gives too few threads, everything is done on the one there is.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    limits::need_descriptors(RUNTIME_DESCRIPTORS)?;
    // The runtime's, two pools, one that reads the file, and one that looks up names.
    let threads = RUNTIME_THREADS + Settings::default().embedded().threads() + 2;
    let mut builder = match limits::need_threads(threads).is_ok() {
        true => Builder::new_multi_thread(),
        false => Builder::new_current_thread(),
    };
    let runtime = builder.worker_threads(RUNTIME_THREADS).enable_all().build();
    runtime.map_err(|error| Failure::new(exit::INTERNAL, format_args!("sprague: no work can be started: {error}")))
}

impl Arguments {
    /// Finds the servers, or starts the one in this process.
    pub(crate) async fn connect(&self) -> Result<(Pool, Option<Embedded>), Failure> {
        let options = Options {
            connections: self.connections as usize,
            retry_for: self.retry_for,
            timeout: self.timeout,
            run_timeout: None,
            batch_bytes: self.batch_bytes,
        };
        if !self.server.is_empty() {
            let in_place = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
            if let Some(named) = self.server.iter().find(|address| in_place && address.is_looked_up()) {
                let message = format_args!(
                    "sprague: the name in {named} is looked up by a thread, and too few can be started here (ulimit -u, \
                     ulimit -v): give its IP address"
                );
                return Err(Failure::new(exit::INTERNAL, message));
            }
            let credentials = self.credentials()?;
            limits::need_descriptors(self.server.len() * self.connections as usize)?;
            let targets: Result<Vec<_>, BadTarget> =
                self.server.iter().map(|address| Target::new(address, &credentials)).collect();
            let targets = targets.map_err(|error| Failure::new(exit::USAGE, format_args!("sprague: {error}")))?;
            return Ok((Pool::connect(&targets, options).await?, None));
        }
        let embedded = Embedded::start(Settings::default(), Arc::new(Games)).map_err(|error| {
            Failure::new(exit::INTERNAL, format_args!("sprague: the embedded server cannot be started: {error}"))
        })?;
        let target = Target::ready("the embedded server", embedded.channel());
        Ok((Pool::connect(&[target], options).await?, Some(embedded)))
    }

    fn credentials(&self) -> Result<Credentials, Failure> {
        let token = match &self.token_file {
            None => None,
            Some(file) => {
                let text = String::from_utf8_lossy(&read(file)?).into_owned();
                let message = format_args!("sprague: {} holds no token", escape::path(&file)).to_string();
                Some(Token::first_of(&text).ok_or_else(|| Failure::new(exit::USAGE, message))?)
            }
        };
        let identity = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Some((read_pem(cert, check_certificates)?, read_pem(key, check_key)?)),
            _ => None,
        };
        let ca = self.ca.as_deref().map(|file| read_pem(file, check_certificates)).transpose()?;
        Ok(Credentials { ca, identity, token, in_the_clear: self.insecure })
    }
}
