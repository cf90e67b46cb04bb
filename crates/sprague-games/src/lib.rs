//! Exact answers for impartial games: who wins, every winning move, and why. No async, no network, no judge's text.
//!
//! ```
//! use sprague_games::games::{Outcome, solve, treblecross};
//! use sprague_games::theory::Control;
//!
//! let board = treblecross::Board::new(b"..X....".as_slice().into())?;
//! let solution = solve(&board.into(), &Control::unlimited())?;
//! assert_eq!(solution.outcome(), Outcome::FirstPlayerWins);
//! assert_eq!(solution.winning_cells(), [5, 6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_debug_implementations, unreachable_pub)]

pub mod message;
pub mod escape;
pub mod theory;
mod wide;
pub mod games;
pub mod explain;
pub mod notation;
pub mod draw;
