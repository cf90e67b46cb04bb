//! What a server says of itself: version, sizes of boards, limits.

use super::v1;
use crate::games::Sizes;

/// A server's answer to `GetServerInfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// MAJOR.MINOR.PATCH.
    pub version: String,
    /// The largest boards of each game; 0 for a game that the server does not solve.
    pub sizes: Sizes,
    /// Every limit in force.
    pub limits: Limits,
    /// Request messages of about this many bytes run well.
    pub recommended_batch_bytes: u64,
}

/// The limits of a server that its clients should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A message in either direction, in bytes.
    pub message_bytes: u64,
    /// Boards in one batch.
    pub boards_per_batch: u32,
    /// Estimated work of one board, in units of about a nanosecond of one core.
    pub cost_per_board: u64,
    /// Streams open at once, over all clients.
    pub streams: u32,
    /// Batches of one stream read and not yet answered.
    pub batches_in_flight: u32,
    /// Bytes of one stream read and not yet answered, and answers not yet taken.
    pub queued_bytes: u64,
    /// The budget of memory for everything that clients can make grow, in bytes; 0 where a server does not say.
    pub memory_bytes: u64,
}

impl From<ServerFacts> for v1::GetServerInfoResponse {
    fn from(facts: ServerFacts) -> v1::GetServerInfoResponse {
        let limits = facts.limits;
        v1::GetServerInfoResponse {
            version: facts.version,
            games: super::game_infos(facts.sizes),
            limits: Some(v1::Limits {
                message_bytes: limits.message_bytes,
                boards_per_batch: limits.boards_per_batch,
                cost_per_board: limits.cost_per_board,
                streams: limits.streams,
                batches_in_flight: limits.batches_in_flight,
                queued_bytes: limits.queued_bytes,
                memory_bytes: limits.memory_bytes,
            }),
            recommended_batch_bytes: facts.recommended_batch_bytes,
        }
    }
}

impl From<v1::GetServerInfoResponse> for ServerFacts {
    fn from(message: v1::GetServerInfoResponse) -> ServerFacts {
        let limits = message.limits.unwrap_or_default();
        ServerFacts {
            sizes: super::sizes(&message.games),
            limits: Limits {
                message_bytes: limits.message_bytes,
                boards_per_batch: limits.boards_per_batch,
                cost_per_board: limits.cost_per_board,
                streams: limits.streams,
                batches_in_flight: limits.batches_in_flight,
                queued_bytes: limits.queued_bytes,
                memory_bytes: limits.memory_bytes,
            },
            recommended_batch_bytes: message.recommended_batch_bytes,
            version: message.version,
        }
    }
}
