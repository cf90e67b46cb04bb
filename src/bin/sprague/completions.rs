//! `sprague completions`: made from the definitions that parse the command line.

use clap::{Args, Command};
use clap_complete::Shell;

use super::exit::Failure;
use super::files::Output;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague completions bash > ~/.local/share/bash-completion/completions/sprague
  sprague completions zsh > ~/.zfunc/_sprague         (with ~/.zfunc in $fpath)
  sprague completions fish > ~/.config/fish/completions/sprague.fish")]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "sprague", &mut text);
    Output::open(None)?.write_all(&mut &*text)
}
