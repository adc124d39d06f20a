//! The address of the DynamoDB, the credentials, and the timeouts.

use std::time::Duration;

use thiserror::Error;

/// How to reach a DynamoDB.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its address: `https://dynamodb.eu-west-1.amazonaws.com`, `http://127.0.0.1:8000`.
    pub endpoint: String,
    /// The region that requests are signed for; if none, the endpoint's own, the environment's, or `us-east-1`.
    pub region: Option<String>,
    /// The certificates to trust, in PEM form, instead of the machine's.
    pub ca: Option<Vec<u8>>,
    /// The credentials.
    pub credentials: Credentials,
    /// The longest that a request may take, its repetitions included.
    pub patience: Duration,
    /// The longest that one attempt may take.
    pub attempt: Duration,
    /// How often a request is sent at most.
    pub attempts: u32,
}

/// The credentials that requests are signed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// As every AWS tool finds them: the environment, profiles, web identity, the container, the machine.
    FromEnvironment,
    /// These.
    Given {
        /// The access key.
        access_key_id: String,
        /// Its secret.
        secret_access_key: String,
    },
}

/// An address that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not an endpoint: write http:// or https://, a host, and a port if it needs one")]
pub struct BadEndpoint(pub String);

impl Settings {
    /// The usual patience with the DynamoDB at an address. One on this machine is a test's, which takes any credentials: it
    /// is not worth looking for real ones unless the environment names them.
    pub fn new(endpoint: &str) -> Result<Settings, BadEndpoint> {
        let host = host(endpoint).ok_or_else(|| BadEndpoint(endpoint.to_owned()))?;
        let named = ["AWS_ACCESS_KEY_ID", "AWS_PROFILE"].iter().any(|name| std::env::var_os(name).is_some());
        let credentials = match is_this_machine(host) && !named {
            true => Credentials::Given { access_key_id: "local".into(), secret_access_key: "local".into() },
            false => Credentials::FromEnvironment,
        };
        Ok(Settings {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            region: None,
            ca: None,
            credentials,
            patience: Duration::from_secs(30),
            attempt: Duration::from_secs(10),
            attempts: 5,
        })
    }

    /// The region to sign for, if the settings or the endpoint name it.
    pub(crate) fn known_region(&self) -> Option<String> {
        self.region.clone().or_else(|| region_of(host(&self.endpoint)?).map(str::to_owned))
    }

    /// Whether the connection is to be encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.endpoint.starts_with("https://")
    }
}

/// The host of an address, without its port.
fn host(endpoint: &str) -> Option<&str> {
    let rest = endpoint.strip_prefix("http://").or_else(|| endpoint.strip_prefix("https://"))?;
    let authority = rest.split('/').next()?;
    let path = rest.get(authority.len()..)?;
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split_once(']')?.0,
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_' | ':');
    (!host.is_empty() && host.chars().all(plain) && matches!(path, "" | "/")).then_some(host)
}

/// `eu-west-1` in `dynamodb.eu-west-1.amazonaws.com`.
fn region_of(host: &str) -> Option<&str> {
    let rest =
        host.strip_prefix("dynamodb.").or_else(|| host.split_once(".dynamodb.").map(|(_, rest)| rest))?;
    let (region, domain) = rest.split_once('.')?;
    domain.starts_with("amazonaws.com").then_some(region)
}

fn is_this_machine(host: &str) -> bool {
    let address: Option<std::net::IpAddr> = host.parse().ok();
    address.map_or(host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_name_their_host_and_region() {
        for (endpoint, expected) in [
            ("http://127.0.0.1:8000", Some(("127.0.0.1", None))),
            ("http://localhost:8000/", Some(("localhost", None))),
            ("http://[::1]:8000", Some(("::1", None))),
            (
                "https://dynamodb.eu-west-1.amazonaws.com",
                Some(("dynamodb.eu-west-1.amazonaws.com", Some("eu-west-1"))),
            ),
            (
                "https://123456789012.ddb.dynamodb.cn-north-1.amazonaws.com.cn",
                Some(("123456789012.ddb.dynamodb.cn-north-1.amazonaws.com.cn", Some("cn-north-1"))),
            ),
            ("localhost:8000", None),
            ("http://", None),
            ("http://host/path", None),
            ("http://a host", None),
        ] {
            let found = host(endpoint).map(|host| (host, region_of(host)));
            assert_eq!(found, expected, "{endpoint}");
            assert_eq!(Settings::new(endpoint).is_ok(), expected.is_some(), "{endpoint}");
        }
    }
}
