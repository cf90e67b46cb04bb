//! `sprague man`: the manual pages, made from the definitions that parse the command line.

use std::path::PathBuf;

use clap::{Args, Command};

use super::exit::{self, Failure};
use super::files::{self, Output};

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague man | man -l -
  sprague man -d ~/.local/share/man/man1       every page; then `man sprague-solve`")]
pub(crate) struct Arguments {
    /// Write the pages of all commands into this folder
    #[arg(short = 'd', long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, command: Command) -> Result<(), Failure> {
    if let Some(folder) = &arguments.folder {
        files::make_folder(folder)?;
        return clap_mangen::generate_to(command, folder).map_err(|error| {
            Failure::new(exit::IO, format_args!("sprague: {} cannot be written: {error}", folder.display()))
        });
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::new(exit::INTERNAL, format_args!("sprague: no page can be made: {error}")))?;
    Output::open(None)?.write_all(&mut &*text)
}
