//! TLS as the commands share it: the certificate of a server, and whom a client trusts.

mod client;
mod self_signed;

use std::path::{Path, PathBuf};

use clap::Args;
use sortkey_server::Tls;

use crate::failure::Failure;

pub(crate) use client::{Trust, config, server_name};

/// The certificate of a server.
#[derive(Args, Debug)]
pub(crate) struct TlsArguments {
    /// Serve HTTPS with this certificate, in PEM form with its chain; a renewed file is used without a restart
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The private key of the certificate, in PEM form
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// For development: serve HTTPS with a certificate made for this machine, kept with the data
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    tls_self_signed: bool,
}

impl TlsArguments {
    /// The certificate and key for HTTPS; none if the server uses HTTP. A generated certificate is kept in a folder, or
    /// ends with the process.
    pub(crate) fn open(&self, folder: Option<&Path>, host: &str) -> Result<Option<Tls>, Failure> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                warn_if_readable(key);
                let opened = Tls::open(certificate, key).map_err(|error| {
                    Failure::new(error)
                        .hint("--tls-cert has the certificate and then its chain, --tls-key its private key, both as PEM")
                });
                opened.map(Some)
            }
            _ if self.tls_self_signed => self_signed::open(folder, host).map(Some),
            _ => Ok(None),
        }
    }

    /// The fingerprint that a person should compare before trusting a self-signed certificate.
    pub(crate) fn report(&self, tls: Option<&Tls>, folder: Option<&Path>) -> String {
        match tls.filter(|_| self.tls_self_signed) {
            None => String::new(),
            Some(tls) => {
                let place = folder.map(|folder| {
                    format!("; clients trust {}", folder.join(self_signed::CERTIFICATE).display())
                });
                let place = place.unwrap_or_default();
                format!("Self-signed certificate, SHA-256 {}{place}\n", tls.fingerprint())
            }
        }
    }
}

/// The scheme of a server's address.
pub(crate) fn scheme(tls: Option<&Tls>) -> &'static str {
    if tls.is_some() { "https" } else { "http" }
}

#[cfg(unix)]
fn warn_if_readable(key: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(key).map(|metadata| metadata.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o004 != 0) {
        tracing::warn!(key = %key.display(), "every user of this machine can read the private key; chmod o-r it");
    }
}

#[cfg(not(unix))]
fn warn_if_readable(_: &Path) {}
