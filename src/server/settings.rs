//! Every bound of the server, with its default and the reason for it.

use std::time::Duration;

use crate::games::Sizes;
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
    /// Threads of each of the two pools that solve what is too long for an async thread.
    pub workers: usize,
    /// Heavy boards are solved at the lowest priority, so that they take only the time that nobody else wants: other
    /// clients, or whatever else runs on the machine.
    pub heavy_in_background: bool,
    /// A stream on which nothing moves for this long, through its client's doing, is ended.
    pub stall_timeout: Duration,
    /// A connection on which the handshakes of TLS and HTTP/2 are not over after this long is closed.
    pub handshake_timeout: Duration,
    /// Quiet connections are pinged this often.
    pub keepalive_interval: Duration,
    /// A ping unanswered for this long ends the connection.
    pub keepalive_timeout: Duration,
}

/// Request messages of this size run well: larger ones gain nothing, one board a message is several times slower.
pub const RECOMMENDED_BATCH_BYTES: u64 = 64 * 1024;

/// Flow-control window of one HTTP/2 stream. With small windows a slow stream of small messages piles up frames until
/// h2 closes the connection as abused.
pub const STREAM_WINDOW: u32 = 1 << 20;

/// Window of a connection: as much as all its streams' windows together, so that no stream can use it up and hold back
/// its neighbours. h2 closes a connection as abused when small frames that wait weigh more than half of this, and
/// a stream's window full of the smallest gRPC messages weighs 64 MiB. What waits in all is bounded by the streams.
pub const CONNECTION_WINDOW: u32 = STREAMS_PER_CONNECTION * STREAM_WINDOW;

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
                // With 2 MiB each, and their windows, all streams together stay below 1 GiB.
                streams: 256,
                // Enough to keep every core busy while answers travel; little enough to be lost by a cancel.
                batches_in_flight: 16,
                // Sixteen batches of the recommended size with their answers, with room to spare.
                queued_bytes: 2 << 20,
            },
            calls: 1024,
            // Each costs two descriptors at most and some 100 KiB.
            connections: 1024,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            heavy_in_background: true,
            stall_timeout: Duration::from_secs(60),
            handshake_timeout: Duration::from_secs(10),
            keepalive_interval: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
        }
    }
}

impl Settings {
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
