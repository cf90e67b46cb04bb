//! The command line of `spragued`: flags, environment variables, defaults, and which of them is in force.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::escape;
use crate::games::{Game, Sizes};
use crate::server::credentials::{Access, Tls, TlsFiles, Tokens, Unusable};
use crate::server::listen::Address;
use crate::server::settings::{DEFAULT_ADDRESS, DEFAULT_DRAIN_DELAY, Settings};
use crate::units::{LARGEST, duration, number_within, positive_duration, show_duration, show_size, size, size_within};
use crate::wire::facts::Limits;
use clap::builder::BoolishValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches, Parser, ValueEnum};
use ipnet::IpNet;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Serves exact answers for Treblecross, darkraft and End-Nim over gRPC.
#[derive(Debug, Parser)]
#[command(
    name = "spragued",
    version,
    after_help = "\
Every flag has an environment variable; a flag wins over it, and an empty one counts as unset. Durations are written 500ms, 2s, 1m; sizes 64KiB.

Examples:
  spragued                                    listen on 127.0.0.1:50051
  spragued --listen unix:/run/sprague.sock    listen on a Unix socket
  spragued --listen 0.0.0.0:50051 --insecure  listen on every interface, in the clear
  spragued --listen 0.0.0.0:50051 --tls-cert server.pem --tls-key server.key --token-file tokens

SIGHUP reads certificates, keys and tokens again. SIGTERM drains.

If a gRPC client's calls are reset, have it set grpc.default_authority=localhost."
)]
pub struct Arguments {
    /// Where to listen: ADDR:PORT (port 0: a free one) or unix:/path; may be given several times
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "SPRAGUED_LISTEN",
        default_value = DEFAULT_ADDRESS,
        value_delimiter = ',',
        value_parser = address
    )]
    pub listen: Vec<Address>,
    /// Allow listening beyond this machine without TLS
    #[arg(long, env = "SPRAGUED_INSECURE", value_parser = BoolishValueParser::new())]
    pub insecure: bool,
    /// Where to serve /metrics for Prometheus and /healthz, over plain HTTP [default: nowhere]
    #[arg(long, value_name = "ADDR:PORT", env = "SPRAGUED_METRICS_LISTEN", value_parser = tcp_address)]
    pub metrics_listen: Option<String>,
    /// Threads of each pool that solves what takes long [default: the number of cores]
    #[arg(long, value_name = "N", env = "SPRAGUED_WORKERS", value_parser = number_within::<u16>(1..=1024))]
    workers: Option<u16>,
    /// How logs on standard error are written
    #[arg(long, env = "SPRAGUED_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// What is logged: off, error, warn, info, debug or trace, or directives such as sprague=debug
    #[arg(long, value_name = "FILTER", env = "SPRAGUED_LOG", default_value = "info", value_parser = log_filter)]
    pub log: String,
    /// Print every setting in force with its source, and exit
    #[arg(long)]
    pub print_config: bool,
    #[command(flatten)]
    access: AccessArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    pub times: TimeArguments,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Access")]
