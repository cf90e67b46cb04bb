//! `sprague`: judge files in, exact answers out. One file a command; this page picks it and sees to the exit code.

mod messages;
mod exit;
mod sniff;
mod signals;
mod servers;
mod format;
mod advice;
mod progress;
mod descriptor;
mod place;
mod twin;
mod output;
mod files;
mod session;
mod solve;
mod explain;
mod check;
mod generate;
mod validate;
mod formats;
mod info;
mod completions;
mod man;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{ArgAction, CommandFactory as _, Parser, Subcommand};
use exit::Failure;
use sprague::cli::{environment, screen};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Faster than the system's where one thread frees what another made, as answers are on their way.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exact answers for impartial games: who wins, and every winning first move.
#[derive(Debug, Parser)]
#[command(version, after_help = "Example: sprague solve -f uva10561 input.txt -o answers.txt")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Say more on standard error: lost and found servers (-v), every attempt (-vv)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(Box<solve::Arguments>),
    Check(Box<check::Arguments>),
    Explain(Box<explain::Arguments>),
    Generate(Box<generate::Arguments>),
    Validate(validate::Arguments),
    Formats(formats::Arguments),
    Info(info::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    std::panic::set_hook(Box::new(|panic| {
        messages::say_as_it_is(format_args!("sprague: a fault of its own: {panic}"))
    }));
    let done = std::panic::catch_unwind(|| match environment::parse(&words) {
        Ok((arguments, _)) => run(arguments),
        Err(error) => {
            let error = environment::name_variable(advice::name_formats(error), &Arguments::command(), &words);
            answer(&error)
        }
    });
    let done = done.unwrap_or_else(|_panic| Err(Failure::silent(exit::INTERNAL)));
    let code = done.map_or_else(Failure::report, |()| ExitCode::SUCCESS);
    messages::finish();
    code
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    tell(arguments.verbose);
    match arguments.command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Formats(arguments) => formats::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => man::run(&arguments, Arguments::command()),
    }
}

/// Prints the help or the version that was asked for, or says what is wrong with the command line.
fn answer(error: &clap::Error) -> Result<(), Failure> {
    match error.use_stderr() {
        true => {
            messages::say_as_it_is(screen::render(error).trim_end());
            Err(Failure::silent(exit::USAGE))
        }
        false => files::print(&screen::render(error)),
    }
}

/// Sends the library's notes to standard error. Somebody at a terminal is told what is waited for.
fn tell(verbose: u8) {
    let (target, level) = match verbose {
        0 if std::io::stderr().is_terminal() => ("sprague::client", LevelFilter::WARN),
        0 => return,
        1 => ("sprague", LevelFilter::INFO),
        _ => ("sprague", LevelFilter::DEBUG),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| messages::Lines)
        .with_ansi(screen::has_colour(&std::io::stderr()))
        .without_time()
        .with_target(false);
    tracing_subscriber::registry().with(lines).with(Targets::new().with_target(target, level)).init();
}
