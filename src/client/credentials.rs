//! What a client shows to servers, and whom it believes.

use std::fmt;

use tonic::metadata::{Ascii, MetadataValue};

use crate::tls;

/// Certificates and keys are text in PEM form. The default believes the authorities of this system and shows nothing.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The authorities to believe, in place of this system's.
    pub ca: Option<Vec<u8>>,
    /// A certificate and its private key.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// A bearer token.
    pub token: Option<Token>,
    /// Whether the token may leave this machine unencrypted.
    pub in_the_clear: bool,
}

impl fmt::Debug for Credentials {
    /// Without what is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Credentials");
        shown.field("ca", &self.ca.is_some()).field("identity", &self.identity.is_some());
        shown.field("token", &self.token.is_some()).field("in_the_clear", &self.in_the_clear).finish()
    }
}

/// Finds out whether a text can be a certificate, or authorities.
///
/// # Errors
/// What is wrong with it, for people, to stand behind the name of its file.
pub fn check_certificates(pem: &[u8]) -> Result<(), &'static str> {
    tls::certificates(pem).map(drop)
}

/// Finds out whether a text can be a private key.
///
/// # Errors
/// As for `check_certificates`.
pub fn check_key(pem: &[u8]) -> Result<(), &'static str> {
    tls::key(pem).map(drop)
}

/// A bearer token, as calls carry it. Its debug output does not show it.
#[derive(Debug, Clone)]
pub struct Token(pub(super) MetadataValue<Ascii>);

impl Token {
    /// A token of printable ASCII without spaces; none if the text is not that.
    pub fn new(text: &str) -> Option<Token> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let mut value: MetadataValue<Ascii> = format!("Bearer {text}").parse().ok()?;
        // Kept out of debug output, and out of the compression state of the connection.
        value.set_sensitive(true);
        Some(Token(value))
    }

    /// The first token of a file of one token a line; empty lines and lines that start with `#` count for nothing.
    /// `None`: there is none, or it is not printable ASCII without spaces.
    pub fn first_of(text: &str) -> Option<Token> {
        Token::new(text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_no_comment_is_the_token() {
        for (text, token) in [
            ("abc\ndef\n", Some("Bearer abc")),
            ("# ours\n\n abc \r\n", Some("Bearer abc")),
            ("# ours\n", None),
            ("", None),
            ("a b", None),
            ("é", None),
        ] {
            let found = Token::first_of(text);
            assert_eq!(found.as_ref().map(|found| found.0.to_str().expect("ASCII")), token, "{text:?}");
        }
    }

    #[test]
    fn a_token_is_not_printed() {
        let token = Token::first_of("abc").expect("a token");
        assert_eq!(format!("{:?}", token.0), "Sensitive");
    }
}
