//! Every bound of the server, with its default and the reason for it.

use std::io;
use std::time::Duration;

use ipnet::IpNet;

use super::memory::default_budget;
use crate::games::Sizes;
use crate::units::show_size;
use crate::wire::LONGEST_TOO_LONG;
use crate::wire::facts::{Limits, ServerFacts};

/// What a server allows, and how long it waits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The largest boards.
    pub sizes: Sizes,
    /// What clients should know.
    pub limits: Limits,
    /// Unary calls in progress at once, over all clients.
    pub calls: u32,
    /// Connections open at once; further ones are closed as they come.
    pub connections: u32,
    /// Threads of each of the two pools that solve what is too long for an async thread; 0: it is solved on that.
    pub workers: usize,
    /// Heavy boards are solved at the lowest priority, so that they take only the time that nobody else wants: other
    /// clients, or whatever else runs on the machine.
    pub heavy_in_background: bool,
    /// A call on which nothing moves for this long, through its client's doing, is ended.
    pub stall_timeout: Duration,
    /// A connection without a call for this long is ended; one that never had a call already after `stall_timeout`.
    pub idle_timeout: Duration,
    /// A connection of this age, give or take a tenth, is drained. `None`: connections may grow old.
    pub max_connection_age: Option<Duration>,
    /// How long the streams of a connection that is drained for its age may take before they are cut.
    pub drain_timeout: Duration,
    /// Clients from these addresses have no limits of their own: behind a proxy there are many clients.
    pub trusted_proxies: Vec<IpNet>,
    /// A connection on which the handshakes of TLS and HTTP/2 are not over after this long is closed.
    pub handshake_timeout: Duration,
    /// Quiet connections are pinged this often.
    pub keepalive_interval: Duration,
    /// A ping unanswered for this long ends the connection.
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
    /// The settings as they are in force: a batch has no more boards than one message of answers has room for.
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
        Ok(self)
    }

    /// Threads that solve: a pool for light boards, and one of twice the size for heavy ones.
    pub fn threads(&self) -> usize {
        3 * self.workers
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
pub(super) fn connections_within_descriptors(wanted: u32) -> u32 {
    let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let room = descriptors.map_or(u64::MAX, |limit| limit.saturating_sub(DESCRIPTORS_KEPT).max(1));
    let possible = wanted.min(u32::try_from(room).unwrap_or(u32::MAX));
    if possible < wanted {
        tracing::warn!(wanted, possible, "fewer connections than set: the process may not open more descriptors");
    }
    possible
}
