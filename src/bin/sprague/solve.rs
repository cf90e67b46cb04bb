//! `sprague solve`: a judge file in, its answer file out.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use sprague::client::Client;
use sprague::judge::Format;
use sprague::run::output::AnswerFile;
use sprague::run::{self, Job, Meter, Report};
use tokio::runtime::Handle;

use super::exit::{self, Failure};
use super::progress::Progress;
use super::signals::Signals;
use super::{format, servers};

/// Answer a judge file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sprague solve -f uva10561 input.txt -o answers.txt
  sprague solve -f luogu-p2599 --server solver-1:50051 --server solver-2:50051 < input.txt > answers.txt")]
pub(crate) struct Arguments {
    /// How the file is written: a name or an alias, see `sprague formats`
    #[arg(short, long, value_parser = format::parser())]
    format: Format,
    /// The file to answer; `-` or none: standard input
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// Where the answers go, whole or not at all [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Hold the file to the limits of the judge's statement
    #[arg(long)]
    strict: bool,
    /// Put a line ERROR in the place of a bad case and go on; the exit code is 65 all the same
    #[arg(long)]
    keep_going: bool,
    /// No progress line
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    servers: servers::Arguments,
}

/// A file or standard input, open.
struct Input {
    name: String,
    size: Option<u64>,
    source: Box<dyn Read + Send>,
}

impl Input {
    fn open(path: &Path) -> Result<Input, Failure> {
        if path == Path::new("-") {
            return Ok(Input { name: "-".into(), size: None, source: Box::new(io::stdin()) });
        }
        let name = path.display().to_string();
        let unreadable = |error| Failure::new(exit::IO, format_args!("sprague: {name} cannot be read: {error}"));
        let file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        if about.is_dir() {
            return Err(unreadable(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Input { size: about.is_file().then_some(about.len()), source: Box::new(file), name })
    }
}

/// Where answers go.
enum Output {
    Standard(io::Stdout),
    File(Box<AnswerFile>, String),
}

impl Output {
    fn open(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        let name = path.display().to_string();
        match AnswerFile::create(path) {
            Ok(file) => Ok(Output::File(Box::new(file), name)),
            Err(error) => Err(unwritable(&name, &error)),
        }
    }

    fn name(&self) -> &str {
        match self {
            Output::Standard(_) => "standard output",
            Output::File(_, name) => name,
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Output::Standard(stdout) => stdout,
            Output::File(file, _) => file,
        }
    }

    fn commit(self) -> Result<(), Failure> {
        match self {
            Output::Standard(_) => Ok(()),
            Output::File(file, name) => file.commit().map_err(|error| unwritable(&name, &error)),
        }
    }
}

fn unwritable(name: &str, error: &io::Error) -> Failure {
    Failure::new(exit::IO, format_args!("sprague: {name} cannot be written: {error}"))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    // What can go wrong at once should, before a server is looked for.
    let input = Input::open(&arguments.input)?;
    let output = Output::open(arguments.output.as_deref())?;
    let runtime = servers::runtime()?;
    let on = runtime.handle().clone();
    let done = answer(arguments, input, output, &on);
    // A reader that waits for its pipe is not waited for.
    runtime.shutdown_background();
    done
}

fn answer(arguments: &Arguments, input: Input, mut output: Output, on: &Handle) -> Result<(), Failure> {
    let start = Instant::now();
    let _on = on.enter();
    let signals = Signals::watch()?;
    let (client, _embedded) = on.block_on(async {
        tokio::select! {
            connected = arguments.servers.connect() => connected,
            () = signals.came() => Err(interrupted(&signals, 0, &output)),
        }
    })?;
    stop_on_signal(&client, &signals, on);
    let job = Job { format: arguments.format, strict: arguments.strict, keep_going: arguments.keep_going };
    let meter = Arc::new(Meter::default());
    let on_stdout = matches!(output, Output::Standard(_));
    let progress = (!arguments.quiet).then(|| Progress::show(&meter, input.size, on_stdout, on)).flatten();
    let mut complain =
        |complaint: &run::Complaint| Progress::say(progress.as_ref(), &format!("{}:{complaint}", input.name));
    let done = run::solve(&client, job, input.source, output.writer(), &meter, &mut complain);
    drop(progress);
    if signals.code().is_some() {
        return Err(interrupted(&signals, meter.cases(), &output));
    }
    let report = done.map_err(|error| exit::of_run(error, &input.name, output.name()))?;
    output.commit()?;
    tracing::info!("{} cases in {:.3} s", report.cases, start.elapsed().as_secs_f64());
    verdict(report)
}

fn stop_on_signal(client: &Client, signals: &Signals, on: &Handle) {
    let (stop, signals) = (client.stop(), signals.clone());
    on.spawn(async move {
        signals.came().await;
        stop.cancel();
    });
}

fn interrupted(signals: &Signals, cases: u64, output: &Output) -> Failure {
    let left = match output {
        Output::File(file, name) if file.is_whole() => format!("; {name} is as it was"),
        _ => String::new(),
    };
    Failure::new(
        signals.code().unwrap_or(exit::INTERNAL),
        format_args!("sprague: interrupted after {cases} cases{left}"),
    )
}

/// Every bad case is named already.
fn verdict(report: Report) -> Result<(), Failure> {
    match report {
        Report { internal: 0, bad: 0, .. } => Ok(()),
        Report { internal: 0, .. } => Err(Failure::silent(exit::BAD_INPUT)),
        _ => Err(Failure::silent(exit::INTERNAL)),
    }
}
