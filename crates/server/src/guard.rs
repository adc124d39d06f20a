//! The guard: decides, for every path on the port, whether a request may reach what answers it.
//!
//! Every request passes [`Guard::check`] before its route runs, so a new route is closed until it is given an
//! [`EntryPoint`]. The guard answers who may come in at all; a verified signature's permissions are checked later.
//!
//! - [`AccessMode::Local`]: programs on this machine need no credential; web pages of other sites, hosts that are not this
//!   machine, and clients behind a proxy are rejected.
//! - [`AccessMode::Credentials`]: every entry point needs a credential, whatever address the client connects from.
//! - [`AccessMode::Open`]: no credentials. Web pages of other sites are still rejected, and the administration routes stay
//!   closed to other machines unless they are opened as well.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use sortkey_access::Authority;

use crate::head::Head;
use crate::iam::Iam;
use crate::locality;
use crate::mount::{Access, Mount};

/// How a server treats clients that send no credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessMode {
    /// Programs on this machine need none; nobody else is answered.
    #[default]
    Local,
    /// Every entry point needs one.
    Credentials,
    /// Nobody needs one.
    Open,
}

/// Checks API keys: bearer tokens, or passwords of Basic authentication.
pub trait Administrators: Send + Sync + 'static {
    /// Whether a key is an administrator's.
    fn is_administrator(&self, secret: &str) -> bool;

    /// Whether a key is anybody's.
    fn is_known(&self, secret: &str) -> bool {
        self.is_administrator(secret)
    }
}

/// The access rules of a server.
#[derive(Clone, Default)]
pub struct Guard {
    /// The credentials that clients need.
    pub mode: AccessMode,
    /// Checks the credentials of administrators; without it there are none, in [`AccessMode::Credentials`].
    pub administrators: Option<Arc<dyn Administrators>>,
    /// Verifies signatures; without it no signature is accepted, in [`AccessMode::Credentials`].
    pub authority: Option<Arc<Authority>>,
    /// The treatment of requests that no policy allows.
    pub iam: Iam,
    /// Origins whose web pages may use the server, as browsers spell them; `*` allows all.
    pub cors_origins: Vec<String>,
    /// Whether the administration routes answer clients on other machines, given a credential.
    pub admin_from_anywhere: bool,
}

/// The target of a path, as far as the guard is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EntryPoint<'a> {
    /// `GET /` and `/ready`: open to all, and silent about names and paths.
    Health,
    /// `POST /`, where a credential is a signature.
    Signed,
    /// Numbers about tables, for administrators.
    Metrics,
    /// A mounted handler.
    Mount(&'a Mount),
    /// No such path.
    Nothing,
}

/// The proof that a request still needs after the guard. Signatures cover the body, so they are verified later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    /// A signature of any identity.
    Signature,
    /// A signature of an administrator.
    AdministratorSignature,
}

/// The guard's decision on a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may pass, once its route has seen to what is still needed.
    Pass(Need),
    /// It gets this answer instead.
    Reject(StatusCode, String),
}

impl Guard {
    /// Decides about a request before its route runs.
    pub(crate) fn check(
        &self,
        peer: SocketAddr,
        parts: &Parts,
        head: &Head<'_>,
        entry: EntryPoint<'_>,
    ) -> Verdict {
        if let Some(name) = head.repeated {
            let why = format!("the header {name} is given more than once");
            return Verdict::Reject(StatusCode::BAD_REQUEST, why);
        }
        let host = locality::effective_host(&parts.uri, head);
        if locality::is_cross_site(&parts.method, host.ok(), head) && !self.allows_origin(head.origin) {
            return Verdict::Reject(StatusCode::FORBIDDEN, cross_site(head.origin));
        }
        if matches!(entry, EntryPoint::Health) {
            return Verdict::Pass(Need::Nothing);
        }
        let host = match host {
            Ok(host) => host,
            Err(why) => return Verdict::Reject(StatusCode::BAD_REQUEST, why.to_owned()),
        };
        match self.mode {
            AccessMode::Local => check_local(peer, host, head),
            // Browsers send preflights without credentials; what follows one has to have them.
            AccessMode::Credentials if self.answers_preflight(&parts.method, head) => {
                Verdict::Pass(Need::Nothing)
            }
            AccessMode::Credentials => self.check_credential(peer, head, entry),
            AccessMode::Open => match entry {
                EntryPoint::Mount(mount) if mount.access == Access::Operator && !self.admin_from_anywhere => {
                    check_local(peer, host, head)
                }
                _ => Verdict::Pass(Need::Nothing),
            },
        }
    }

    /// Whether web pages of an origin may read answers.
    pub(crate) fn allows_origin(&self, origin: Option<&HeaderValue>) -> bool {
        let Some(origin) = origin else { return false };
        self.cors_origins.iter().any(|allowed| allowed == "*" || origin == allowed.as_str())
    }