struct AccessArguments {
    /// The certificate to speak TLS with on TCP, in PEM form, followed by the intermediate certificates if there are any
    #[arg(long, value_name = "FILE", env = "SPRAGUED_TLS_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM form
    #[arg(long, value_name = "FILE", env = "SPRAGUED_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Let only clients in whose certificate one of these authorities signed, in PEM form
    #[arg(long, value_name = "FILE", env = "SPRAGUED_CLIENT_CA", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Let only calls in that carry a bearer token of this file, one a line; health checks are exempt
    #[arg(long, value_name = "FILE", env = "SPRAGUED_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArguments {
    #[command(flatten)]
    sizes: SizeArguments,
    /// A message in either direction at most
    #[arg(long, value_name = "SIZE", env = "SPRAGUED_MESSAGE_BYTES", value_parser = message_size, default_value = default_size(|limits| limits.message_bytes))]
    message_bytes: u64,
    /// Boards in one batch at most
    #[arg(long, value_name = "BOARDS", env = "SPRAGUED_BOARDS_PER_BATCH", value_parser = number_within::<u32>(1..=u32::MAX.into()), default_value_t = defaults().limits.boards_per_batch)]
    boards_per_batch: u32,
    /// Work for one board at most, in units of about a nanosecond of one core
    #[arg(long, value_name = "UNITS", env = "SPRAGUED_COST_PER_BOARD", value_parser = number_within::<u64>(1..=u64::MAX), default_value_t = defaults().limits.cost_per_board)]
    cost_per_board: u64,
    /// Streams open at once, over all clients
    #[arg(long, value_name = "N", env = "SPRAGUED_STREAMS", value_parser = number_within::<u32>(1..=999_999), default_value_t = defaults().limits.streams)]
    streams: u32,
    /// Batches of one stream read and not yet answered
    #[arg(long, value_name = "N", env = "SPRAGUED_BATCHES_IN_FLIGHT", value_parser = number_within::<u32>(1..=u32::MAX.into()), default_value_t = defaults().limits.batches_in_flight)]
    batches_in_flight: u32,
    /// Bytes of one stream read and not yet answered, and answers not yet taken
    #[arg(long, value_name = "SIZE", env = "SPRAGUED_QUEUED_BYTES", value_parser = queue_size, default_value = default_size(|limits| limits.queued_bytes))]
    queued_bytes: u64,
    /// Memory for connections, streams, messages and answers, over all clients; one client has half of it [default: half of
    /// what the machine or its control group has]
    #[arg(long, value_name = "SIZE", env = "SPRAGUED_MEMORY", value_parser = size)]
    memory: Option<u64>,
    /// Unary calls in progress at once, over all clients
    #[arg(long, value_name = "N", env = "SPRAGUED_CALLS", value_parser = number_within::<u32>(1..=999_999), default_value_t = defaults().calls)]
    calls: u32,
    /// Clients from this address or network have no limits of their own, as a proxy has many clients; may be given several
    /// times
    #[arg(long, value_name = "ADDRESS", env = "SPRAGUED_TRUSTED_PROXY", value_delimiter = ',', value_parser = network)]
    trusted_proxy: Vec<IpNet>,
    /// Connections open at once; further ones are closed as they come
    #[arg(long, value_name = "N", env = "SPRAGUED_CONNECTIONS", value_parser = number_within::<u32>(1..=999_999), default_value_t = defaults().connections)]
    connections: u32,
}

/// The largest boards, with a flag for each size that a game's boards have.
#[derive(Debug)]
struct SizeArguments(Sizes);

impl SizeArguments {
    /// The id of a flag: `max_treblecross_cells`.
    fn id(game: Game, unit: &str) -> String {
        format!("max_{}_{unit}s", game.name().replace('-', "_"))
    }
}

