//! Addresses of destinations, read strictly.
//!
//! The text is read as browsers do, so that nobody disagrees about where it leads, and refused where readers are known to disagree: user names, backslashes,
//! control characters, and IPv4 addresses in another notation than four decimal numbers.

use std::net::IpAddr;

use http::uri::PathAndQuery;
use url::{Host, Url};

use crate::error::UrlError;

/// The longest address.
const MAX_URL_BYTES: usize = 8 * 1024;

/// The destination of a request.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) is_tls: bool,
    pub(crate) host: Destination,
    pub(crate) port: u16,
    /// The part after the host: path and query.
    pub(crate) path: PathAndQuery,
    /// The value of the header `Host`.
    pub(crate) authority: String,
}

/// A name or an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Destination {
    /// A name in lower case, in ASCII, without a full stop at the end.
    Name(String),
    Address(IpAddr),
}

impl Destination {
    /// A name or an address alone, as a relay for mail is configured.
    pub(crate) fn parse(text: &str) -> Option<Destination> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Destination::Address(address));
        }
        domain(text).ok().map(Destination::Name)
    }
}

impl Target {
    pub(crate) fn parse(text: &str) -> Result<Target, UrlError> {
        if text.len() > MAX_URL_BYTES {
            return Err(UrlError::TooLong);
        }
        // Browsers drop or replace these; other readers do not.
        if text
            .chars()
            .any(|character| character.is_control() || character.is_whitespace() || character == '\\')
        {
            return Err(UrlError::Character);
        }
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::Scheme)?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(UrlError::Scheme),
        };
        let written = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if written.contains('@') {
            return Err(UrlError::Userinfo);
        }
        // Browsers skip further slashes and find a host behind them.
        if written.is_empty() {
            return Err(UrlError::Malformed);
        }
        let url = Url::parse(text).map_err(|_| UrlError::Malformed)?;
        let host = match url.host().ok_or(UrlError::Malformed)? {
            Host::Domain(name) => Destination::Name(domain(name)?),
            Host::Ipv4(address) => {
                // `127.1`, `0x7f000001`, `0177.0.0.1` and digits of other scripts are the same address to some readers only.
                let plain = written.split(':').next() == Some(address.to_string().as_str());
                if !plain {
                    return Err(UrlError::Notation);
                }
                Destination::Address(IpAddr::V4(address))
            }
            Host::Ipv6(address) => Destination::Address(IpAddr::V6(address)),
        };
        let port = url.port_or_known_default().ok_or(UrlError::Malformed)?;
        let name = match &host {
            Destination::Name(name) => name.clone(),
            Destination::Address(IpAddr::V4(address)) => address.to_string(),
            Destination::Address(IpAddr::V6(address)) => format!("[{address}]"),
        };
        let authority = url.port().map_or(name.clone(), |port| format!("{name}:{port}"));
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", url.path());
        let path = PathAndQuery::try_from(path).map_err(|_| UrlError::Malformed)?;
        Ok(Target { is_tls, host, port, path, authority })
    }
}

/// A name of letters, digits, hyphens and underscores, with labels that DNS can carry.
fn domain(name: &str) -> Result<String, UrlError> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(plain)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let sound = name.len() <= 253 && name.split('.').all(label);
    // A resolver that is given digits answers with the address that they could mean.
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    if sound && !is_number { Ok(name.to_ascii_lowercase()) } else { Err(UrlError::Malformed) }
}
