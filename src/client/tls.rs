//! TLS to servers, on streams that remember why they broke.
//!
//! A server refuses a client's certificate after the handshake, as the client sees it. Whether HTTP/2 then tells the
//! reason, or just that the connection is gone, is a matter of who comes first.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Channel, Endpoint, Uri};

use super::credentials::Credentials;
use crate::pem;

/// Why the last stream of a link broke, until somebody asks.
#[derive(Debug, Clone, Default)]
pub(super) struct Broke(Arc<Mutex<Option<String>>>);

impl Broke {
    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, why: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }
}

/// What is believed and shown.
///
/// # Errors
/// What is wrong with a certificate or a key.
pub(super) fn config(credentials: &Credentials) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    match &credentials.ca {
        Some(pem) => {
            for authority in pem::certificates(pem).map_err(|fault| format!("the authorities' file {fault}"))? {
                roots.add(authority).map_err(|error| format!("an authority is not usable: {error}"))?;
            }
        }
        // Authorities of the system that cannot be read are no reason to believe none of them.
        None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots);
    let mut config = match &credentials.identity {
        Some((certificate, private)) => {
            let chain = pem::certificates(certificate).map_err(|fault| format!("the certificate's file {fault}"))?;
            let key = pem::key(private).map_err(|fault| format!("the key's file {fault}"))?;
            let config = builder.with_client_auth_cert(chain, key);
            config.map_err(|error| format!("the client's certificate does not go with its private key: {error}"))?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

/// A channel that connects when it is first used, with TLS whatever the endpoint's scheme says.
pub(super) fn connect_lazy(endpoint: &Endpoint, config: &Arc<ClientConfig>, broke: &Broke) -> Channel {
    let (connector, broke) = (TlsConnector::from(config.clone()), broke.clone());
    endpoint.connect_with_connector_lazy(tower::service_fn(move |uri: Uri| {
        let (connector, broke) = (connector.clone(), broke.clone());
        async move {
            let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let stream = TcpStream::connect((&*host, uri.port_u16().unwrap_or(443))).await?;
            stream.set_nodelay(true)?;
            // A certificate is for an address, whatever the zone in which it is reached.
            let name = host.split('%').next().unwrap_or_default().to_owned();
            let name = ServerName::try_from(name).map_err(io::Error::other)?;
            broke.set(None);
            let stream = connector.connect(name, stream).await?;
            io::Result::Ok(TokioIo::new(Stream { stream, broke }))
        }
    }))
}

struct Stream {
    stream: TlsStream<TcpStream>,
    broke: Broke,
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, into));
        if let Err(error) = &read {
            self.broke.set(Some(error.to_string()));
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
