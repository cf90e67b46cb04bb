//! `sprague validate`: a judge file against the statement, limits and layout, every fault at once.

use std::path::PathBuf;

use clap::Args;
use sprague::judge::{self, Format};
use sprague::message::count;
use sprague::units::number_within;

use super::exit::{self, Failure};
use super::files::{self, Input};
use super::{advice, format, messages};

/// Hold judge files to the statement: limits, counts and the exact layout
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague validate -f uva10561 tests/*.in
  sprague generate -f gdoi2016 --strict | sprague validate -f gdoi2016

Every fault is named, as FILE:LINE:COLUMN; the exit code is 1 if there is one. Nothing is solved.")]
pub(crate) struct Arguments {
    /// How the files are written: a name or an alias, see `sprague formats`
    #[arg(short, long, value_parser = format::parser())]
    format: Format,
    /// The files, or folders whose files end in .in; `-` or none: standard input
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    inputs: Vec<PathBuf>,
    /// Show so many faults of a file at most, and count the others
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number_within::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    most: u64,
    /// Say nothing of faults, and nothing of files without
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut faulty = false;
    for input in files::unfolded(&arguments.inputs)? {
        faulty |= validate(arguments, Input::text(&input)?)?;
    }
    if faulty { Err(Failure::silent(exit::FAULTS)) } else { Ok(()) }
}

/// Whether there is a fault in a file.
fn validate(arguments: &Arguments, input: Input) -> Result<bool, Failure> {
    let name = input.name;
    let mut faults = 0;
    let cases = judge::validate(arguments.format, input.source, &mut |fault| {
        faults += 1;
        if !arguments.quiet && faults <= arguments.most {
            messages::say(advice::line(&name, fault));
        }
    });
    let cases = match cases.map_err(|error| exit::unread(&error, &name)) {
        Ok(cases) => cases,
        // A file that is no text has one fault.
        Err(failure) if failure.code() == exit::BAD_INPUT => {
            if !arguments.quiet {
                failure.say();
            }
            return Ok(true);
        }
        Err(failure) => return Err(failure),
    };
    if !arguments.quiet {
        match faults {
            0 => messages::say(format_args!(
                "{name}: {}, as the statement of {} has them",
                count(cases, "case"),
                arguments.format
            )),
            _ if faults > arguments.most => {
                messages::say(format_args!("{name}: {} more", count(faults - arguments.most, "fault")))
            }
            _ => {}
        }
    }
    Ok(faults > 0)
}
