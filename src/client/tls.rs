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
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};
use tonic::transport::{Channel, Endpoint, Uri};

use super::credentials::Credentials;
use crate::tls;

/// Why the last stream of a link broke: every call that was on it may ask.
#[derive(Debug, Clone, Default)]
pub(super) struct Broke(Arc<Mutex<Option<io::Error>>>);

impl Broke {
    pub(super) fn reason(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(copy)
    }

    fn set(&self, why: Option<io::Error>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }
}

/// What is believed and shown.
///
/// # Errors
/// What is wrong with a certificate or a key.
pub(super) fn config(credentials: &Credentials) -> Result<ClientConfig, String> {
    let roots = match &credentials.ca {
        Some(pem) => {
            let authorities = tls::certificates(pem).map_err(|fault| format!("the authorities' file {fault}"))?;
            tls::roots(authorities).map_err(|error| format!("an authority is not usable: {error}"))?
        }
        None => tls::system_roots(),
    };
    let identity = match &credentials.identity {
        Some((certificate, private)) => {
            let chain = tls::certificates(certificate).map_err(|fault| format!("the certificate's file {fault}"))?;
            Some((chain, tls::key(private).map_err(|fault| format!("the key's file {fault}"))?))
        }
        None => None,
    };
    tls::client_config(roots, identity)
        .map_err(|error| format!("the client's certificate does not go with its private key: {error}"))
}

/// A channel that connects when it is first used, with TLS whatever the endpoint's scheme says.
pub(super) fn connect_lazy(endpoint: &Endpoint, config: &Arc<ClientConfig>, broke: &Broke) -> Channel {
    let (connector, broke) = (TlsConnector::from(config.clone()), broke.clone());
    endpoint.connect_with_connector_lazy(tower::service_fn(move |uri: Uri| {
        let (connector, broke) = (connector.clone(), broke.clone());
        async move {
            broke.set(None);
            let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let stream = TcpStream::connect((&*host, uri.port_u16().unwrap_or(443))).await?;
            stream.set_nodelay(true)?;
            // A certificate is for an address, whatever the zone in which it is reached.
            let name = host.split('%').next().unwrap_or_default().to_owned();
            let name = ServerName::try_from(name).map_err(io::Error::other)?;
            let stream = connector.connect(name, stream).await?;
            io::Result::Ok(TokioIo::new(Stream { stream, broke }))
        }
    }))
}

/// The same error once more. h2 keeps the text of an error that a stream had and forgets its type, hyper at times both.
fn copy(error: &io::Error) -> io::Error {
    match error.get_ref().and_then(|carried| carried.downcast_ref::<rustls::Error>()) {
        Some(carried) => io::Error::new(error.kind(), carried.clone()),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

struct Stream {
    stream: TlsStream<TcpStream>,
    broke: Broke,
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, into));
        if let Err(error) = &read {
            self.broke.set(Some(copy(error)));
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
