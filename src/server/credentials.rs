//! What a server shows and asks for: its certificate, the authority of its clients' certificates, bearer tokens.
//!
//! All of it comes from files, and is read again on request while the server runs. No content of such a file is ever
//! part of a message.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use subtle::{Choice, ConstantTimeEq as _};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

use crate::escape;
use crate::tls::validity::Validity;
use crate::tls::{self, Certificates};

/// A token of fewer characters can be found by trying.
const SHORTEST_TOKEN: usize = 16;

/// Whom a server lets in. The default asks for nothing.
#[derive(Debug, Default)]
pub struct Access {
    /// How TCP connections are encrypted. Unix sockets and pipes never are.
    pub tls: Option<Tls>,
    /// What every call but a health check must carry.
    pub tokens: Option<Tokens>,
}

impl Access {
    /// Reads all files again. What cannot be used leaves its predecessor in force.
    ///
    /// # Errors
    /// The first file that cannot be used.
    pub fn reload(&self) -> Result<(), Unusable> {
        let tls = self.tls.as_ref().map_or(Ok(()), Tls::reload);
        let tokens = self.tokens.as_ref().map_or(Ok(()), Tokens::reload);
        tls.and(tokens)
    }

    /// When the server's certificate expires, in seconds since the epoch.
    pub(super) fn certificate_end(&self) -> Option<u64> {
        self.tls.as_ref()?.loaded().validity.map(|validity| validity.end())
    }
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It cannot be read.
    #[error("{} cannot be read: {error}", escape::path(&path))]
    Unread {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What it holds makes no sense.
    #[error("{}: {what}", escape::path(&path))]
    Senseless {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

fn unusable(path: &Path, what: impl fmt::Display) -> Unusable {
    Unusable::Senseless { path: path.into(), what: what.to_string() }
}

fn read(path: &Path) -> Result<Vec<u8>, Unusable> {
    fs::read(path).map_err(|error| Unusable::Unread { path: path.into(), error })
}

/// The files behind a server's TLS, all in PEM form.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The server's certificate, followed by those of the authorities between it and the root.
    pub cert: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// Authorities, one of which must have signed a client's certificate. `None`: clients need none.
    pub client_ca: Option<PathBuf>,
}

/// TLS as a server speaks it: versions 1.2 and 1.3, HTTP/2 inside.
pub struct Tls {
    files: TlsFiles,
    loaded: RwLock<Loaded>,
}

/// What the files hold.
#[derive(Clone)]
struct Loaded {
    config: Arc<ServerConfig>,
    /// That of the server's certificate, where it can be read.
    validity: Option<Validity>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.files).finish()
    }
}

impl Tls {
    /// Reads the files. A certificate that is not valid now is a warning in the log: clocks differ.
    ///
    /// # Errors
    /// A file that cannot be read or used; a key that does not belong to the certificate.
    pub fn load(files: TlsFiles) -> Result<Tls, Unusable> {
        let loaded = RwLock::new(configure(&files)?);
        Ok(Tls { files, loaded })
    }

    fn reload(&self) -> Result<(), Unusable> {
        let loaded = configure(&self.files)?;
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// What the next connection is accepted with.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.loaded().config.into()
    }

    fn loaded(&self) -> Loaded {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn configure(files: &TlsFiles) -> Result<Loaded, Unusable> {
    let clients = match &files.client_ca {
        None => None,
        Some(path) => {
            let roots = tls::roots(certificates(path)?).map_err(|error| unusable(path, error))?;
            Some(tls::client_verifier(roots).map_err(|error| unusable(path, error))?)
        }
    };
    let key = tls::key(&read(&files.key)?).map_err(|fault| unusable(&files.key, fault))?;
    let chain = certificates(&files.cert)?;
    let validity = Validity::of(&chain);
    let config = tls::server_config((chain, key), clients).map_err(|error| {
        unusable(&files.cert, format_args!("does not go with {}: {error}", escape::path(&files.key)))
    })?;
    if let Some(validity) = validity {
        validity.warn(&files.cert);
    }
    Ok(Loaded { config: Arc::new(config), validity })
}

fn certificates(path: &Path) -> Result<Certificates, Unusable> {
    tls::certificates(&read(path)?).map_err(|fault| unusable(path, fault))
}

/// The bearer tokens that a server takes.
pub struct Tokens {
    file: PathBuf,
    known: RwLock<Vec<Box<[u8]>>>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tokens").field(&self.file).finish()
    }
}

impl Tokens {
    /// Reads a file of one token a line. Empty lines and lines that start with `#` count for nothing.
    ///
    /// # Errors
    /// A file that cannot be read, holds no token, or holds one that is too short or cannot stand in a header.
    pub fn load(file: PathBuf) -> Result<Tokens, Unusable> {
        let known = RwLock::new(read_tokens(&file)?);
        Ok(Tokens { file, known })
    }