impl clap::Args for SizeArguments {
    fn augment_args(mut command: Command) -> Command {
        for (game, unit, most) in Sizes::default().units_mut() {
            let id = SizeArguments::id(game, unit);
            let units = format!("{}{}s", unit[..1].to_uppercase(), &unit[1..]);
            let argument = Arg::new(id.clone())
                .long(id.replace('_', "-"))
                .env(format!("SPRAGUED_{}", id.to_uppercase()))
                .value_name(units.to_uppercase())
                .value_parser(number_within::<u64>(1..=*most))
                .default_value(most.to_string())
                .help(format!("{units} of {} at most", game.a_board()));
            command = command.arg(argument);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        SizeArguments::augment_args(command)
    }
}

impl FromArgMatches for SizeArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SizeArguments, clap::Error> {
        let mut arguments = SizeArguments(Sizes::default());
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (game, unit, size) in self.0.units_mut() {
            *size = *matches.get_one(&SizeArguments::id(game, unit)).expect("it has a default");
        }
        Ok(())
    }
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Times")]
pub struct TimeArguments {
    /// A call whose client neither sends nor takes anything for this long is ended
    #[arg(long, value_name = "TIME", env = "SPRAGUED_STALL_TIMEOUT", value_parser = positive_duration, default_value = default_time(|settings| settings.stall_timeout))]
    stall_timeout: Duration,
    /// A connection without a call for this long is closed; one that never had a call already after --stall-timeout
    #[arg(long, value_name = "TIME", env = "SPRAGUED_IDLE_TIMEOUT", value_parser = positive_duration, default_value = default_time(|settings| settings.idle_timeout))]
    idle_timeout: Duration,
    /// A connection of this age, give or take a tenth, is drained, so that new servers get their part [default: none]
    #[arg(long, value_name = "TIME", env = "SPRAGUED_MAX_CONNECTION_AGE", value_parser = positive_duration)]
    max_connection_age: Option<Duration>,
    /// A connection on which the handshakes of TLS and HTTP/2 are not over after this long is closed
    #[arg(long, value_name = "TIME", env = "SPRAGUED_HANDSHAKE_TIMEOUT", value_parser = positive_duration, default_value = default_time(|settings| settings.handshake_timeout))]
    handshake_timeout: Duration,
    /// Quiet connections are pinged this often
    #[arg(long, value_name = "TIME", env = "SPRAGUED_KEEPALIVE_INTERVAL", value_parser = positive_duration, default_value = default_time(|settings| settings.keepalive_interval))]
    keepalive_interval: Duration,
    /// A ping unanswered for this long ends the connection
    #[arg(long, value_name = "TIME", env = "SPRAGUED_KEEPALIVE_TIMEOUT", value_parser = positive_duration, default_value = default_time(|settings| settings.keepalive_timeout))]
    keepalive_timeout: Duration,
    /// On SIGTERM: how long health checks say NOT_SERVING before anything else changes
    #[arg(long, value_name = "TIME", env = "SPRAGUED_DRAIN_DELAY", value_parser = duration, default_value = show_duration(DEFAULT_DRAIN_DELAY))]
    pub drain_delay: Duration,
    /// On SIGTERM, after the delay: how long open calls may take before they are cut
    #[arg(long, value_name = "TIME", env = "SPRAGUED_DRAIN_TIMEOUT", value_parser = duration, default_value = default_time(|settings| settings.drain_timeout))]
    pub drain_timeout: Duration,
}

/// Smaller messages hold no ordinary board with its answer.
const LEAST_MESSAGE: u64 = 4 << 10;

/// Larger messages come near to what protobuf can have (2 GiB); none of ours is of any use at this size.
const LARGEST_MESSAGE: u64 = 1 << 30;

fn message_size(text: &str) -> Result<u64, String> {
    size_of_messages(text, LARGEST_MESSAGE)
}

fn queue_size(text: &str) -> Result<u64, String> {
    size_of_messages(text, LARGEST)
}

fn size_of_messages(text: &str, largest: u64) -> Result<u64, String> {
    match size(text) {
        Ok(bytes) if bytes < LEAST_MESSAGE => {
            Err(format!("less than {} hold no ordinary board with its answer", show_size(LEAST_MESSAGE)))
        }
        _ => size_within(text, LEAST_MESSAGE..=largest),
    }
}

fn address(text: &str) -> Result<Address, String> {
    let text = text.trim();
    let is_too_large = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        // The port is the one part with limits of its own.
        Err(_) if text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && is_too_large(port)) => {
            Err(format!("the port is too large: {} is the last", u16::MAX))
        }
        read => read,
    }
}

fn tcp_address(text: &str) -> Result<String, String> {
    match address(text)? {
        Address::Tcp(address) => Ok(address),
        Address::Unix(_) => Err("metrics are served over TCP: write 127.0.0.1:9464".into()),
    }
}

