//! Sprague: exact answers for impartial games, in bulk, as a gRPC service.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use sprague::games::{Outcome, treblecross};
//!
//! // Or, of a server: sprague::Client::connect(["http://127.0.0.1:50051"])
//! let client = sprague::Client::embedded().await?;
//! let solution = client.solve(treblecross::Board::new("X......".into())?).await?;
//! assert_eq!(solution.outcome(), Outcome::FirstPlayerWins);
//! assert_eq!(solution.winning_cells(), [4, 5]);
//! # Ok(())
//! # }
//! ```
//!
//! [`Client::solve_all`] takes a stream of boards, [`Client::explain`] says why a position is won or lost, and
//! [`games::solve`] solves in place, without a client. The modules, lowest first:

#![warn(missing_debug_implementations, unreachable_pub)]

pub use sprague_games::{draw, escape, explain, games, message, notation, theory};
pub use sprague_judge::{self as judge, generate};

pub mod units;
mod tls;
pub mod wire;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod embedded;
pub mod client;
pub mod run;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

pub use client::{Client, Error};

/// The Rust of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
