//! The files of programming contests about impartial games: judge text to boards, answers to judge text, answer files
//! checked, files validated and generated. No network, no async.
//!
//! ```
//! use sprague_games::games::{Outcome, solve};
//! use sprague_games::theory::Control;
//! use sprague_judge::{Format, Next, Options, Reader, write_answer};
//!
//! let input = "2\n.....\n...X.\n";
//! let mut reader = Reader::new(Format::LIGHTOJ1229, Options::default(), input.as_bytes());
//! let mut answers = Vec::new();
//! while let Next::Case(case) = reader.next_case()? {
//!     let solution = solve(&case.board, &Control::unlimited())?;
//!     write_answer(Format::LIGHTOJ1229, case.number, solution.outcome(), solution.winning_cells(), &mut answers);
//! }
//! assert_eq!(answers, b"Case 1: 3\nCase 2: 1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_debug_implementations, unreachable_pub)]

pub mod diagnostic;
mod letters;
mod kind;
mod description;
mod format;
mod formats;
mod text;
mod limit;
mod treblecross;
mod darkraft;
mod end_nim;
mod reader;
mod writer;
mod line;
mod validate;
pub mod check;
pub mod generate;

pub use self::diagnostic::{Diagnostic, Place, ReadError};
pub use self::format::Format;
pub use self::reader::{Case, Next, Options, Reader};
pub use self::validate::validate;
pub use self::writer::{write_answer, write_board, write_error_line, write_heading};
