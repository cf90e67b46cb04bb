//! Where a server is, and how connections to it are made.

use std::fmt;
use std::time::Duration;

use tonic::transport::{Channel, Endpoint, Uri};

/// A TCP handshake that takes longer than this will not come to anything.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A server that vanished without a word (a pulled cable, a stopped process) is noticed after the sum of these two.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Small windows on fast streams pile up small frames, and one slow stream must not hold up the whole connection.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;

/// A server to ask.
#[derive(Clone)]
pub struct Target {
    name: String,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Endpoint(Box<Endpoint>),
    Ready(Channel),
}

/// Why a server's address makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{address}' is no server address: {what}; write HOST:PORT, http://HOST:PORT or unix:/PATH")]
pub struct BadTarget {
    address: String,
    what: String,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.name).finish()
    }
}

impl Target {
    /// Reads `HOST:PORT`, `http://HOST:PORT` or `unix:/PATH`.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub fn parse(address: &str) -> Result<Target, BadTarget> {
        let bad = |what: &str| BadTarget { address: address.into(), what: what.into() };
        let uri = if let Some(path) = address.strip_prefix("unix:") {
            if path.trim_start_matches('/').is_empty() {
                return Err(bad("the path of the socket is missing"));
            }
            address.to_owned()
        } else if address.starts_with("https://") {
            return Err(bad("this version does not speak TLS"));
        } else {
            let authority = address.strip_prefix("http://").unwrap_or(address).trim_end_matches('/');
            let uri: Uri = format!("http://{authority}/").parse().map_err(|_| bad("it cannot be read"))?;
            if uri.path() != "/" || authority.contains(['?', '#', '@']) {
                return Err(bad("more than host and port is given"));
            }
            if uri.host().is_none_or(str::is_empty) {
                return Err(bad("the host is missing"));
            }
            if uri.port_u16().is_none() {
                return Err(bad("the port is missing"));
            }
            uri.to_string()
        };
        let endpoint = Endpoint::from_shared(uri).map_err(|error| bad(&error.to_string()))?;
        Ok(Target { name: address.to_owned(), way: Way::Endpoint(Box::new(configure(endpoint))) })
    }

    /// A server behind a channel made elsewhere, and its name for messages.
    pub fn ready(name: impl Into<String>, channel: Channel) -> Target {
        Target { name: name.into(), way: Way::Ready(channel) }
    }

    /// The address as the user wrote it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Channels that connect when they are first used, each a connection of its own; a ready one stays one.
    pub(super) fn channels(&self, connections: usize) -> Vec<Channel> {
        match &self.way {
            Way::Endpoint(endpoint) => (0..connections.max(1)).map(|_| endpoint.connect_lazy()).collect(),
            Way::Ready(channel) => vec![channel.clone()],
        }
    }
}

fn configure(endpoint: Endpoint) -> Endpoint {
    endpoint
        .user_agent(concat!("sprague/", env!("CARGO_PKG_VERSION")))
        .expect("a version is a header value")
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .tcp_nodelay(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_host_and_port_or_a_socket() {
        for address in [
            "127.0.0.1:50051",
            "localhost:1",
            "http://solver.example:50051",
            "http://h:1/",
            "[::1]:50051",
            "unix:/run/s",
        ] {
            assert_eq!(Target::parse(address).map(|target| target.name().to_owned()), Ok(address.to_owned()));
        }
    }

    #[test]
    fn a_bad_address_says_what_is_wrong() {
        for (address, what) in [
            ("localhost", "the port is missing"),
            (":50051", "the host is missing"),
            ("", "it cannot be read"),
            ("a b:1", "it cannot be read"),
            ("h:99999", "it cannot be read"),
            ("http://h:1/path", "more than host and port is given"),
            ("u@h:1", "more than host and port is given"),
            ("unix:", "the path of the socket is missing"),
            ("https://h:1", "this version does not speak TLS"),
        ] {
            let error = Target::parse(address).expect_err(address);
            assert!(error.to_string().contains(what), "{address}: {error}");
        }
    }
}
