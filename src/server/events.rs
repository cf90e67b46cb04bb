//! What the libraries below the server say to the log: requests that HTTP/2 resets before the server sees them, and warnings.
//!
//! Much of it is a peer's doing, so it is counted and summed up like refusals.

use std::fmt;
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

use super::meters::Meters;
use super::refusal::Refusal;
use super::refusals::printable;

/// What h2 0.4 says of a request whose headers it does not take.
const MALFORMED: &str = "malformed headers: ";
/// What it says next if the reason is `:authority`: gRPC clients send what HTTP cannot hold for some targets, such as
/// several addresses (a comma) and Unix sockets (`%2F`).
const AUTHORITY: &str = "malformed authority ";

/// A layer for the process's subscriber that counts both, whatever the log's filter says. It looks at no other event, so it
/// costs nothing while there are none.
pub fn layer<S>(meters: Arc<Meters>) -> impl Layer<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let is_of_interest = |metadata: &Metadata<'_>| is_about_a_request(metadata) || is_warning_of_library(metadata);
    Events(meters).with_filter(filter_fn(is_of_interest).with_max_level_hint(Level::DEBUG))
}

/// What may have a log line of its own: everything of this project, and of libraries what is asked for in detail.
pub fn may_be_logged<S>() -> impl Filter<S> {
    filter_fn(|metadata| is_own(metadata) || *metadata.level() > Level::INFO)
}

fn is_own(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("sprague")
}

fn is_about_a_request(metadata: &Metadata<'_>) -> bool {
    metadata.target() == "h2::server" && *metadata.level() == Level::DEBUG
}

fn is_warning_of_library(metadata: &Metadata<'_>) -> bool {
    metadata.is_event() && *metadata.level() <= Level::WARN && !is_own(metadata)
}

struct Events(Arc<Meters>);

impl<S: Subscriber> Layer<S> for Events {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let refusals = &self.0.refusals;
        if !is_about_a_request(event.metadata()) {
            return refusals.note_library(format_args!("{}: {}", event.metadata().target(), message.0));
        }
        let Some(what) = message.0.strip_prefix(MALFORMED) else { return };
        match what.strip_prefix(AUTHORITY) {
            Some(authority) => refusals.note(Refusal::Authority, format_args!(":authority {authority}")),
            None => refusals.note(Refusal::Headers, what),
        }
    }
}

/// An event's message, of which a peer may have written the most: cut and escaped while it is made.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = printable(format_args!("{value:?}"));
        }
    }
}
