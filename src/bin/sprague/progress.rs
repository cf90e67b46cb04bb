//! The progress line: how far, how fast, how long yet.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use sprague::run::Meter;
use sprague::units::plural;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// The line is drawn this often; faster is not seen.
const REDRAW: Duration = Duration::from_millis(100);

/// A line on standard error, gone when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    redraw: JoinHandle<()>,
}

impl Progress {
    /// Shows how far a run is, if somebody sees it: standard error is a terminal, and answers do not go to one.
    /// `size`: the input's, in bytes, where it is known.
    pub(crate) fn show(
        meter: &Arc<Meter>,
        size: Option<u64>,
        answers_on_stdout: bool,
        on: &Handle,
    ) -> Option<Progress> {
        if !std::io::stderr().is_terminal() || (answers_on_stdout && std::io::stdout().is_terminal()) {
            return None;
        }
        let (bar, template) = match size {
            Some(size) => (ProgressBar::new(size), "{bar:30} {percent:>3} %  {msg}  {eta} left"),
            None => (ProgressBar::no_length(), "{spinner} {msg}  {elapsed}"),
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        let (line, meter) = (bar.clone(), meter.clone());
        let redraw = on.spawn(async move {
            let mut ticks = tokio::time::interval(REDRAW);
            loop {
                ticks.tick().await;
                let cases = meter.cases();
                let rate = cases as f64 / line.elapsed().as_secs_f64().max(0.001);
                line.set_position(meter.bytes());
                let word = plural(cases, "case");
                line.set_message(format!("{} {word}  {} a second", HumanCount(cases), HumanCount(rate as u64)));
                line.tick();
            }
        });
        Some(Progress { bar, redraw })
    }

    /// Prints a line above the progress line, where there is one.
    pub(crate) fn say(progress: Option<&Progress>, line: &str) {
        match progress {
            Some(progress) => progress.bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.redraw.abort();
        self.bar.finish_and_clear();
    }
}
