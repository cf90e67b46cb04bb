//! What is at the other end of an output: whether it shows colours, and how wide it is.

use std::io::{self, IsTerminal as _};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use rustix::termios::tcgetwinsize;

/// A terminal that does not say its width has as many columns as most.
const COMMON: usize = 80;

/// Whether to write colours, as clap decides it: on a terminal other than TERM=dumb, never with NO_COLOR, always with
/// CLICOLOR_FORCE.
pub(crate) fn has_colour(output: &impl RawStream) -> bool {
    AutoStream::choice(output) != ColorChoice::Never
}

/// The columns of standard output: the terminal's, or what COLUMNS says. None where a program reads.
pub(crate) fn columns() -> Option<usize> {
    let output = io::stdout();
    let size = tcgetwinsize(&output).ok().map(|size| usize::from(size.ws_col));
    let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
    let positive = |columns: &usize| *columns > 0;
    size.filter(positive).or_else(|| said().filter(positive)).or(output.is_terminal().then_some(COMMON))
}
