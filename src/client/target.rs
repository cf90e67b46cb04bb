//! Where a server is, and how connections to it are made.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::ClientConfig;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Request, Status};

use super::credentials::{Credentials, Token};
use super::fault::{self, Fault};
use super::tls::{self, Broke};
use crate::escape;

/// A TCP handshake that takes longer than this will not come to anything.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A server that vanished without a word (a pulled cable, a stopped process) is noticed after the sum of these two.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Small windows on fast streams pile up small frames, and one slow stream must not hold up the whole connection.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;

/// Where a server is, as it is typed: `HOST:PORT`, `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    uri: String,
    road: Road,
    is_looked_up: bool,
}

impl Address {
    /// Whether its host is a name that stands for IP addresses.
    pub fn is_looked_up(&self) -> bool {
        self.is_looked_up
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What lies between a client and its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Road {
    /// A socket of this machine, or its loopback.
    Inside,
    /// A network, in the clear.
    Clear,
    /// A network, with TLS.
    Tls,
}

/// Why a server's address makes no sense, or cannot be used with what the client has to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTarget {
    /// The address cannot be read.
    #[error("{address:?} is no server address: {what}; write HOST:PORT, https://HOST:PORT or unix:/PATH")]
    Address {
        /// As it was typed.
        address: String,
        /// What is wrong with it.
        what: String,
    },
    /// A token would travel in the clear.
    #[error(
        "the token would go to {0} unencrypted: write https://HOST:PORT, or say --insecure if the network is trusted"
    )]
    TokenInTheClear(String),
    /// Certificates or keys that cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl FromStr for Address {
    type Err = BadTarget;

    fn from_str(text: &str) -> Result<Address, BadTarget> {
        let text = text.trim();
        let bad = |what: &str| BadTarget::Address { address: text.into(), what: what.into() };
        let address = |uri: String, road, is_looked_up| Address { text: text.into(), uri, road, is_looked_up };
        if let Some(path) = text.strip_prefix("unix:") {
            if path.trim_start_matches('/').is_empty() {
                return Err(bad("the path of the socket is missing"));
            }
            return Ok(address(text.to_owned(), Road::Inside, false));
        }
        let (scheme, authority) = match text.strip_prefix("https://") {
            Some(authority) => ("https", authority),
            None => ("http", text.strip_prefix("http://").unwrap_or(text)),
        };
        let authority = authority.trim_end_matches('/');
        let uri: Uri = format!("{scheme}://{authority}/").parse().map_err(|_| bad("it cannot be read"))?;
        if uri.path() != "/" || authority.contains(['?', '#', '@']) {
            return Err(bad("more than host and port is given"));
        }
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        if host.is_empty() {
            return Err(bad("the host is missing"));
        }
        if uri.port_u16().is_none() {
            return Err(bad("the port is missing or too large"));
        }
        let ip = host.parse::<IpAddr>();
        let is_inside = host == "localhost" || ip.as_ref().is_ok_and(IpAddr::is_loopback);
        let road = match scheme {
            "https" => Road::Tls,
            _ if is_inside => Road::Inside,
            _ => Road::Clear,
        };
        Ok(address(uri.to_string(), road, ip.is_err()))
    }
}

/// A server to ask.
#[derive(Clone)]
pub struct Target {
    name: String,
    way: Way,
    token: Option<Token>,
}

#[derive(Clone)]
enum Way {
    Endpoint(Box<Endpoint>),
    Tls(Box<Endpoint>, Arc<ClientConfig>),
    Ready(Channel),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.name).finish()
    }
}

