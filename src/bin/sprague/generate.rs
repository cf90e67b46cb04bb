//! `sprague generate`: judge files that test.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use sprague::escape;
use sprague::generate::{Kind, Recipe, TestFile, Wish};
use sprague::judge::{self, Format, Next, Reader};
use sprague::message::count;
use sprague::notation::argument;
use sprague::run::Job;
use sprague::units::number_within;

use super::exit::{self, Failure};
use super::files::{self, Input, Output};
use super::session::Session;
use super::signals::Signals;
use super::{format, messages, servers, solve};

/// Make judge files that test
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague generate -f uva10561 -d tests                      a numbered set with its answers
  sprague generate -f luogu-p2599 --outcome second -o lost.in --answers lost.out
  sprague generate -f gdoi2016 --kinds traps,edges --size 1..8 --cases 40
  sprague generate -f lightoj1229 --cases 200000 --seed 7    a large file

The same seed and flags give the same bytes, on every machine. Lost boards are made, not waited for.")]
pub(crate) struct Arguments {
    /// How the file is written: a name or an alias, see `sprague formats`
    #[arg(short, long, value_parser = format::parser())]
    format: Format,
    /// How many cases; with -d, of each kind [default: what the statement allows, or a good number]
    #[arg(long, value_name = "N", value_parser = number_within::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    cases: Option<u64>,
    /// The size of boards: cells, rows and columns each, or piles [default: all that the statement allows]
    #[arg(long, value_name = "A..B", value_parser = sizes)]
    size: Option<(u64, u64)>,
    /// What all choices follow from
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number_within::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    seed: u64,
    /// Who is to win; mixed: both by turns
    #[arg(long, value_enum, default_value_t = Outcome::Mixed)]
    outcome: Outcome,
    /// The kinds of boards [default: all that the format has]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds())]
    kinds: Vec<Kind>,
    /// Refuse what the judge's statement does not allow
    #[arg(long)]
    strict: bool,
    /// Where the file goes, whole or not at all [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the answers too, into a file; `-`: to standard output, when the file itself goes elsewhere
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Write a set into this folder: 01-traps.in, 01-traps.out, ...; a file or more for each kind. Files of these names are
    /// replaced, unless they are another format's; others stay, and both are counted
    #[arg(short = 'd', long, value_name = "FOLDER", conflicts_with_all = ["output", "answers"])]
    folder: Option<PathBuf>,
    /// No progress line, and no line a file
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    servers: servers::Arguments,
}

/// Who is to win.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Outcome {
    First,
    Second,
    Mixed,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let names = Kind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    PossibleValuesParser::new(names).map(|name| Kind::from_name(&name).expect("it is one of the names"))
}

/// `A..B`, both included, or one number for both.
fn sizes(text: &str) -> Result<(u64, u64), String> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    match (low.parse(), high.trim_start_matches('=').parse()) {
        (Ok(low), Ok(high)) => Ok((low, high)),
        _ => Err("write a size, as in 20, or a smallest and a largest, as in 3..20".into()),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let recipe = Recipe {
        format: arguments.format,
        kinds: arguments.kinds.clone(),
        cases: arguments.cases,
        sizes: arguments.size,
        seed: arguments.seed,
        wish: match arguments.outcome {
            Outcome::First => Wish::First,
            Outcome::Second => Wish::Second,
            Outcome::Mixed => Wish::Mixed,
        },
        strict: arguments.strict,
    };
    let refused = |refusal| Failure::new(exit::USAGE, format_args!("sprague: {refusal}"));
    match &arguments.folder {
        Some(folder) => set(arguments, &recipe.set().map_err(refused)?, folder),
        None => one(arguments, &recipe.file().map_err(refused)?),
    }
}

