//! Certificates and private keys out of text in PEM form, and what is wrong with a text that has none.

use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// All certificates of a text, in their order; whatever else is there is passed over.
pub(crate) fn certificates(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, &'static str> {
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