impl Target {
    /// The server at an address, and what is shown to it.
    ///
    /// # Errors
    /// Credentials that cannot be used, or not on the way there.
    pub fn new(address: &Address, credentials: &Credentials) -> Result<Target, BadTarget> {
        let bad = |error: tonic::transport::Error| BadTarget::Tls(fault::root(&error).to_string());
        let endpoint = |uri: &str| Endpoint::from_shared(uri.to_owned()).map(configure).map_err(bad);
        let way = match address.road {
            Road::Tls => {
                // To tonic a connection in the clear, whose requests say https all the same: TLS is the connector's.
                let origin = address.uri.parse().map_err(|_| BadTarget::Tls("the address cannot be read".into()))?;
                let endpoint = endpoint(&address.uri.replacen("https", "http", 1))?.origin(origin);
                Way::Tls(Box::new(endpoint), Arc::new(tls::config(credentials).map_err(BadTarget::Tls)?))
            }
            Road::Clear if credentials.token.is_some() && !credentials.in_the_clear => {
                return Err(BadTarget::TokenInTheClear(address.text.clone()));
            }
            Road::Clear | Road::Inside => Way::Endpoint(Box::new(endpoint(&address.uri)?)),
        };
        Ok(Target { name: escape::text(&address.text).to_string(), way, token: credentials.token.clone() })
    }

    /// A server behind a channel made elsewhere, and its name for messages.
    pub fn ready(name: impl Into<String>, channel: Channel) -> Target {
        Target { name: name.into(), way: Way::Ready(channel), token: None }
    }

    /// The address as the user wrote it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Links that connect when they are first used, each a connection of its own; a ready one stays one.
    pub(super) fn links(&self, connections: usize) -> Vec<Link> {
        let link = |channel, broke| Link { channel, broke, token: self.token.clone() };
        let connections = 0..connections.max(1);
        match &self.way {
            Way::Endpoint(endpoint) => connections.map(|_| link(endpoint.connect_lazy(), Broke::default())).collect(),
            Way::Tls(endpoint, config) => {
                let connect = |broke: Broke| link(tls::connect_lazy(endpoint, config, &broke), broke);
                connections.map(|_| connect(Broke::default())).collect()
            }
            Way::Ready(channel) => vec![link(channel.clone(), Broke::default())],
        }
    }
}

/// A connection to a server, and the token that every call on it carries.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) channel: Channel,
    broke: Broke,
    token: Option<Token>,
}

impl Link {
    /// A call's request.
    pub(super) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(Token(value)) = &self.token {
            request.metadata_mut().insert("authorization", value.clone());
        }
        request
    }

    /// What a failed call on this link comes to.
    pub(super) fn fault(&self, server: &str, status: &Status) -> Fault {
        Fault::of(server, status, self.broke.reason())
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
        for (address, road) in [
            ("127.0.0.1:50051", Road::Inside),
            ("localhost:1", Road::Inside),
            ("[::1]:50051", Road::Inside),
            ("unix:/run/s", Road::Inside),
            ("http://solver.example:50051", Road::Clear),
            ("http://h:1/", Road::Clear),
            ("10.0.0.1:1", Road::Clear),
            ("localhost.example:1", Road::Clear),
            ("https://h:1", Road::Tls),
            ("https://127.0.0.1:1", Road::Tls),
        ] {
            let found = address.parse::<Address>().map(|found| (found.text, found.road));
            assert_eq!(found, Ok((address.to_owned(), road)));
        }
    }

    #[test]
    fn a_bad_address_says_what_is_wrong() {
        for (address, what) in [
            ("localhost", "the port is missing or too large"),
            (":50051", "the host is missing"),
            ("", "it cannot be read"),
            ("a b:1", "it cannot be read"),
            ("h:99999", "the port is missing or too large"),
            ("http://h:1/path", "more than host and port is given"),
            ("u@h:1", "more than host and port is given"),
            ("unix:", "the path of the socket is missing"),
            ("https://h", "the port is missing or too large"),
        ] {
            let error = address.parse::<Address>().expect_err(address);
            assert!(error.to_string().contains(what), "{address}: {error}");
        }
    }

    #[test]
    fn a_token_does_not_leave_the_machine_in_the_clear() {
        let token = Token::first_of("abc");
        assert!(token.is_some());
        for (address, in_the_clear, goes) in [
            ("127.0.0.1:1", false, true),
            ("unix:/run/s", false, true),
            ("10.0.0.1:1", false, false),
            ("10.0.0.1:1", true, true),
            ("localhost.example:1", false, false),
        ] {
            let credentials = Credentials { token: token.clone(), in_the_clear, ..Credentials::default() };
            let address = address.parse().expect(address);
            assert_eq!(Target::new(&address, &credentials).is_ok(), goes, "{address:?}");
        }
    }
}
