//! How a client is made that differs from the usual.

use std::sync::Arc;
use std::time::Duration;

use super::credentials::{Credentials, Token};
use super::pool::{Options, Pool};
use super::target::{Address, BadTarget, Target};
use super::{Client, Error, Inner, fault};
#[cfg(feature = "server")]
use crate::{embedded::Embedded, server::settings::Settings, server::workers::Games};

/// Settings of a [`Client`], made by [`Client::builder`].
///
/// ```no_run
/// # async fn doc() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// let client = sprague::Client::builder()
///     .server("https://solver-1:50051")
///     .server("https://solver-2:50051")
///     .ca(std::fs::read("ca.pem")?)
///     .token("secret")
///     .run_timeout(Duration::from_secs(60))
///     .connect()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Builder {
    servers: Vec<String>,
    credentials: Credentials,
    has_bad_token: bool,
    options: Options,
}

impl Builder {
    /// One more server: `HOST:PORT`, `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
    pub fn server(self, address: impl AsRef<str>) -> Builder {
        self.servers([address])
    }

    /// More servers.
    pub fn servers(mut self, addresses: impl IntoIterator<Item: AsRef<str>>) -> Builder {
        self.servers.extend(addresses.into_iter().map(|address| address.as_ref().to_owned()));
        self
    }

    /// A bearer token for the servers. It is sent over TLS, and within this machine; nowhere else, unless
    /// [`Builder::token_in_the_clear`] says so.
    pub fn token(mut self, token: impl AsRef<str>) -> Builder {
        self.credentials.token = Token::new(token.as_ref());
        self.has_bad_token = self.credentials.token.is_none();
        self
    }

    /// Lets the token leave this machine unencrypted: for networks that are trusted.
    pub fn token_in_the_clear(mut self) -> Builder {
        self.credentials.in_the_clear = true;
        self
    }

    /// The authorities that may have signed the certificates of https servers, in PEM form, in place of this system's.
    pub fn ca(mut self, pem: impl Into<Vec<u8>>) -> Builder {
        self.credentials.ca = Some(pem.into());
        self
    }

    /// A certificate to show to servers that ask for one, and its private key, both in PEM form.
    pub fn identity(mut self, certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Builder {
        self.credentials.identity = Some((certificate.into(), key.into()));
        self
    }

    /// Connections to each server that runs use; 2 unless set. Single questions take the first.
    pub fn connections(mut self, connections: usize) -> Builder {
        self.options.connections = connections;
        self
    }

    /// How long to try while no server answers, counted from the last answer; 30 seconds unless set.
    pub fn retry_for(mut self, duration: Duration) -> Builder {
        self.options.retry_for = duration;
        self
    }

    /// How long each run and each single question may take; no limit unless set. Connecting does not count.
    pub fn run_timeout(mut self, duration: Duration) -> Builder {
        self.options.run_timeout = Some(duration);
        self
    }

    /// The size of batches in bytes, in place of what the servers recommend: smaller ones are answered sooner, and cost
    /// more a board.
    pub fn batch_bytes(mut self, bytes: u64) -> Builder {
        self.options.batch_bytes = Some(bytes);
        self
    }

    /// Connects. Dropping the future ends the attempt.
    ///
    /// # Errors
    /// As for [`Client::connect`]; [`Error::Token`] for a token that no header can carry.
    pub async fn connect(self) -> Result<Client, Error> {
        let Builder { servers, credentials, has_bad_token, options } = self;
        if servers.is_empty() {
            return Err(Error::NoServer);
        }
        if has_bad_token {
            return Err(Error::Token);
        }
        let addresses: Vec<Address> = servers.iter().map(|address| address.parse()).collect::<Result<_, _>>()?;
        let reads_authorities = credentials.ca.is_none() && servers.iter().any(|address| address.contains("https://"));
        let targets = move || addresses.iter().map(|address| Target::new(address, &credentials)).collect();
        let targets: Result<Vec<Target>, BadTarget> = match reads_authorities {
            // This system's are in files, which an async thread does not read.
            true => tokio::task::spawn_blocking(targets).await.map_err(|_| fault::Error::Abandoned)?,
            false => targets(),
        };
        let pool = Pool::connect(&targets?, options).await?;
        Ok(Client(Arc::new(Inner {
            pool,
            #[cfg(feature = "server")]
            _embedded: None,
        })))
    }

    /// A client of a server in this process, as [`Client::embedded`]; servers and credentials count for nothing.
    ///
    /// # Errors
    /// [`Error::Start`] if the server's threads cannot be started.
    #[cfg(feature = "server")]
    pub async fn embedded(self) -> Result<Client, Error> {
        let embedded = Embedded::with_threads(Settings::default(), Arc::new(Games)).map_err(Error::Start)?;
        let target = Target::ready("the embedded server", embedded.channel());
        let pool = Pool::connect(&[target], self.options).await?;
        Ok(Client(Arc::new(Inner { pool, _embedded: Some(embedded) })))
    }
}
