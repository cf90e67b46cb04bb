//! TLS for client and server: certificates and private keys out of PEM text, and what both sides speak with them.
//!
//! Versions 1.2 and 1.3 with the suites of ring, and HTTP/2 inside.

#[cfg(feature = "server")]
pub(crate) mod validity;

use std::sync::Arc;

use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
#[cfg(feature = "server")]
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
#[cfg(feature = "server")]
use tokio_rustls::rustls::server::{ServerConfig, VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

/// HTTP/2, as ALPN names it.
const HTTP2: &[u8] = b"h2";

/// Certificates in the order of a file: of a chain the end's own first.
pub(crate) type Certificates = Vec<CertificateDer<'static>>;

/// A certificate with those of the authorities between it and the root, and its private key.
pub(crate) type Identity = (Certificates, PrivateKeyDer<'static>);

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Authorities to believe.
///
/// # Errors
/// The first that cannot be used.
pub(crate) fn roots(authorities: Certificates) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    authorities.into_iter().try_for_each(|authority| roots.add(authority))?;
    Ok(roots)
}

/// The authorities that this system believes. Those that cannot be read are no reason to believe none of them.
pub(crate) fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// What a client believes and shows.
///
/// # Errors
/// A certificate that does not go with its key.
pub(crate) fn client_config(roots: RootCertStore, identity: Option<Identity>) -> Result<ClientConfig, Error> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("ring has suites for them")
        .with_root_certificates(roots);
    let mut config = match identity {
        Some((chain, key)) => builder.with_client_auth_cert(chain, key)?,
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![HTTP2.to_vec()];
    Ok(config)
}

/// What makes sure that a client has a certificate of one of these authorities.
///
/// # Errors
/// There is no authority.
#[cfg(feature = "server")]
pub(crate) fn client_verifier(roots: RootCertStore) -> Result<Arc<dyn ClientCertVerifier>, VerifierBuilderError> {
    WebPkiClientVerifier::builder_with_provider(roots.into(), provider()).build()
}

/// What a server shows, and what it asks of its clients if anything.
///
/// # Errors
/// A certificate that does not go with its key.
#[cfg(feature = "server")]
pub(crate) fn server_config(
    (chain, key): Identity,
    clients: Option<Arc<dyn ClientCertVerifier>>,
) -> Result<ServerConfig, Error> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("ring has suites for them")
        .with_client_cert_verifier(clients.unwrap_or_else(WebPkiClientVerifier::no_client_auth))
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![HTTP2.to_vec()];
    Ok(config)
}

/// All certificates of a text, in their order; whatever else is there is passed over.
pub(crate) fn certificates(text: &[u8]) -> Result<Certificates, &'static str> {
    match CertificateDer::pem_slice_iter(without_mark(text)).collect::<Result<Vec<_>, _>>() {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err("holds no certificate in PEM form"),
    }
}

/// The first private key of a text; whatever else is there is passed over.
pub(crate) fn key(text: &[u8]) -> Result<PrivateKeyDer<'static>, &'static str> {
    PrivateKeyDer::from_pem_slice(without_mark(text)).map_err(|_| {
        // PKCS #8, and the older form of OpenSSL, whose text is encrypted under an ordinary heading.
        let signs = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"];
        match signs.iter().any(|sign| text.windows(sign.len()).any(|part| part == sign.as_bytes())) {
            true => "holds an encrypted private key: write a decrypted one with `openssl pkey -in FILE -out KEY`",
            false => "holds no private key in PEM form",
        }
    })
}

/// The text behind a byte order mark.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
    const PARAMETERS: &str = "-----BEGIN EC PARAMETERS-----\nMAA=\n-----END EC PARAMETERS-----\n";
    const ENCRYPTED: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n";
    const OLD: &str = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMAA=\n\
        -----END RSA PRIVATE KEY-----\n";

    #[test]
    fn texts_are_read_whatever_else_they_hold_and_however_their_lines_end() {
        for (text, found) in [
            (CERTIFICATE.to_owned(), Ok(1)),
            (CERTIFICATE.repeat(3), Ok(3)),
            (format!("subject=/CN=a\n{KEY}{CERTIFICATE}"), Ok(1)),
            (CERTIFICATE.replace('\n', "\r\n"), Ok(1)),
            (format!("\u{FEFF}{CERTIFICATE}"), Ok(1)),
            (KEY.to_owned(), Err("holds no certificate in PEM form")),
            (String::new(), Err("holds no certificate in PEM form")),
            (CERTIFICATE.replace("END", "ENDE"), Err("holds no certificate in PEM form")),
        ] {
            assert_eq!(certificates(text.as_bytes()).map(|found| found.len()), found, "{text}");
        }
        let encrypted = "holds an encrypted private key: write a decrypted one with `openssl pkey -in FILE -out KEY`";
        for (text, found) in [
            (KEY.to_owned(), Ok(())),
            (format!("{PARAMETERS}{CERTIFICATE}{KEY}"), Ok(())),
            (KEY.replace('\n', "\r\n"), Ok(())),
            (format!("\u{FEFF}{KEY}"), Ok(())),
            (format!("{ENCRYPTED}{KEY}"), Ok(())),
            (ENCRYPTED.to_owned(), Err(encrypted)),
            (ENCRYPTED.replace('\n', "\r\n"), Err(encrypted)),
            (OLD.to_owned(), Err(encrypted)),
            (CERTIFICATE.to_owned(), Err("holds no private key in PEM form")),
        ] {
            assert_eq!(key(text.as_bytes()).map(drop), found, "{text}");
        }
    }
}
