//! TLS: the certificate that a server shows, read again when its files change.
//!
//! A renewed certificate is used from the next handshake on; connections that are open go on. Files that disappear, do
//! not parse or do not fit together change nothing: the previous certificate stays in use, and the reason is in the log
//! and, without paths, in `/ready`.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ConfigBuilder, ServerConfig, WantsVerifier};
use sha2::{Digest, Sha256};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

/// The one protocol that is spoken inside.
const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate that cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{path}: {source}", path = .0.display(), source = .1)]
    File(PathBuf, std::io::Error),
    /// There is no certificate in what should be one.
    #[error("there is no certificate in PEM form in the file of the certificate")]
    NoCertificate,
    /// There is no private key in what should be one.
    #[error("there is no private key in PEM form in the file of the key")]
    NoKey,
    /// They are there and cannot be used.
    #[error("the certificate and its key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

impl TlsError {
    /// The reason, without the name of a file.
    fn without_path(&self) -> String {
        match self {
            TlsError::File(_, source) => source.to_string(),
            other => other.to_string(),
        }
    }
}

/// The configuration for TLS clients. Clones share their certificate.
#[derive(Clone)]
pub struct Tls {
    certificate: Arc<Certificate>,
    config: Arc<ServerConfig>,
}

/// The certificate in use, and where it comes from.
struct Certificate {
    current: ArcSwap<CertifiedKey>,
    files: Option<Files>,
}

/// A certificate with its chain, and its key.
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    seen: Mutex<Seen>,
}

/// The state of the files at the last check.
struct Seen {
    stamps: [Option<Stamp>; 2],
    /// Why they cannot be used.
    problem: Option<String>,
}

type Stamp = (SystemTime, u64, u64);

/// No chain of certificates is longer. What is named may be a device, which can be read without end.
const MAX_BYTES: u64 = 1 << 20;

impl Tls {
    /// The certificate and the key in two PEM files, which may be the same one.
    pub fn open(certificate: &Path, key: &Path) -> Result<Tls, TlsError> {
        let stamps = [stamp(certificate), stamp(key)];
        let current = load(certificate, key)?;
        let seen = Mutex::new(Seen { stamps, problem: None });
        Tls::new(current, Some(Files { certificate: certificate.to_owned(), key: key.to_owned(), seen }))
    }

    /// A certificate and its key in PEM form, which never change.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Tls, TlsError> {
        Tls::new(parse(certificate, key)?, None)
    }

    fn new(current: CertifiedKey, files: Option<Files>) -> Result<Tls, TlsError> {
        let certificate = Arc::new(Certificate { current: ArcSwap::from_pointee(current), files });
        let mut config = builder()?.with_no_client_auth().with_cert_resolver(Arc::clone(&certificate) as _);
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Tls { certificate, config: Arc::new(config) })
    }

    /// The SHA-256 fingerprint of the certificate, as browsers and `openssl x509` show it.
    pub fn fingerprint(&self) -> String {
        let current = self.certificate.current.load();
        let digest = Sha256::digest(current.cert.first().map_or(&[][..], AsRef::as_ref));
        digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
    }

    /// Reads the files again if they changed, or if they could not be used before.
    pub(crate) fn refresh(&self) {
        let Some(files) = &self.certificate.files else { return };
        let stamps = [stamp(&files.certificate), stamp(&files.key)];
        let mut seen = files.seen.lock();
        if seen.stamps == stamps && seen.problem.is_none() {
            return;
        }
        seen.stamps = stamps;
        // A pipe would keep the server waiting for somebody who writes to it.
        let regular = [&files.certificate, &files.key].into_iter().try_for_each(|path| check_regular(path));
        match regular.and_then(|()| load(&files.certificate, &files.key)) {
            Ok(current) => {
                self.certificate.current.store(Arc::new(current));
                seen.problem = None;
                drop(seen);
                tracing::info!(fingerprint = self.fingerprint(), "the TLS certificate was read again");
            }
            Err(error) => {
                let problem = Some(error.without_path());
                if seen.problem != problem {
                    tracing::warn!(%error, "the TLS certificate cannot be read again; the one from before stays in use");
                }
                seen.problem = problem;
            }
        }
    }

    /// A failure that needs an operator's attention.
    pub(crate) fn notice(&self) -> Option<String> {
        let problem = self.certificate.files.as_ref()?.seen.lock().problem.clone()?;
        Some(format!(
            "the TLS certificate cannot be read again, and the one from before stays in use: {problem}"
        ))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current.load_full())
    }
}

/// TLS 1.2 and 1.3 with the primitives of ring, which the AWS SDK brings along anyway.
fn builder() -> Result<ConfigBuilder<ServerConfig, WantsVerifier>, rustls::Error> {
    ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn load(certificate: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
    parse(&read(certificate)?, &read(key)?)
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    file.map_err(|error| TlsError::File(path.to_owned(), error))?;
    Ok(bytes)
}

fn check_regular(path: &Path) -> Result<(), TlsError> {
    let about = std::fs::metadata(path).map_err(|error| TlsError::File(path.to_owned(), error))?;
    match about.is_file() {
        true => Ok(()),
        false => Err(TlsError::File(path.to_owned(), io::Error::other("it is not a regular file"))),
    }
}

fn parse(certificate: &[u8], key: &[u8]) -> Result<CertifiedKey, TlsError> {
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(certificate).collect();
    let chain = chain.map_err(|_| TlsError::NoCertificate)?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::NoKey)?;
    Ok(CertifiedKey::from_der(chain, key, &provider())?)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok()?, metadata.len(), number))
}
