//! Requests that HTTP/2 resets before the server sees them, found in the events of h2.

use std::fmt;
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::meters::Meters;
use super::refusal::Refusal;
use super::refusals::printable;

/// What h2 0.4 says of a request whose headers it does not take.
const MALFORMED: &str = "malformed headers: ";
/// What it says next if the reason is `:authority`: gRPC clients send what HTTP cannot hold for some targets, such as
/// several addresses (a comma) and Unix sockets (`%2F`).
const AUTHORITY: &str = "malformed authority ";

/// A layer for the process's subscriber that counts such requests, whatever the log's filter says. It looks at no event
/// but h2's about requests, so it costs nothing while there are none.
pub fn layer<S>(meters: Arc<Meters>) -> impl Layer<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let is_about_a_request =
        |metadata: &Metadata<'_>| metadata.target() == "h2::server" && *metadata.level() == Level::DEBUG;
    Resets(meters).with_filter(filter_fn(is_about_a_request).with_max_level_hint(Level::DEBUG))
}

struct Resets(Arc<Meters>);

impl<S: Subscriber> Layer<S> for Resets {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let Some(what) = message.0.strip_prefix(MALFORMED) else { return };
        match what.strip_prefix(AUTHORITY) {
            Some(authority) => self.0.refusals.note(Refusal::Authority, format_args!(":authority {authority}")),
            None => self.0.refusals.note(Refusal::Headers, what),
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
