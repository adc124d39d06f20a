//! TLS with the machine's certificates, and those that a policy adds.

use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::{Error, Policy};

pub(crate) fn connector(policy: &Policy) -> Result<TlsConnector, Error> {
    let mut roots = RootCertStore::empty();
    // Certificates of the machine that cannot be read are left out, as everywhere; there may be none at all in a container, and then no `https://` is
    // reached.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in &policy.certificates {
        roots
            .add(CertificateDer::from(certificate.clone()))
            .map_err(|error| Error::Setup(error.to_string()))?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Setup(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
