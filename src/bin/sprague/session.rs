//! One connection to the servers, or the one in this process, for all the files of a command.

use std::sync::Arc;
use std::time::Instant;

use sprague::client::Pool;
use sprague::embedded::Embedded;
use sprague::explain::{Explanation, Move, Wants};
use sprague::games::Board;
use sprague::judge::Diagnostic;
use sprague::message::count;
use sprague::run::{self, Job, Meter, Report, check};
use sprague::wire::BoardError;
use tokio::runtime::Runtime;

use super::advice;
use super::exit::{self, Failure};
use super::files::{Input, Output};
use super::progress::Progress;
use super::servers;
use super::signals::Signals;

/// The connection, with the signals that end it.
pub(crate) struct Session {
    // None only while it is dropped.
    runtime: Option<Runtime>,
    signals: Signals,
    client: Pool,
    _embedded: Option<Embedded>,
}

impl Session {
    /// Connects. `as_it_was` is what an interruption says of the files not yet written.
    pub(crate) fn open(servers: &servers::Arguments, as_it_was: &str) -> Result<Session, Failure> {
        let runtime = servers::runtime()?;
        let connected = runtime.block_on(async {
            let signals = Signals::watch()?;
            let (client, embedded) = tokio::select! {
                connected = servers.connect() => connected?,
                () = signals.came() => return Err(interrupted(&signals, 0, as_it_was)),
            };
            let (stop, came) = (client.stop(), signals.clone());
            tokio::spawn(async move {
                came.came().await;
                stop.cancel();
            });
            Ok((signals, client, embedded))
        });
        match connected {
            Ok((signals, client, _embedded)) => Ok(Session { runtime: Some(runtime), signals, client, _embedded }),
            Err(failure) => {
                runtime.shutdown_background();
                Err(failure)
            }
        }
    }

    /// The signals that end it.
    pub(crate) fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Answers a file. The output is written and not yet committed.
    pub(crate) fn answer(&self, job: Job, input: Input, output: &mut Output, quiet: bool) -> Result<Report, Failure> {
        let Some(runtime) = &self.runtime else { return Err(Failure::silent(exit::INTERNAL)) };
        let start = Instant::now();
        let meter = Arc::new(Meter::default());
        let on_stdout = matches!(output, Output::Standard(_));
        let progress = (!quiet).then(|| Progress::show(&meter, input.size, on_stdout, runtime.handle())).flatten();
        let mut report = |found| Progress::say(progress.as_ref(), &advice::line(&input.name, found));
        let solving = run::solve(&self.client, job, input.source, output.writer(), &meter, &mut report);
        let done = runtime.block_on(solving);
        drop(progress);
        if self.signals.code().is_some() {
            return Err(interrupted(&self.signals, meter.cases(), &output.as_it_was()));
        }
        let report = done.map_err(|error| exit::of_run(error, &input.name, "", output.name()))?;
        tracing::info!("{}: {} in {:.3} s", input.name, count(report.cases, "case"), start.elapsed().as_secs_f64());
        Ok(report)
    }

    /// Explains the position that some moves lead to.
    pub(crate) fn explain(
        &self,
        board: &Board,
        moves: &[Move],
        wants: Wants,
    ) -> Result<Result<Explanation, BoardError>, Failure> {
        let Some(runtime) = &self.runtime else { return Err(Failure::silent(exit::INTERNAL)) };
        let told = runtime.block_on(self.client.explain(board, moves, wants));
        self.signals.code().map_or_else(|| told.map_err(Failure::from), |code| Err(Failure::silent(code)))
    }

    /// Checks an answer file; `report` hears of each fault.
    pub(crate) fn check(
        &self,
        job: Job,
        input: Input,
        answers: Input,
        quiet: bool,
        report: &mut dyn FnMut(Diagnostic),
    ) -> Result<check::Report, Failure> {
        let Some(runtime) = &self.runtime else { return Err(Failure::silent(exit::INTERNAL)) };
        let meter = Arc::new(Meter::default());
        let progress = (!quiet).then(|| Progress::show(&meter, input.size, true, runtime.handle())).flatten();
        let checking = check::check(&self.client, job, input.source, answers.source, &meter, report);
        let done = runtime.block_on(checking);
        drop(progress);
        if self.signals.code().is_some() {
            return Err(interrupted(&self.signals, meter.cases(), ""));
        }
        done.map_err(|error| exit::of_run(error, &input.name, &answers.name, "standard output"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A reader that waits for its pipe is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn interrupted(signals: &Signals, cases: u64, as_it_was: &str) -> Failure {
    let code = signals.code().unwrap_or(exit::INTERNAL);
    Failure::new(code, format_args!("sprague: interrupted after {}{as_it_was}", count(cases, "case")))
}
