//! Every bound of the server, with its default and the reason for it.

use std::io;
use std::time::Duration;

use ipnet::IpNet;

use super::memory::default_budget;
use crate::games::Sizes;
use crate::units::show_size;
use crate::wire::LONGEST_TOO_LONG;
use crate::wire::facts::{Limits, ServerFacts};

/// Where a server listens that is told nothing else.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:50051";

/// How long a server that is told to stop says NOT_SERVING to health checks before anything else changes, if it is told
/// nothing else.
pub const DEFAULT_DRAIN_DELAY: Duration = Duration::ZERO;

/// What a server allows, and how long it waits. A server has one copy of it, which its parts share.
///
/// The values that are named here are those of `Settings::default()`, and of the flags of `spragued`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The largest boards, in cells, rows, columns and piles. Default: the largest that the games can have. A larger board
    /// has an error in place of its answer.
    pub sizes: Sizes,
    /// What clients should know; `GetServerInfo` tells them.
    ///
    /// - `message_bytes`, 16 MiB: a longer request ends its call with OUT_OF_RANGE, a longer answer to a board is an error
    ///   of that board.
    /// - `boards_per_batch`, 65,536, or fewer where one message has no room for the answers: a batch of more ends its
    ///   stream with INVALID_ARGUMENT.
    /// - `cost_per_board`, 6e10 units of about a nanosecond of one core: a board that needs more has an error in place of its
    ///   answer.
    /// - `streams`, 256: a further stream is refused with RESOURCE_EXHAUSTED. One client may have half of them.
    /// - `batches_in_flight`, 16, and `queued_bytes`, 2 MiB: beyond them a stream is not read, until answers are taken.
    /// - `memory_bytes`, half of what this process may have: beyond it streams wait, and calls are refused with
    ///   RESOURCE_EXHAUSTED. One client may have half of it.
    pub limits: Limits,
    /// Unary calls in progress at once, over all clients; one client may have half of them. Default: 1024. A further one is
    /// refused with RESOURCE_EXHAUSTED.
    pub calls: u32,
    /// Connections open at once; one client may have half of them. Default: 1024, or fewer where the process may not open
    /// as many descriptors. A further one is closed as it comes.
    pub connections: u32,
    /// Threads of the pool for boards that are too long for an async thread; the one for heavy boards has as many or twice
    /// as many. Default: the number of cores. Further boards wait. 0: all boards are solved on the async threads.
    pub workers: usize,
    /// Heavy boards are solved at the lowest priority, so that they take only the time that nobody else wants: other
    /// clients, or whatever else runs on the machine. Default: true.
    pub heavy_in_background: bool,
    /// A call on which nothing moves for this long, through its client's doing, is ended with UNAVAILABLE. Default: 60 s.
    pub stall_timeout: Duration,
    /// A connection without a call for this long is ended; one that never had a call already after `stall_timeout`.
    /// Default: 300 s.
    pub idle_timeout: Duration,
    /// A connection of this age, give or take a tenth, is drained. Default: `None`, connections may grow old.
    pub max_connection_age: Option<Duration>,
    /// How long the streams of a connection that is drained for its age may take before they are cut. Default: 25 s.
    pub drain_timeout: Duration,
    /// Clients from these addresses have no limits of their own: behind a proxy there are many clients. Default: none.
    pub trusted_proxies: Vec<IpNet>,
    /// A connection on which the handshakes of TLS and HTTP/2 are not over after this long is closed. Default: 10 s.
    pub handshake_timeout: Duration,
    /// Quiet connections are pinged this often. Default: 20 s.
    pub keepalive_interval: Duration,
    /// A ping unanswered for this long ends the connection. Default: 20 s.
    pub keepalive_timeout: Duration,
}

/// Request messages of this size run well: larger ones gain nothing, one board a message is several times slower.
pub const RECOMMENDED_BATCH_BYTES: u64 = 64 * 1024;

/// Flow-control window of one HTTP/2 stream: what a client may send ahead. Windows of 64 KiB halve the speed.
pub const STREAM_WINDOW: u32 = 1 << 20;

/// Window of a connection: sixteen streams that are not read fill it before they hold back their neighbours.
pub const CONNECTION_WINDOW: u32 = 16 << 20;

/// Messages up to this size are part of what an open stream is charged.
pub(super) const PREPAID_MESSAGE: u64 = 64 * 1024;

/// Messages of calls that carry no board, in bytes: health checks, reflection, GetServerInfo.
pub(super) const SMALL_MESSAGE_BYTES: u64 = 4 * 1024;

/// Messages from this size on are unpacked on the pool: a longer look at one on an async thread delays every call there.
pub(super) const UNPACKED_IN_PLACE: usize = 256 * 1024;

