//! The destinations that may be reached.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::IpNet;
use thiserror::Error;

use crate::address::{Range, special};

/// The destinations that may be reached.
#[derive(Clone, Debug)]
pub struct Policy {
    allowed: Vec<IpNet>,
    refused: Vec<IpNet>,
    ports: Ports,
    pub(crate) certificates: Vec<Vec<u8>>,
    pub(crate) max_timeout: Duration,
    pub(crate) lookups_kept: Duration,
}

/// The ports that may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ports {
    /// 80, 443 and everything from 1024 on, without the ports that browsers refuse because other protocols could be made to act by an HTTP request.
    Web,
    /// These.
    Only(Vec<u16>),
}

/// A range that cannot be allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a range of addresses: expected an address with a prefix, such as `10.0.0.0/8`")]
pub struct PolicyError {
    /// The text.
    pub text: String,
}

/// From 1024 on, the "bad ports" of the Fetch standard.
const REFUSED_PORTS: [u16; 21] = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
    6697, 10080,
    // Redis and memcached read lines, and some of their versions read on after the lines of an HTTP head.
    6379, 11211,
];

impl Default for Policy {
    fn default() -> Policy {
        Policy::public()
    }
}

impl Policy {
    /// Every globally routable address, and no other.
    pub fn public() -> Policy {
        Policy {
            allowed: Vec::new(),
            refused: Vec::new(),
            ports: Ports::Web,
            certificates: Vec::new(),
            max_timeout: Duration::from_secs(60),
            lookups_kept: Duration::from_secs(5),
        }
    }

    /// Allows ranges of addresses that are not globally routable, for development: `127.0.0.0/8`. Addresses of cloud metadata, link-local addresses,
    /// groups and `0.0.0.0` stay refused.
    pub fn allow_private(mut self, ranges: &[&str]) -> Result<Policy, PolicyError> {
        for text in ranges {
            let range = text.parse().map_err(|_| PolicyError { text: (*text).to_owned() })?;
            self.allowed.push(range);
        }
        Ok(self)
    }

    /// Refuses ranges of addresses that would be reached otherwise, such as the public ones of the machine itself.
    pub fn refuse(mut self, ranges: &[IpNet]) -> Policy {
        self.refused.extend(ranges);
        self
    }

    /// Other ports.
    pub fn ports(mut self, ports: Ports) -> Policy {
        self.ports = ports;
        self
    }

    /// Trusts a certificate authority beside those of the machine, given in DER.
    pub fn trust(mut self, certificate: Vec<u8>) -> Policy {
        self.certificates.push(certificate);
        self
    }

    /// The longest time that one request may take, whatever it asks for.
    pub fn max_timeout(mut self, timeout: Duration) -> Policy {
        self.max_timeout = timeout;
        self
    }

    /// How long the vetted addresses of a name are used again: five seconds by default. An answer that changes meanwhile changes nothing about safety,
    /// since the connection goes to the address that was vetted.
    pub fn keep_lookups(mut self, time: Duration) -> Policy {
        self.lookups_kept = time;
        self
    }

    /// Whether an address may be reached, and if not, why.
    pub fn check(&self, address: IpAddr) -> Result<(), Range> {
        let within = |ranges: &[IpNet]| ranges.iter().any(|range| range.contains(&address));
        match special(address) {
            _ if within(&self.refused) => Err(Range::Refused),
            None => Ok(()),
            Some(range) if range.is_forbidden() || !within(&self.allowed) => Err(range),
            Some(_) => Ok(()),
        }
    }

    /// Whether a port may be reached.
    pub fn allows_port(&self, port: u16) -> bool {
        match &self.ports {
            Ports::Web => matches!(port, 80 | 443) || (port >= 1024 && !REFUSED_PORTS.contains(&port)),
            Ports::Only(ports) => ports.contains(&port),
        }
    }
}
