//! Access to a server, shared by `serve` and `up`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use sortkey_access::Authority;
use sortkey_gateway::{ApiKeys, Holder};
use sortkey_server::{AccessMode, Administrators, Guard, Iam};

use crate::failure::Failure;
use crate::keyring::KeyringArguments;

/// Access to a server.
#[derive(Args, Debug)]
pub(crate) struct Protect {
    /// Require a credential everywhere: API keys of this file, which `sortkey keys` makes
    #[arg(long, value_name = "FILE")]
    pub(crate) api_keys: Option<PathBuf>,

    /// Require a credential everywhere: signatures of the identities in this file, which `sortkey auth` makes
    #[arg(long, value_name = "FILE")]
    pub(crate) auth: Option<PathBuf>,

    /// Signed requests that no policy allows: ignore that, print the missing statement, or reject them
    #[arg(
        long,
        value_name = "MODE",
        default_value = "off",
        requires_if("soft", "auth"),
        requires_if("enforce", "auth")
    )]
    iam: IamMode,

    #[command(flatten)]
    pub(crate) keyring: KeyringArguments,

    /// Allow web pages of this origin, such as http://localhost:3000, or of any (`*`); may be given several times
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    cors: Vec<String>,

    /// Let administrators on other machines use the routes under /_sortkey
    #[arg(long)]
    admin_from_anywhere: bool,

    /// Require no credentials, even where other machines can reach the server
    #[arg(long, conflicts_with_all = ["api_keys", "auth"])]
    pub(crate) insecure_open: bool,
}

impl Protect {
    /// The credentials that the server requires. Other machines are not let in unless a flag configures how.
    pub(crate) fn mode(&self, address: SocketAddr, command: &str) -> Result<AccessMode, Failure> {
        if self.insecure_open {
            return Ok(AccessMode::Open);
        }
        if self.api_keys.is_some() || self.auth.is_some() {
            return Ok(AccessMode::Credentials);
        }
        if address.ip().is_loopback() {
            return Ok(AccessMode::Local);
        }
        let failure =
            Failure::new(format_args!("other machines can reach {}: say who may call", address.ip()));
        let (make, flag) = match command {
            "up" => ("sortkey keys create admin --admin --file keys.json", "--api-keys keys.json"),
            _ => ("sortkey auth user create admin --admin", "--auth auth.json"),
        };
        Err(failure
            .hint(format_args!("{make}, then {command} {flag}; or --insecure-open to ask for no credential")))
    }

    /// The guard of a server.
    pub(crate) fn guard(&self, mode: AccessMode) -> Result<Guard, Failure> {
        let administrators = match &self.api_keys {
            Some(path) => Some(Arc::new(KeyHolders(open(path)?)) as Arc<dyn Administrators>),
            None => None,
        };
        let authority = match &self.auth {
            Some(path) => Some(Arc::new(self.authority(path)?)),
            None => None,
        };
        Ok(Guard {
            mode,
            administrators,
            authority,
            iam: self.iam.into(),
            cors_origins: self.cors.clone(),
            admin_from_anywhere: self.admin_from_anywhere,
        })
    }

    fn authority(&self, path: &Path) -> Result<Authority, Failure> {
        if !path.exists() {
            let failure = Failure::new(format_args!("there is no file of identities {}", path.display()));
            let file = path.display();
            return Err(
                failure.hint(format_args!("make it: sortkey auth user create admin --admin --file {file}"))
            );
        }
        let keyring = self.keyring.open_existing(path)?;
        Authority::open(path, keyring).map_err(Failure::new)
    }

    /// How an SDK is pointed at the DynamoDB API, if that is open to anybody.
    pub(crate) fn sdk(&self, mode: AccessMode, endpoint: &str, region: &str) -> Option<String> {
        let address =
            format!("AWS_ENDPOINT_URL_DYNAMODB={endpoint} AWS_REGION={region} AWS_DEFAULT_REGION={region}");
        match (mode, &self.auth) {
            (AccessMode::Local | AccessMode::Open, _) => {
                Some(format!("{address} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local"))
            }
            (AccessMode::Credentials, Some(_)) => {
                Some(format!("{address}, and the access key that `sortkey auth user create` printed"))
            }
            (AccessMode::Credentials, None) => None,
        }
    }

    /// The open entry points, for the person who starts the server.
    pub(crate) fn report(&self, mode: AccessMode, serves_design: bool, dynamodb_api: bool) -> String {
        let mut text = match mode {
            AccessMode::Local => {
                "Open without a credential: to programs on this machine, everything; to web pages and other \
                            machines, nothing."
                    .to_owned()
            }
            AccessMode::Credentials => {
                let api = match (serves_design, &self.api_keys) {
                    (false, _) => "",
                    (true, Some(_)) => "/api an API key; ",
                    (true, None) => "/api an administrator's credential; ",
                };
                let pages = if serves_design { ", /docs, /openapi.json" } else { "" };
                let dynamodb = match &self.auth {
                    Some(_) if !dynamodb_api => "the DynamoDB API is closed (--dynamodb-api opens it)",
                    Some(_) => match self.iam {
                        IamMode::Off => "the DynamoDB API a signature (policies are not asked: --iam off)",
                        IamMode::Soft => "the DynamoDB API a signature (policies only warn: --iam soft)",
                        IamMode::Enforce => "the DynamoDB API a signature that policies allow",
                    },
                    None => "the DynamoDB API is closed (--auth opens it)",
                };
                format!(
                    "Open without a credential: GET / and GET /ready. Needed elsewhere: {api}/_sortkey, /metrics{pages} an \
                     administrator's credential; {dynamodb}."
                )
            }
            AccessMode::Open => {
                let admin = match self.admin_from_anywhere {
                    true => "",
                    false => " /_sortkey answers this machine only (--admin-from-anywhere opens it).",
                };
                let dynamodb = match dynamodb_api {
                    true => "",
                    false => " The DynamoDB API is closed (--dynamodb-api opens it).",
                };
                format!(
                    "WARNING: --insecure-open: whoever reaches this port can read and write everything, without a \
                     credential.{admin}{dynamodb}"
                )
            }
        };
        if !self.cors.is_empty() {
            text.push_str(&format!(" Web pages of {} are allowed.", self.cors.join(", ")));
        }
        text
    }
}

