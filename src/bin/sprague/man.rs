//! `sprague man`: the manual pages, made from the definitions that parse the command lines.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _, ValueEnum};
use sprague::cli::spragued;
use sprague::escape;

use super::exit::{self, Failure};
use super::files::{self, Output};

/// Print a manual page, or write them all
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague man | man -l -
  sprague man spragued | man -l -              the server's
  sprague man -d ~/.local/share/man/man1       every page; then `man sprague-solve`")]
pub(crate) struct Arguments {
    /// Whose page to print [default: sprague]
    #[arg(value_name = "PROGRAM", value_enum, default_value = "sprague", hide_default_value = true)]
    program: Program,
    /// Write the pages of all commands into this folder
    #[arg(short = 'd', long, value_name = "FOLDER", conflicts_with = "program")]
    folder: Option<PathBuf>,
}

/// A binary of the package.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Program {
    Sprague,
    Spragued,
}

pub(crate) fn run(arguments: &Arguments, command: Command) -> Result<(), Failure> {
    let server = spragued::Arguments::command();
    if let Some(folder) = &arguments.folder {
        files::make_folder(folder)?;
        let written = [command, server].into_iter().try_for_each(|page| clap_mangen::generate_to(page, folder));
        return written.map_err(|error| {
            Failure::new(exit::IO, format_args!("sprague: {} cannot be written: {error}", escape::path(&folder)))
        });
    }
    let command = match arguments.program {
        Program::Sprague => command,
        Program::Spragued => server,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::new(exit::INTERNAL, format_args!("sprague: no page can be made: {error}")))?;
    Output::open(None)?.write_all(&mut &*text)
}
