//! `sprague check`: is an answer file right? If not, the case, and the move that shows it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use sprague::cli::limits;
use sprague::escape;
use sprague::judge::Format;
use sprague::judge::diagnostic::{Diagnostic, Kind};
use sprague::message::count;
use sprague::notation::argument;
use sprague::run::Job;
use sprague::run::check::Report;

use super::exit::{self, Failure};
use super::files::{self, Input};
use super::session::Session;
use super::{advice, format, servers};

/// DOMjudge's codes for an output that is accepted, and one that is not.
const ACCEPTED: u8 = 42;
const REJECTED: u8 = 43;

/// Check an answer file, and say which move shows that it is wrong
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague check -f uva10561 input.txt answers.txt
  sprague check -f gdoi2016 --all input.txt answers.txt
  sprague check -f gdoi2016 --domjudge judge.in judge.ans feedback/ < team.out

The exit code is 0 if every answer is right and laid out as it should be, 1 if not, 65 if the input is bad. As an
output validator of DOMjudge it is 42 or 43, and the reason is in FEEDBACK/judgemessage.txt.")]
pub(crate) struct Arguments {
    /// How the files are written: a name or an alias, see `sprague formats`
    #[arg(short, long, value_parser = format::parser())]
    format: Format,
    /// The judge file
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The answers to check; `-`: standard input. With --domjudge the judge's answers, which are not looked at
    #[arg(value_name = "ANSWERS")]
    answers: PathBuf,
    /// With --domjudge: the folder for the reason
    #[arg(value_name = "FEEDBACK", requires = "domjudge")]
    feedback: Option<PathBuf>,
    /// Name every wrong answer, not the first alone
    #[arg(long)]
    all: bool,
    /// Do not mind white space, order, and positions listed twice
    #[arg(long)]
    lenient: bool,
    /// Hold the input to the limits of the judge's statement
    #[arg(long)]
    strict: bool,
    /// Behave as an output validator of DOMjudge: the answers come on standard input
    #[arg(long, requires = "feedback")]
    domjudge: bool,
    /// No progress line, and nothing if all is right
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    servers: servers::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let answers = if arguments.domjudge { Path::new("-") } else { &arguments.answers };
    if answers == Path::new("-") && arguments.input == Path::new("-") {
        return Err(Failure::new(exit::USAGE, "sprague: only one of the two files can be standard input"));
    }
    let input = Input::text(&arguments.input)?;
    let answers = Input::text(answers)?;
    let name = answers.name.clone();
    let session = Session::open(&arguments.servers, "")?;
    let Arguments { format, strict, all, .. } = *arguments;
    let job = Job { format, strict, keep_going: all };
    let mut page = String::new();
    let mut unwritten = None;
    // Of faults of layout the first is told: a file has them everywhere or nowhere.
    let mut layout_was_told = false;
    let mut report = |mut found: Diagnostic| {
        let is_presentation = found.kind == Kind::Presentation;
        if is_presentation && (arguments.lenient || (layout_was_told && !all)) {
            return;
        }
        layout_was_told |= is_presentation;
        if let (Kind::NoWinningMove, Some(case)) = (found.kind, found.case) {
            let input = argument(&arguments.input);
            let more = format!("; try any move: sprague explain -f {format} {input} --case {case} --move MOVE");
            found.message += &more;
        }
        let line = advice::line(&name, found) + "\n";
        if arguments.domjudge {
            page += &line;
        } else {
            unwritten = unwritten.take().or(files::print(&line).err());
        }
    };
    let report = session.check(job, input, answers, arguments.quiet, &mut report)?;
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    let is_right = report.wrong == 0 && (arguments.lenient || report.presentation == 0);
    let summary = summary(arguments, &name, report, is_right);
    if let (true, Some(folder)) = (arguments.domjudge, &arguments.feedback) {
        let _infallible = write!(page, "{summary}");
        return judged(folder, &page, is_right);
    }
    if !is_right || !arguments.quiet {
        files::print(&summary)?;
    }
    if is_right { Ok(()) } else { Err(Failure::silent(exit::FAULTS)) }
}

/// The last line: all there is to say of a right file, and the numbers of a wrong one that was read to its end.
fn summary(arguments: &Arguments, name: &str, report: Report, is_right: bool) -> String {
    let Report { cases, wrong, presentation } = report;
    if is_right {
        return format!("{name}: right: {}\n", count(cases, "case"));
    }
    if wrong > 0 && !arguments.all {
        return String::new();
    }
    let layout = if arguments.lenient { String::new() } else { format!(", {presentation} laid out wrong") };
    format!("{name}: {}: {wrong} wrong{layout}\n", count(cases, "case"))
}

/// Leaves the reason where DOMjudge looks for it, and its exit code.
fn judged(folder: &Path, reason: &str, is_right: bool) -> Result<(), Failure> {
    let path = folder.join("judgemessage.txt");
    limits::need_descriptors(1)?;
    fs::write(&path, reason).map_err(|error| {
        Failure::new(exit::IO, format_args!("sprague: {} cannot be written: {error}", escape::path(&path)))
    })?;
    Err(Failure::silent(if is_right { ACCEPTED } else { REJECTED }))
}
