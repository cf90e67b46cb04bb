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

use super::credentials::{Credentials, certificates, key};

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

const NO_CERTIFICATE: &str = "there is no certificate in PEM form";

/// What is believed and shown.
///
/// # Errors
/// What is wrong with a certificate or a key.
pub(super) fn config(credentials: &Credentials) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    match &credentials.ca {
        Some(pem) => {
            for authority in certificates(pem).ok_or(NO_CERTIFICATE)? {
                roots.add(authority).map_err(|error| error.to_string())?;
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
            let chain = certificates(certificate).ok_or(NO_CERTIFICATE)?;
            let key = key(private).ok_or("there is no private key in PEM form")?;
            builder.with_client_auth_cert(chain, key).map_err(|error| error.to_string())?
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
            let name = ServerName::try_from(host).map_err(io::Error::other)?;
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
