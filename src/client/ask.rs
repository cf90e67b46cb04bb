//! Single questions, asked until somebody answers: a server's facts, an explanation.

use super::call;
use super::fault::{Error, Fault};
use super::patience::{Backoff, Patience};
use super::target::Link;
use crate::units::show_duration;
use crate::wire::facts::ServerFacts;
use crate::wire::v1;

/// Asks for a server's facts until it tells them.
pub(super) async fn facts(name: &str, link: Link, patience: &Patience) -> Result<ServerFacts, Error> {
    let mut pauses = Pauses { backoff: Backoff::new(), patience, told: String::new() };
    loop {
        match call::facts(name, link.clone()).await {
            Ok(facts) => return Ok(facts),
            Err(fault) => pauses.after(fault).await?,
        }
    }
}

/// Asks the servers in turn for an explanation until one gives it.
pub(super) async fn explanation(
    servers: impl Iterator<Item = (&str, &Link)> + Clone,
    request: v1::ExplainRequest,
    message_bytes: usize,
    patience: &Patience,
) -> Result<v1::ExplainResponse, Error> {
    let mut pauses = Pauses { backoff: Backoff::new(), patience, told: String::new() };
    for (name, link) in servers.cycle() {
        // An explanation may take long: what is wrong with a connection in the meantime, pings find out.
        patience.rose();
        let told = call::explain(name, link.clone(), request.clone(), message_bytes).await;
        patience.fell();
        match told {
            Ok(response) => return Ok(response),
            Err(fault) => pauses.after(fault).await?,
        }
    }
    Err(Error::Abandoned)
}

/// The pauses between attempts.
struct Pauses<'a> {
    backoff: Backoff,
    patience: &'a Patience,
    /// The last fault that was told: the same again is no news.
    told: String,
}

impl Pauses<'_> {
    /// Waits after a fault that passes.
    async fn after(&mut self, fault: Fault) -> Result<(), Error> {
        match fault {
            Fault::Lasting(error) => Err(error),
            Fault::Passing { what, after, .. } => {
                if what == self.told {
                    tracing::debug!("{what}");
                } else {
                    tracing::warn!("{what}; trying for {}", show_duration(self.patience.limit()));
                    self.told.clone_from(&what);
                }
                self.patience.note(&what);
                tokio::time::sleep(self.backoff.pause(after)).await;
                Ok(())
            }
        }
    }
}
