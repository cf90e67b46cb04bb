//! The progress line: how far, how fast, how long yet.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use rustix::process::getpgrp;
use rustix::stdio::stderr;
use rustix::termios::{tcgetpgrp, tcgetwinsize};
use sprague::message::plural;
use sprague::run::Meter;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::messages;

/// The line is drawn this often; faster is not seen.
const REDRAW: Duration = Duration::from_millis(100);

/// A line on standard error, gone when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    redraw: JoinHandle<()>,
}

impl Progress {
    /// Shows how far a run is, if somebody sees it: standard error is a terminal that can go back to the beginning of a
    /// line, and answers do not go to one.
    /// `size`: the input's, in bytes, where it is known.
    pub(crate) fn show(
        meter: &Arc<Meter>,
        size: Option<u64>,
        answers_on_stdout: bool,
        on: &Handle,
    ) -> Option<Progress> {
        let is_dumb = std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
        if !io::stderr().is_terminal() || is_dumb || (answers_on_stdout && io::stdout().is_terminal()) {
            return None;
        }
        let (bar, template) = match size {
            Some(size) => (ProgressBar::new(size), "{bar:30} {percent:>3} %  {msg}"),
            None => (ProgressBar::no_length(), "{spinner} {msg}  {elapsed}"),
        };
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(Screen::default())));
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
                let left = match size.filter(|_| line.position() > 0) {
                    Some(_) => format!("  {:#} left", HumanDuration(line.eta())),
                    None => String::new(),
                };
                line.set_message(format!("{} {word}  {} a second{left}", HumanCount(cases), HumanCount(rate as u64)));
                line.tick();
            }
        });
        Some(Progress { bar, redraw })
    }

    /// Prints a line above the progress line, where there is one.
    pub(crate) fn say(progress: Option<&Progress>, line: &str) {
        match progress {
            Some(progress) => progress.bar.suspend(|| messages::say(line)),
            None => messages::say(line),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.redraw.abort();
        self.bar.finish_and_clear();
    }
}

/// The terminal, drawn on as messages are written: a stopped one keeps nobody waiting.
#[derive(Debug, Default)]
struct Screen {
    /// What is not yet shown.
    frame: Mutex<String>,
}

impl Screen {
    fn add(&self, text: &str) -> io::Result<()> {
        self.frame.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }

    fn step(&self, cells: usize, direction: char) -> io::Result<()> {
        if cells > 0 { self.add(&format!("\x1b[{cells}{direction}")) } else { Ok(()) }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        tcgetwinsize(stderr()).ok().map(|size| size.ws_col).filter(|&columns| columns > 0).unwrap_or(80)
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.step(lines, 'A')
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.step(lines, 'B')
    }

    fn move_cursor_right(&self, cells: usize) -> io::Result<()> {
        self.step(cells, 'C')
    }

    fn move_cursor_left(&self, cells: usize) -> io::Result<()> {
        self.step(cells, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(text)?;
        self.add("\n")
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        let frame = std::mem::take(&mut *self.frame.lock().unwrap_or_else(PoisonError::into_inner));
        // In the background the terminal is another's.
        if !frame.is_empty() && tcgetpgrp(stderr()).is_ok_and(|foreground| foreground != getpgrp()) {
            return Ok(());
        }
        messages::show(&frame);
        Ok(())
    }
}
