//! From when until when a server's certificate is valid.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

use crate::escape;

/// The time in which every certificate of a chain is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Validity {
    not_before: SystemTime,
    not_after: SystemTime,
}

impl Validity {
    /// That of a chain. `None` if it is empty or cannot be read.
    pub(crate) fn of(chain: &[CertificateDer<'_>]) -> Option<Validity> {
        let seconds = |since_epoch: i64| UNIX_EPOCH + Duration::from_secs(since_epoch.try_into().unwrap_or(0));
        let each = chain.iter().map(|certificate| {
            let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
            let validity = certificate.validity();
            Some((seconds(validity.not_before.timestamp()), seconds(validity.not_after.timestamp())))
        });
        let each: Vec<_> = each.collect::<Option<_>>()?;
        let not_before = each.iter().map(|each| each.0).max()?;
        let not_after = each.iter().map(|each| each.1).min()?;
        Some(Validity { not_before, not_after })
    }

    /// Its end in seconds since the epoch.
    pub(crate) fn end(&self) -> u64 {
        self.not_after.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    /// Warns if it has not begun or is over.
    pub(crate) fn warn(&self, file: &Path) {
        if let Some(fault) = self.fault(SystemTime::now()) {
            tracing::warn!("the certificate in {} {fault}: clients will refuse it", escape::path(file));
        }
    }

    fn fault(&self, now: SystemTime) -> Option<String> {
        let date = humantime::format_rfc3339_seconds;
        if now > self.not_after {
            Some(format!("expired at {}", date(self.not_after)))
        } else if now < self.not_before {
            Some(format!("is not valid before {}", date(self.not_before)))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(years: &[(i32, i32)]) -> Vec<CertificateDer<'static>> {
        let certificate = |(from, to): &(i32, i32)| {
            let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
            parameters.not_before = rcgen::date_time_ymd(*from, 1, 1);
            parameters.not_after = rcgen::date_time_ymd(*to, 1, 1);
            parameters.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().der().clone()
        };
        years.iter().map(certificate).collect()
    }

    #[test]
    fn a_chain_is_valid_while_all_its_certificates_are() {
        let validity = Validity::of(&chain(&[(2020, 2040), (2022, 2030)])).unwrap();
        assert_eq!(validity.end(), 1_893_456_000);
        let at = |text: &str| validity.fault(humantime::parse_rfc3339(text).unwrap());
        assert_eq!(at("2021-06-01T00:00:00Z").unwrap(), "is not valid before 2022-01-01T00:00:00Z");
        assert_eq!(at("2025-06-01T00:00:00Z"), None);
        assert_eq!(at("2031-06-01T00:00:00Z").unwrap(), "expired at 2030-01-01T00:00:00Z");
        assert_eq!(Validity::of(&[]), None);
        assert_eq!(Validity::of(&[CertificateDer::from(vec![1, 2, 3])]), None);
    }
}