fn one(arguments: &Arguments, file: &TestFile) -> Result<(), Failure> {
    let Some(answers) = &arguments.answers else {
        let output = Output::open(arguments.output.as_deref())?;
        let runtime = servers::runtime()?;
        let signals = runtime.block_on(async { Signals::watch() })?;
        let done = write(file, output, &signals);
        runtime.shutdown_background();
        return done;
    };
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let usage = |message: String| Failure::new(exit::USAGE, format_args!("sprague: {message}"));
    if files::is_standard_output(output) && files::is_standard_output(answers) {
        return Err(usage("the file and its answers cannot share standard output: name a file with -o".into()));
    }
    if files::is_same_file(output, answers) {
        let (both, free) = (escape::path(answers), output.with_file_name(solve::answer_name(output)));
        return Err(usage(match files::is_standard_output(output) {
            true => format!("the file and its answers cannot both go into {both}: name another with --answers"),
            false => format!("the file and its answers cannot both be {both}: type --answers {}", argument(&free)),
        }));
    }
    let output = Output::open(Some(output))?;
    let answers = Output::open(Some(answers))?;
    let session = Session::open(&arguments.servers, &answers.as_it_was())?;
    both(arguments, &session, file, output, answers)
}

fn set(arguments: &Arguments, set: &[TestFile], folder: &Path) -> Result<(), Failure> {
    files::make_folder(folder)?;
    let before = files::names(folder)?;
    for input in set.iter().map(|file| folder.join(format!("{}.in", file.name()))).filter(|input| input.is_file()) {
        keep_others(arguments.format, &input)?;
    }
    let session = Session::open(&arguments.servers, "")?;
    for file in set {
        let path = |ending: &str| folder.join(format!("{}.{ending}", file.name()));
        let (input, answers) = (path("in"), path("out"));
        both(arguments, &session, file, Output::open(Some(&input))?, Output::open(Some(&answers))?)?;
        if !arguments.quiet {
            messages::say(format_args!(
                "{}: {} -> {}",
                escape::path(&input),
                count(file.cases(), "case"),
                escape::path(&answers)
            ));
        }
    }
    if !arguments.quiet {
        tell_of(folder, &before, set);
    }
    Ok(())
}

/// Refuses to replace what begins as no file of this format does: a set of another problem.
fn keep_others(format: Format, input: &Path) -> Result<(), Failure> {
    let Input { name, source, .. } = Input::text(input)?;
    let mut reader = Reader::new(format, judge::Options::default(), source);
    loop {
        match reader.next_case() {
            Ok(Next::Starved) => {}
            Ok(Next::Case(_) | Next::End) => return Ok(()),
            Err(_) => {
                let message =
                    format!("sprague: {name} is no {format} file, and would be replaced: name another folder");
                return Err(Failure::new(exit::USAGE, message));
            }
        }
    }
}

/// Says what of a folder was replaced, and how many of its judge files are another set's.
fn tell_of(folder: &Path, before: &BTreeSet<OsString>, set: &[TestFile]) {
    let made = set.iter().flat_map(|file| ["in", "out"].map(|ending| format!("{}.{ending}", file.name()).into()));
    let made: BTreeSet<OsString> = made.collect();
    let (replaced, folder) = (before.intersection(&made).count() as u64, escape::path(&folder));
    if replaced > 0 {
        messages::say(format_args!("sprague: {} replaced in {folder}", count(replaced, "file")));
    }
    let mut others = before.difference(&made).filter(|name| Path::new(name).extension().is_some_and(|it| it == "in"));
    if let Some(first) = others.next() {
        let more = count(1 + others.count() as u64, "judge file");
        messages::say(format_args!("sprague: {folder} also holds {more} not of this set, as {}", escape::path(&first)));
    }
}

fn write(file: &TestFile, output: Output, signals: &Signals) -> Result<(), Failure> {
    let as_it_was = output.as_it_was();
    match (output.write_all(&mut signals.until(file.reader())), signals.code()) {
        (Err(_), Some(code)) => Err(Failure::new(code, format_args!("sprague: interrupted{as_it_was}"))),
        (done, _) => done,
    }
}

/// Writes a file and its answers; the text is made twice, so that neither waits for the other in memory.
fn both(
    arguments: &Arguments,
    session: &Session,
    file: &TestFile,
    output: Output,
    mut answers: Output,
) -> Result<(), Failure> {
    let job = Job { format: arguments.format, strict: false, keep_going: false };
    let input = Input { name: file.name().into(), size: None, source: Box::new(file.reader()) };
    let report = session.answer(job, input, &mut answers, arguments.quiet)?;
    // A file that is to have answers does not come without.
    write(file, output, session.signals())?;
    answers.commit()?;
    solve::verdict(report)
}
