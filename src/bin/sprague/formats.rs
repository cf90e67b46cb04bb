//! `sprague formats`: the judge formats, as a table or one with its sample.

use std::fmt::Write as _;

use clap::Args;
use sprague::draw::fold;
use sprague::judge::Format;

use super::exit::Failure;
use super::{files, format, screen};

/// List the judge formats, or show one with its sample
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague formats              a line a format
  sprague formats gdoi2016     one, with its published sample and the answer")]
pub(crate) struct Arguments {
    /// The format to show
    #[arg(value_name = "FORMAT", value_parser = format::parser())]
    format: Option<Format>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = arguments.format.map_or_else(table, page);
    files::print(&text)
}

/// A line a format, in aligned columns.
fn table() -> String {
    let rows = Format::ALL.map(|format| {
        [
            format.name().to_owned(),
            format.aliases().join(" "),
            format.game().name().to_owned(),
            format.title().to_owned(),
        ]
    });
    let head = ["FORMAT", "ALIASES", "GAME", "INPUT -> ANSWER"].map(str::to_owned);
    let mut text = String::new();
    let width = |column: usize| rows.iter().chain([&head]).map(|row| row[column].len()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let before = widths.iter().sum::<usize>() + 6;
    // In a terminal that has no room for a line the last column goes on under itself.
    let room = screen::columns().map(|columns| columns.saturating_sub(before));
    for [name, aliases, game, title] in std::iter::once(&head).chain(&rows) {
        let title = fold(title, room).replace('\n', &format!("\n{:before$}", ""));
        let _infallible =
            writeln!(text, "{name:0$}  {aliases:1$}  {game:2$}  {title}", widths[0], widths[1], widths[2]);
    }
    text
}

/// One format with its published sample.
fn page(format: Format) -> String {
    let (input, answer) = format.sample();
    let aliases = match format.aliases() {
        [] => String::new(),
        aliases => format!(" (also {})", aliases.join(", ")),
    };
    let game = format.game().name();
    let title = format.title();
    format!("{format}{aliases}: {game}\n{title}\n\nThe published sample:\n\n{input}\nIts answer:\n\n{answer}")
}