    fn check_credential(&self, peer: SocketAddr, head: &Head<'_>, entry: EntryPoint<'_>) -> Verdict {
        match entry {
            EntryPoint::Signed => Verdict::Pass(Need::Signature),
            EntryPoint::Mount(Mount { access: Access::Anyone, .. })
            | EntryPoint::Nothing
            | EntryPoint::Health => Verdict::Pass(Need::Nothing),
            EntryPoint::Mount(mount)
                if mount.access == Access::Operator
                    && !self.admin_from_anywhere
                    && !locality::is_from_this_machine(peer, head) =>
            {
                let why = "the administration routes answer clients on this machine only; start the server with \
                           --admin-from-anywhere to change that";
                Verdict::Reject(StatusCode::FORBIDDEN, why.to_owned())
            }
            EntryPoint::Mount(_) | EntryPoint::Metrics if self.is_administrator(head) => {
                Verdict::Pass(Need::Nothing)
            }
            EntryPoint::Mount(_) | EntryPoint::Metrics if self.authority.is_some() && is_signed(head) => {
                Verdict::Pass(Need::AdministratorSignature)
            }
            EntryPoint::Mount(_) | EntryPoint::Metrics => {
                let why = "an administrator's credential is needed: send an administrator's API key as \
                           `Authorization: Bearer KEY` or as the password of Basic authentication, or sign the request \
                           with an administrator's access key";
                Verdict::Reject(StatusCode::UNAUTHORIZED, why.to_owned())
            }
        }
    }

    /// Whether a request asks what a web page may send, and the page's origin is allowed. Its route is not asked.
    pub(crate) fn answers_preflight(&self, method: &Method, head: &Head<'_>) -> bool {
        *method == Method::OPTIONS && head.preflight_method.is_some() && self.allows_origin(head.origin)
    }

    fn is_administrator(&self, head: &Head<'_>) -> bool {
        self.secret_is(head, Administrators::is_administrator)
    }

    /// Whether a request has an API key of anybody.
    pub(crate) fn knows_secret(&self, head: &Head<'_>) -> bool {
        self.secret_is(head, Administrators::is_known)
    }

    fn secret_is(&self, head: &Head<'_>, holds: impl Fn(&dyn Administrators, &str) -> bool) -> bool {
        let Some(keys) = self.administrators.as_deref() else { return false };
        let header = head.authorization.and_then(|value| value.to_str().ok());
        header.and_then(secret_of).is_some_and(|secret| holds(keys, &secret))
    }
}

fn is_signed(head: &Head<'_>) -> bool {
    head.authorization.is_some_and(|value| value.as_bytes().starts_with(b"AWS4-"))
}

/// The bearer token, or the password of Basic authentication: browsers can send only the latter.
fn secret_of(header: &str) -> Option<String> {
    let (scheme, rest) = header.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
    decoded.split_once(':').map(|(_, password)| password.to_owned())
}

fn check_local(peer: SocketAddr, host: &str, head: &Head<'_>) -> Verdict {
    if !locality::is_from_this_machine(peer, head) {
        let why = "the request comes from another machine and carries no credential: start the server with --api-keys \
                   or --auth";
        return Verdict::Reject(StatusCode::FORBIDDEN, why.to_owned());
    }
    if !locality::names_this_machine(host) {
        let why = format!(
            "the host {host:?} is not this machine: use localhost or 127.0.0.1, or start the server with --api-keys or \
             --auth"
        );
        return Verdict::Reject(StatusCode::FORBIDDEN, why);
    }
    Verdict::Pass(Need::Nothing)
}

fn cross_site(origin: Option<&HeaderValue>) -> String {
    match origin.and_then(|origin| origin.to_str().ok()) {
        Some(origin) if origin != "null" => format!(
            "web pages of {origin} may not use this server: start it with --cors {origin} to allow them"
        ),
        _ => "web pages of other sites may not use this server".to_owned(),
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("mode", &self.mode)
            .field("has_administrators", &self.administrators.is_some())
            .field("authority", &self.authority)
            .field("iam", &self.iam)
            .field("cors_origins", &self.cors_origins)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_tokens_and_passwords() {
        for (header, expected) in [
            ("Bearer sortkey_abc", Some("sortkey_abc")),
            ("bearer  sortkey_abc ", Some("sortkey_abc")),
            ("Basic YWRtaW46c29ydGtleV9hYmM=", Some("sortkey_abc")),
            ("Basic OnNvcnRrZXk6eA==", Some("sortkey:x")),
            ("Basic !!", None),
            ("Basic YWRtaW4=", None),
            ("AWS4-HMAC-SHA256 Credential=a", None),
            ("Bearer", None),
        ] {
            assert_eq!(secret_of(header).as_deref(), expected, "{header}");
        }
    }
}
