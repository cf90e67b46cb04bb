//! Sprague: exact answers for impartial games, in bulk, as a gRPC service. The map of the house, lowest room first.

#![warn(unreachable_pub)]

pub use sprague_games::{draw, escape, explain, games, message, notation, theory};
pub use sprague_judge::{self as judge, generate};

pub mod units;
mod tls;
pub mod wire;
#[cfg(feature = "server")]
pub mod server;
pub mod client;
#[cfg(feature = "server")]
pub mod embedded;
pub mod run;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