/// [`Iam`], as the command line spells it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum IamMode {
    Off,
    Soft,
    Enforce,
}

impl From<IamMode> for Iam {
    fn from(mode: IamMode) -> Iam {
        match mode {
            IamMode::Off => Iam::Off,
            IamMode::Soft => Iam::Soft,
            IamMode::Enforce => Iam::Enforce,
        }
    }
}

/// The keys of a file.
pub(crate) fn open(path: &Path) -> Result<ApiKeys, Failure> {
    ApiKeys::open(path).map_err(Failure::new)
}

/// Administrators are those who hold an administrator's API key.
struct KeyHolders(ApiKeys);

impl Administrators for KeyHolders {
    fn is_administrator(&self, secret: &str) -> bool {
        self.0.holder(secret) == Some(Holder::Admin)
    }

    fn is_known(&self, secret: &str) -> bool {
        self.0.holder(secret).is_some()
    }
}

/// An origin as browsers spell it: scheme, host and port, no path, and no port that is the scheme's own.
fn origin(text: &str) -> Result<String, String> {
    let is_origin = |text: &str| {
        text.split_once("://").is_some_and(|(scheme, authority)| {
            !scheme.is_empty()
                && !authority.is_empty()
                && authority.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@,*".contains(&byte))
        })
    };
    if text == "*" {
        return Ok(text.to_owned());
    }
    if !is_origin(text) {
        return Err("write an origin like http://localhost:3000, without a path, or *".to_owned());
    }
    let origin = text.to_ascii_lowercase();
    let without_port = match origin.split_once("://") {
        Some(("http", _)) => origin.strip_suffix(":80"),
        Some(("https", _)) => origin.strip_suffix(":443"),
        _ => None,
    };
    Ok(without_port.unwrap_or(&origin).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        protect: Protect,
    }

    fn protect(flags: &[&str]) -> Protect {
        <Command as clap::Parser>::parse_from([&["sortkey"], flags].concat()).protect
    }

    // With `--auth`, the credentials `local` were suggested, which are rejected; with `--api-keys` alone, the DynamoDB API, which
    // is closed.
    #[test]
    fn an_sdk_is_pointed_at_what_it_can_use() {
        let sdk = |flags: &[&str], mode| protect(flags).sdk(mode, "http://127.0.0.1:8000", "us-east-1");
        for (flags, mode, expected) in [
            (&[][..], AccessMode::Local, Some(true)),
            (&["--insecure-open"], AccessMode::Open, Some(true)),
            (&["--auth", "auth.json"], AccessMode::Credentials, Some(false)),
            (&["--api-keys", "keys.json"], AccessMode::Credentials, None),
        ] {
            let is_any_key = sdk(flags, mode).map(|text| text.contains("AWS_SECRET_ACCESS_KEY=local"));
            assert_eq!(is_any_key, expected, "{flags:?}");
        }
    }

    // A server for other machines whose DynamoDB API is closed announced that a signature, or nothing, opens it.
    #[test]
    fn what_is_closed_is_reported() {
        let closed = "the DynamoDB API is closed (--dynamodb-api opens it)";
        for (flags, mode) in [
            (&["--auth", "auth.json"][..], AccessMode::Credentials),
            (&["--insecure-open"], AccessMode::Open),
        ] {
            for dynamodb_api in [true, false] {
                let report = protect(flags).report(mode, true, dynamodb_api);
                assert_eq!(report.to_lowercase().contains(&closed.to_lowercase()), !dynamodb_api, "{report}");
            }
        }
        for (flags, is_closed) in
            [(&["--insecure-open"][..], true), (&["--insecure-open", "--admin-from-anywhere"], false)]
        {
            let report = protect(flags).report(AccessMode::Open, false, true);
            assert_eq!(report.contains("/_sortkey answers this machine only"), is_closed, "{report}");
        }
    }

    #[test]
    fn origins_have_no_path() {
        for (text, expected) in [
            ("*", Some("*")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("https://App.example", Some("https://app.example")),
            ("http://localhost:3000/", None),
            ("localhost:3000", None),
            ("http://", None),
            ("http://a, http://b", None),
            ("http://*.example", None),
            ("http://app.example:80", Some("http://app.example")),
            ("https://app.example:443", Some("https://app.example")),
            ("https://app.example:80", Some("https://app.example:80")),
            ("http://app.example:8080", Some("http://app.example:8080")),
            ("null", None),
        ] {
            assert_eq!(origin(text).ok().as_deref(), expected, "{text}");
        }
    }
}
