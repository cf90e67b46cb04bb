//! What is at the other end of an output: whether it shows colours, and how wide it is.

use std::io::{self, IsTerminal as _};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use rustix::termios::tcgetwinsize;

/// A terminal that does not say its width has as many columns as most.
const COMMON: usize = 80;

/// Whether to write colours, as clap decides it: on a terminal other than TERM=dumb, never with NO_COLOR, always with
/// CLICOLOR_FORCE.
pub fn has_colour(output: &impl RawStream) -> bool {
    AutoStream::choice(output) != ColorChoice::Never
}

/// The help or the error that clap has for its reader, with colours where the output that it goes to shows them.
pub fn render(error: &clap::Error) -> String {
    let text = error.render();
    let colour = if error.use_stderr() { has_colour(&io::stderr()) } else { has_colour(&io::stdout()) };
    if colour { text.ansi().to_string() } else { text.to_string() }
}

/// The columns of standard output: the terminal's, or what COLUMNS says. None where a program reads.
pub fn columns() -> Option<usize> {
    let output = io::stdout();
    let size = tcgetwinsize(&output).ok().map(|size| usize::from(size.ws_col));
    let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
    let positive = |columns: &usize| *columns > 0;
    size.filter(positive).or_else(|| said().filter(positive)).or(output.is_terminal().then_some(COMMON))
}
