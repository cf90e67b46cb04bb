//! Sprague: exact answers for impartial games, in bulk, as a gRPC service. The map of the house, lowest room first.

#![warn(unreachable_pub)]

pub mod units;
pub mod theory;
mod wide;
pub mod games;
pub mod judge;
pub mod wire;
pub mod server;
pub mod client;
pub mod embedded;
pub mod run;
