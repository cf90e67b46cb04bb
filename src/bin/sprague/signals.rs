//! SIGINT and SIGTERM: the run ends, half files go, and the exit code says which it was.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::exit::{self, Failure};
use super::messages;

/// A run that does not end by itself after a signal (a write to a pipe that nobody reads) is left where it stands.
const PATIENCE: Duration = Duration::from_secs(2);

/// Watches for both signals, from now on.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    code: Arc<AtomicU8>,
    came: CancellationToken,
}

impl Signals {
    /// Starts to watch, on the current runtime.
    pub(crate) fn watch() -> Result<Signals, Failure> {
        let failed = |error| Failure::new(exit::INTERNAL, format_args!("sprague: signals cannot be watched: {error}"));
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let signals = Signals { code: Arc::default(), came: CancellationToken::new() };
        let watched = signals.clone();
        tokio::spawn(async move {
            let code = tokio::select! { _ = interrupt.recv() => 130, _ = terminate.recv() => 143 };
            watched.code.store(code, Ordering::Release);
            watched.came.cancel();
            tokio::time::sleep(PATIENCE).await;
            messages::finish();
            std::process::exit(code.into());
        });
        Ok(signals)
    }

    /// The exit code of the signal that came, if one did.
    pub(crate) fn code(&self) -> Option<u8> {
        Some(self.code.load(Ordering::Acquire)).filter(|&code| code != 0)
    }

    /// A text that cannot be read any further once a signal came.
    pub(crate) fn until<R: Read>(&self, text: R) -> Until<R> {
        Until { text, signals: self.clone() }
    }

    /// Waits for a signal.
    pub(crate) async fn came(&self) {
        self.came.cancelled().await;
    }
}

/// A text with an end that a signal sets.
pub(crate) struct Until<R> {
    text: R,
    signals: Signals,
}

impl<R: Read> Read for Until<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.signals.code().is_some() {
            return Err(io::Error::other("interrupted"));
        }
        self.text.read(buffer)
    }
}