/// What a log filter says; a word alone must be a level, or it would be taken for a target that nothing logs to.
fn log_filter(text: &str) -> Result<String, String> {
    let text = text.trim();
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    let is_known = |word: &str| word.contains(['=', '[']) || word.parse::<LevelFilter>().is_ok();
    if let Some(word) = words.clone().find(|word| !is_known(word)) {
        return Err(format!("{word:?} is no level: off, error, warn, info, debug, trace, or TARGET=LEVEL"));
    }
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// An address, or a network as 10.0.0.0/8.
fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = text.parse().map(|address: IpAddr| IpNet::from(address.to_canonical()));
    address.or_else(|_| text.parse()).map_err(|_| "not a valid address or network: write 10.0.0.1 or 10.0.0.0/8".into())
}

fn defaults() -> Settings {
    Settings::default()
}

fn default_size(limit: fn(Limits) -> u64) -> String {
    show_size(limit(defaults().limits))
}

fn default_time(time: fn(Settings) -> Duration) -> String {
    show_duration(time(defaults()))
}

impl Arguments {
    /// Whom the server lets in.
    pub fn access(&self) -> Result<Access, Unusable> {
        let AccessArguments { tls_cert, tls_key, client_ca, token_file } = &self.access;
        let tls = match (tls_cert.clone(), tls_key.clone()) {
            (Some(cert), Some(key)) => Some(Tls::load(TlsFiles { cert, key, client_ca: client_ca.clone() })?),
            _ => None,
        };
        let tokens = token_file.clone().map(Tokens::load).transpose()?;
        Ok(Access { tls, tokens })
    }

    /// What the library takes of the arguments.
    pub fn settings(&self) -> Settings {
        let (limits, times) = (&self.limits, &self.times);
        Settings {
            sizes: limits.sizes.0,
            limits: Limits {
                message_bytes: limits.message_bytes,
                boards_per_batch: limits.boards_per_batch,
                cost_per_board: limits.cost_per_board,
                streams: limits.streams,
                batches_in_flight: limits.batches_in_flight,
                queued_bytes: limits.queued_bytes,
                memory_bytes: limits.memory.unwrap_or(defaults().limits.memory_bytes),
            },
            calls: limits.calls,
            connections: limits.connections,
            workers: self.workers.map_or(defaults().workers, usize::from),
            heavy_in_background: defaults().heavy_in_background,
            stall_timeout: times.stall_timeout,
            idle_timeout: times.idle_timeout,
            max_connection_age: times.max_connection_age,
            drain_timeout: times.drain_timeout,
            trusted_proxies: limits.trusted_proxy.clone(),
            handshake_timeout: times.handshake_timeout,
            keepalive_interval: times.keepalive_interval,
            keepalive_timeout: times.keepalive_timeout,
        }
    }
}

/// Every setting in force, one a line, as `flag = value  (source)`.
pub fn print_config(matches: &ArgMatches) -> String {
    let mut text = String::new();
    let command = Arguments::command();
    for argument in command.get_arguments() {
        let (id, Some(flag)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        if matches!(id, "help" | "version" | "print_config") {
            continue;
        }
        let source = match matches.value_source(id) {
            Some(ValueSource::CommandLine) => "command line".into(),
            Some(ValueSource::EnvVariable) => {
                argument.get_env().map_or_else(Default::default, |name| name.to_string_lossy())
            }
            _ => "default".into(),
        };
        let value = match matches.get_raw(id) {
            Some(values) => values.map(|value| escape::path(value).to_string()).collect::<Vec<_>>().join(","),
            None if id == "workers" => defaults().workers.to_string(),
            None if id == "memory" => show_size(defaults().limits.memory_bytes),
            None => String::new(),
        };
        let _never_fails = writeln!(text, "{flag} = {value}  ({source})");
    }
    text
}
