//! Authorities, and certificates that they sign for this machine, made while the tests run.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, date_time_ymd};

/// An authority that nobody knows yet.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate.
    pub pem: String,
}

/// A certificate and its key.
pub struct Identity {
    pub cert: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// For a server at 127.0.0.1 or a client anywhere.
    pub fn sign(&self) -> Identity {
        self.sign_for("127.0.0.1", 2100)
    }

    /// For a name, up to a year's beginning.
    pub fn sign_for(&self, name: &str, until: i32) -> Identity {
        self.sign_with(name, until, Vec::new())
    }

    /// For a name, up to a year's beginning, for some purposes alone.
    pub fn sign_with(&self, name: &str, until: i32, purposes: Vec<ExtendedKeyUsagePurpose>) -> Identity {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        params.extended_key_usages = purposes;
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap();
        Identity { cert: cert.pem(), key: key.serialize_pem() }
    }
}

/// Writes a file into a folder and returns its path.
pub fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}
