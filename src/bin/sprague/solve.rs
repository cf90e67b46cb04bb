//! `sprague solve`: judge files in, their answer files out.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::place::DescriptorName;
use clap::Args;
use sprague::escape;
use sprague::judge::Format;
use sprague::message::{count, plural};
use sprague::notation::argument;
use sprague::run::{Job, Report};

use super::exit::{self, Failure};
use super::files::{self, Input, Output};
use super::session::Session;
use super::{format, messages, servers};

/// Answer judge files
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague solve -f uva10561 input.txt -o answers.txt
  sprague solve -f luogu-p2599 --server solver-1:50051 --server solver-2:50051 < input.txt > answers.txt
  sprague solve -f gdoi2016 tests/ -o tests/       every tests/NAME.in into tests/NAME.out")]
pub(crate) struct Arguments {
    /// How the files are written: a name or an alias, see `sprague formats`
    #[arg(short, long, value_parser = format::parser())]
    format: Format,
    /// The files to answer, or folders whose files end in .in; `-` or none: standard input
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    inputs: Vec<PathBuf>,
    /// Where the answers go, whole or not at all: a file, or a folder, where NAME.in is answered in NAME.out. For several
    /// files it is always a folder, made if need be [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Hold the files to the limits of the judge's statement
    #[arg(long)]
    strict: bool,
    /// Put a line ERROR in the place of a bad case and go on; the exit code is 65 all the same
    #[arg(long)]
    keep_going: bool,
    /// No progress line, and no line a file
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    servers: servers::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let names_its_files = |input: &Path| {
        let folder = arguments.output.as_deref().filter(|output| output.is_dir());
        input.is_dir() || (folder.is_some() && !files::is_standard(input))
    };
    match &*arguments.inputs {
        [input] if !names_its_files(input) => one(arguments, input),
        _ => several(arguments),
    }
}

impl Arguments {
    fn job(&self) -> Job {
        Job { format: self.format, strict: self.strict, keep_going: self.keep_going }
    }
}

fn one(arguments: &Arguments, input: &Path) -> Result<(), Failure> {
    if let Some(target) = arguments.output.as_deref().filter(|target| files::would_replace(target, input)) {
        return Err(Failure::new(exit::USAGE, format_args!("sprague: {}", replaced(target, input))));
    }
    // What can go wrong at once should, before a server is looked for.
    let input = Input::text(input)?;
    let name = input.name.clone();
    let mut output = Output::open(arguments.output.as_deref())?;
    let session = Session::open(&arguments.servers, &output.as_it_was())?;
    let report = session.answer(arguments.job(), input, &mut output, arguments.quiet)?;
    output.commit()?;
    if report == Report::default() && !arguments.quiet {
        messages::say(format_args!("{name}: 0 cases"));
    }
    verdict(report)
}

/// What is wrong with answers that would go into their judge file, and what to type.
fn replaced(target: &Path, input: &Path) -> String {
    if files::is_standard(target) || DescriptorName::of(target).is_some() {
        let input = if files::is_standard(input) { "standard input".into() } else { escape::path(&input).to_string() };
        return format!("the answers would go into the judge file, {input}: name another with -o");
    }
    let free = argument(&target.with_file_name(answer_name(target)));
    format!("the answers would replace the judge file {}: type -o {free}", escape::path(&target))
}

/// Answers file by file over one connection, a line each. A file at fault does not hold up the others.
fn several(arguments: &Arguments) -> Result<(), Failure> {
    let plan = plan(arguments)?;
    let session = Session::open(&arguments.servers, "")?;
    let mut worst: Option<Failure> = None;
    let files = plan.len() as u64;
    let mut failed = 0;
    for (target, input) in plan {
        let name = escape::path(&input).to_string();
        let done = answer(arguments, &session, &input, &target);
        let failure = match done {
            Ok(report) => {
                if !arguments.quiet {
                    let bad = if report.bad + report.internal > 0 { ", some bad" } else { "" };
                    messages::say(format_args!(
                        "{name}: {}{bad} -> {}",
                        count(report.cases, "case"),
                        escape::path(&target)
                    ));
                }
                verdict(report).err()
            }
            Err(failure) => Some(failure),
        };
        let Some(failure) = failure else { continue };
        failed += 1;
        // Without a server, or after a signal, the next file fares no better.
        if !failure.is_of_one_file() {
            return Err(failure);
        }
        failure.say();
        worst = worst.filter(|worst| worst.code() >= failure.code()).or(Some(Failure::silent(failure.code())));
    }
    if failed > 0 && !arguments.quiet {
        messages::say(format_args!("sprague: {failed} of {files} {} failed", plural(files, "file")));
    }
    worst.map_or(Ok(()), Err)
}

fn answer(arguments: &Arguments, session: &Session, input: &Path, target: &Path) -> Result<Report, Failure> {
    let input = Input::text(input)?;
    let mut output = Output::open(Some(target))?;
    let report = session.answer(arguments.job(), input, &mut output, arguments.quiet)?;
    output.commit()?;
    Ok(report)
}

/// The files to be written, each with the one it answers, in the order of the command line.
fn plan(arguments: &Arguments) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let usage = |message: String| Failure::new(exit::USAGE, format_args!("sprague: {message}"));
    let inputs = files::unfolded(&arguments.inputs)?;
    if inputs.iter().any(|input| files::is_standard(input)) {
        return Err(usage("standard input cannot be one of several files".into()));
    }
    let Some(folder) = &arguments.output else {
        return Err(usage("several files need a folder for their answers: -o FOLDER".into()));
    };
    if files::is_standard(folder) || (folder.exists() && !folder.is_dir()) {
        return Err(usage(format!("{} is no folder, and several files need one", escape::path(&folder))));
    }
    let identity = |path: &Path| fs::metadata(path).ok().as_ref().and_then(files::identity);
    let asked: BTreeSet<_> = inputs.iter().filter_map(|input| identity(input)).collect();
    let mut taken = BTreeMap::new();
    let mut plan = Vec::new();
    for input in inputs {
        let target = folder.join(answer_name(&input));
        if let Some(other) = taken.insert(target.clone(), input.clone()) {
            let (target, other, input) = (escape::path(&target), escape::path(&other), escape::path(&input));
            return Err(usage(format!("{other} and {input} would both be answered in {target}")));
        }
        if identity(&target).is_some_and(|target| asked.contains(&target)) {
            let (target, input) = (escape::path(&target), escape::path(&input));
            return Err(usage(format!(
                "the answers to {input} would replace {target}, which is to be answered too: name another folder with -o"
            )));
        }
        plan.push((target, input));
    }
    files::make_folder(folder)?;
    Ok(plan)
}

/// `01.in` is answered in `01.out`, `input.txt` in `input.txt.out`.
pub(crate) fn answer_name(input: &Path) -> OsString {
    let is_input = input.extension().is_some_and(|ending| ending == "in");
    let stem = if is_input { input.file_stem() } else { input.file_name() };
    let mut name = stem.unwrap_or_default().to_owned();
    name.push(".out");
    name
}

/// Every bad case is named already.
pub(crate) fn verdict(report: Report) -> Result<(), Failure> {
    match report {
        Report { internal: 0, bad: 0, .. } => Ok(()),
        Report { internal: 0, .. } => Err(Failure::silent(exit::BAD_INPUT)),
        _ => Err(Failure::silent(exit::INTERNAL)),
    }
}