    fn reload(&self) -> Result<(), Unusable> {
        let known = read_tokens(&self.file)?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(())
    }

    /// Whether `token` is one of them. Takes the same time whichever it is and however much of it is right; its length
    /// is no secret.
    pub(super) fn knows(&self, token: &[u8]) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().fold(Choice::from(0), |found, known| found | known.ct_eq(token)).into()
    }
}

fn read_tokens(file: &Path) -> Result<Vec<Box<[u8]>>, Unusable> {
    let text = String::from_utf8(read(file)?).map_err(|error| unusable(file, error.utf8_error()))?;
    let mut tokens = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable(file, format_args!("line {number}: a token is printable ASCII without spaces")));
        }
        if line.len() < SHORTEST_TOKEN {
            let what = format_args!(
                "line {number}: a token has at least {SHORTEST_TOKEN} characters; `openssl rand -hex 32` makes one"
            );
            return Err(unusable(file, what));
        }
        tokens.push(line.as_bytes().into());
    }
    if tokens.is_empty() {
        return Err(unusable(file, "holds no token"));
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Tokens, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), text).expect("written");
        let without_path = |error: Unusable| error.to_string().rsplit_once(": ").expect("a path").1.to_owned();
        Tokens::load(file.path().into()).map_err(without_path)
    }

    #[test]
    fn tokens_are_whole_lines_without_comments() {
        let tokens = load("# ours\n\n  0123456789abcdef \r\nsecond-token-of-two\n").expect("two tokens");
        for (token, known) in [
            ("0123456789abcdef", true),
            ("second-token-of-two", true),
            ("0123456789abcde", false),
            ("0123456789abcdef ", false),
            ("0123456789abcdeF", false),
            ("# ours", false),
            ("", false),
        ] {
            assert_eq!(tokens.knows(token.as_bytes()), known, "{token:?}");
        }
    }

    #[test]
    fn a_file_that_lets_everybody_or_nobody_in_is_refused() {
        for (text, what) in [
            ("", "holds no token"),
            ("# 0123456789abcdef\n", "holds no token"),
            ("0123456789abcde", "a token has at least 16 characters; `openssl rand -hex 32` makes one"),
            ("\n0123456789 abcdef", "a token is printable ASCII without spaces"),
            ("0123456789abcdéf", "a token is printable ASCII without spaces"),
        ] {
            assert_eq!(load(text).expect_err(text), what);
        }
    }

    #[test]
    fn a_bad_file_leaves_the_tokens_that_were_there() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "0123456789abcdef").expect("written");
        let access = Access { tls: None, tokens: Some(Tokens::load(file.path().into()).expect("a token")) };
        let knows = |token: &str| access.tokens.as_ref().expect("there").knows(token.as_bytes());
        fs::write(file.path(), "short").expect("written");
        assert!(access.reload().is_err());
        assert!(knows("0123456789abcdef"));
        fs::write(file.path(), "fedcba9876543210").expect("written");
        assert!(access.reload().is_ok());
        assert!(!knows("0123456789abcdef") && knows("fedcba9876543210"));
    }

    #[test]
    fn nothing_that_is_printed_shows_a_token() {
        let tokens = load("0123456789abcdef").expect("a token");
        assert!(!format!("{tokens:?}").contains("0123456789abcdef"));
        let error = load("0123456789abcdef\nsecret").expect_err("too short");
        assert!(!error.contains("secret"), "{error}");
    }
}
