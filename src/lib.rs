//! Sprague: exact answers for impartial games, in bulk, as a gRPC service. The map of the house, lowest room first.

#![warn(unreachable_pub)]

pub mod units;
pub mod escape;
mod found;
mod pem;
pub mod theory;
mod wide;
pub mod games;
pub mod explain;
pub mod judge;
pub mod notation;
pub mod wire;
pub mod draw;
pub mod generate;
pub mod server;
pub mod client;
pub mod embedded;
pub mod run;
