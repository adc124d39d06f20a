//! From a name to a connection: resolve, vet, connect, secure.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::policy::Policy;
use crate::progress::{Phase, Progress};
use crate::resolve::Resolver;
use crate::target::Destination;
use crate::{Error, tls};

/// How many addresses of a name are tried.
const MAX_ADDRESSES: usize = 4;

/// How many addresses a name may have at all. More than that is an attempt to keep clients busy.
const MAX_ANSWERS: usize = 64;

/// How many names are remembered.
const MAX_CACHED_NAMES: usize = 4096;

/// Makes connections that a policy allows.
pub(crate) struct Dialer {
    pub(crate) policy: Policy,
    resolver: Arc<dyn Resolver>,
    connector: TlsConnector,
    cache: Mutex<HashMap<String, Vetted>>,
}

/// Addresses of a name that may be reached, and since when that is known.
type Vetted = (Instant, Arc<[IpAddr]>);

impl Dialer {
    pub(crate) fn new(policy: Policy, resolver: Arc<dyn Resolver>) -> Result<Dialer, Error> {
        let connector = tls::connector(&policy)?;
        Ok(Dialer { policy, resolver, connector, cache: Mutex::default() })
    }

    /// The addresses of a destination, every one of which may be reached.
    pub(crate) async fn addresses(
        &self,
        host: &Destination,
        progress: &Progress,
    ) -> Result<Arc<[IpAddr]>, Error> {
        progress.enter(Phase::Resolving);
        let name = match host {
            Destination::Address(address) => {
                self.vet(&address.to_string(), &[*address])?;
                return Ok(Arc::from([*address]));
            }
            Destination::Name(name) => name,
        };
        if let Some((time, addresses)) = self.cache.lock().get(name)
            && time.elapsed() < self.policy.lookups_kept
        {
            return Ok(Arc::clone(addresses));
        }
        let failed = |reason: String| Error::Resolve { host: name.clone(), reason };
        let found = self.resolver.resolve(name).await.map_err(|error| failed(error.to_string()))?;
        if !(1..=MAX_ANSWERS).contains(&found.len()) {
            return Err(failed(format!("{} addresses", found.len())));
        }
        self.vet(name, &found)?;
        let addresses: Arc<[IpAddr]> = found.into_iter().take(MAX_ADDRESSES).collect();
        let mut cache = self.cache.lock();
        if cache.len() >= MAX_CACHED_NAMES {
            cache.retain(|_, (time, _)| time.elapsed() < self.policy.lookups_kept);
        }
        if cache.len() < MAX_CACHED_NAMES {
            cache.insert(name.clone(), (Instant::now(), Arc::clone(&addresses)));
        }
        Ok(addresses)
    }

    /// One refused address refuses all: a name that leads inside and outside is made to be tried until it leads inside.
    fn vet(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Error> {
        for address in addresses {
            self.policy.check(*address).map_err(|range| Error::Refused {
                host: host.to_owned(),
                address: *address,
                range,
            })?;
        }
        Ok(())
    }

    /// A connection to the first of some vetted addresses that takes one. Each gets an equal share of the time that is left.
    pub(crate) async fn connect(
        &self,
        addresses: &[IpAddr],
        port: u16,
        deadline: Instant,
        progress: &Progress,
    ) -> Result<(TcpStream, SocketAddr), Error> {
        progress.enter(Phase::Connecting);
        let mut reason = "there is no address".to_owned();
        for (tried, address) in addresses.iter().enumerate() {
            let address = SocketAddr::new(*address, port);
            let rest = deadline.saturating_duration_since(Instant::now());
            let shares = u32::try_from(addresses.len() - tried).unwrap_or(1);
            match timeout_at(Instant::now() + rest / shares, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // A request is one write; waiting for more to send would delay it.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, address));
                }
                Ok(Err(error)) => reason = error.kind().to_string(),
                Err(_) if deadline <= Instant::now() => {
                    return Err(Error::Timeout { during: Phase::Connecting, status: None });
                }
                Err(_) => reason = "timed out".to_owned(),
            }
        }
        Err(Error::Connect { reason })
    }

    /// Secures a connection for a name, or for an address that a certificate names.
    pub(crate) async fn secure(
        &self,
        stream: TcpStream,
        host: &Destination,
        progress: &Progress,
    ) -> Result<TlsStream<TcpStream>, Error> {
        progress.enter(Phase::Securing);
        let name = match host {
            Destination::Address(address) => ServerName::from(*address),
            Destination::Name(name) => ServerName::try_from(name.clone())
                .map_err(|_| Error::Tls { reason: "the name cannot be in a certificate".to_owned() })?,
        };
        self.connector.connect(name, stream).await.map_err(|error| Error::Tls { reason: error.to_string() })
    }
}
