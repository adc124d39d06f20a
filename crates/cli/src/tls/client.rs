//! Whom a client trusts: the certificates of the machine, or those of a file.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};

use crate::failure::Failure;

/// Whom to trust.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Trust {
    /// Trust the certificates in this PEM file, instead of the machine's, where the endpoint is https://
    #[arg(long, value_name = "FILE", env = "AWS_CA_BUNDLE")]
    pub(crate) ca: Option<PathBuf>,
}

impl Trust {
    /// The certificates to trust, in PEM form, if they are not the machine's.
    pub(crate) fn pem(&self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(path) = &self.ca else { return Ok(None) };
        let read =
            std::fs::read(path).map_err(|error| Failure::new(format_args!("{}: {error}", path.display())));
        read.map(Some)
    }

    fn roots(&self) -> Result<RootCertStore, Failure> {
        let mut roots = RootCertStore::empty();
        let Some(pem) = self.pem()? else {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            return Ok(roots);
        };
        let found: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(&pem).collect();
        let (added, _) = roots.add_parsable_certificates(found.unwrap_or_default());
        match added {
            0 => Err(Failure::new("there is no certificate in PEM form in the file of --ca")),
            _ => Ok(roots),
        }
    }
}

/// The TLS configuration of a client.
pub(crate) fn config(trust: &Trust) -> Result<Arc<ClientConfig>, Failure> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(Failure::new)?;
    Ok(Arc::new(builder.with_root_certificates(trust.roots()?).with_no_client_auth()))
}

/// The name that a server's certificate must have.
pub(crate) fn server_name(authority: &str) -> Result<ServerName<'static>, Failure> {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    ServerName::try_from(host.to_owned())
        .map_err(|_| Failure::new(format_args!("{host:?} is not a name that a certificate can have")))
}