/// Answers of one stream in the hands of the transport, in bytes: two batches of the recommended size.
pub(super) const SEND_BUFFER: usize = 128 * 1024;

/// What an open connection takes, in bytes: buffers of the transport and of HTTP/2, TLS included.
pub(super) const CONNECTION_BYTES: u64 = 96 * 1024;

/// The budget of memory of a server inside its client's process at least, in bytes: never what bounds a run.
const EMBEDDED_MEMORY: u64 = 1 << 30;

/// The budget of memory is at least this many of the largest messages, so that each finds room beside what is open.
pub const LEAST_MEMORY: u64 = 8;

/// Streams that one connection may open at once; a client with more work opens another connection.
pub const STREAMS_PER_CONNECTION: u32 = 128;

/// Request headers at most: there is no use for more than a token and a trace context.
pub const HEADER_BYTES: u32 = 16 * 1024;

/// Descriptors kept back for listeners, logs, metrics and the runtime.
const DESCRIPTORS_KEPT: u64 = 64;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            sizes: Sizes::default(),
            limits: Limits {
                // The largest board (8 MiB of piles at most) fits twice; a hostile message is still small.
                message_bytes: 16 << 20,
                // A full batch of the smallest boards is about a tenth of a message limit, its answers about a half.
                boards_per_batch: 65_536,
                // A minute of one core: every board within the sizes is estimated below it.
                cost_per_board: 60_000_000_000,
                // Each takes about 1 MiB of the memory as long as it is open.
                streams: 256,
                // Enough to keep every core busy while answers travel; little enough to be lost by a cancel.
                batches_in_flight: 16,
                // Sixteen batches of the recommended size with their answers, with room to spare.
                queued_bytes: 2 << 20,
                memory_bytes: default_budget(),
            },
            calls: 1024,
            // Each costs two descriptors at most and some 100 KiB.
            connections: 1024,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            heavy_in_background: true,
            stall_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(300),
            max_connection_age: None,
            drain_timeout: Duration::from_secs(25),
            trusted_proxies: Vec::new(),
            handshake_timeout: Duration::from_secs(10),
            keepalive_interval: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
        }
    }
}

impl Settings {
    /// The settings as they are in force: a batch has no more boards than one message of answers has room for, and there are
    /// no more connections than descriptors.
    ///
    /// # Errors
    /// Too little memory for the messages that are taken.
    pub(crate) fn checked(mut self) -> io::Result<Settings> {
        let limits = &mut self.limits;
        let least = limits.message_bytes.saturating_mul(LEAST_MEMORY);
        if limits.memory_bytes < least {
            let (memory, message) = (show_size(limits.memory_bytes), show_size(limits.message_bytes));
            let text = format!(
                "memory = {memory} is too little for message_bytes = {message}: give it {} or more, or take shorter messages",
                show_size(least)
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let most = u32::try_from(limits.message_bytes / LONGEST_TOO_LONG).unwrap_or(u32::MAX);
        limits.boards_per_batch = limits.boards_per_batch.min(most.max(1));
        self.connections = connections_within_descriptors(self.connections);
        Ok(self)
    }

    /// The settings of a server inside its one client's process. Somebody waits for its boards: none is solved in the
    /// background. The client bounds what it sends: the budget of memory is for strangers, and may be too little on small
    /// machines.
    pub fn embedded(mut self) -> Settings {
        self.heavy_in_background = false;
        self.limits.memory_bytes = self.limits.memory_bytes.max(EMBEDDED_MEMORY);
        self
    }

    /// Threads that solve, over both pools.
    pub fn threads(&self) -> usize {
        self.workers + self.heavy_threads()
    }

    /// Threads of the pool for heavy boards. Where others wait too, it has more than one client may use.
    pub(super) fn heavy_threads(&self) -> usize {
        if self.heavy_in_background { 2 * self.workers } else { self.workers }
    }

    /// What `GetServerInfo` answers.
    pub(crate) fn facts(&self) -> ServerFacts {
        ServerFacts {
            version: env!("CARGO_PKG_VERSION").into(),
            sizes: self.sizes,
            limits: self.limits,
            recommended_batch_bytes: RECOMMENDED_BATCH_BYTES.min(self.limits.message_bytes),
        }
    }
}

/// `wanted`, or fewer where the process may not open that many descriptors: out of descriptors, accepting fails.
fn connections_within_descriptors(wanted: u32) -> u32 {
    let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let room = descriptors.map_or(u64::MAX, |limit| limit.saturating_sub(DESCRIPTORS_KEPT).max(1));
    let possible = wanted.min(u32::try_from(room).unwrap_or(u32::MAX));
    if possible < wanted {
        tracing::warn!(wanted, possible, "fewer connections than set: the process may not open more descriptors");
    }
    possible
}
