//! Verifies the signatures of requests, and maps rejections to the server's errors.

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::http::request::Parts;
use sortkey_access::{Caller, Rejected, SignatureError, SignedRequest};
use sortkey_api::{ApiError, ErrorKind};

use crate::guard::AccessMode;
use crate::head::Head;
use crate::refusal;
use crate::shared::Shared;

/// The services that an administrator may sign for: SDKs have no service of our own.
const ADMINISTRATION: &[&str] = &["dynamodb", "sortkey"];

/// The caller of a request for one of these services, by its verified signature.
pub(crate) fn caller<B>(
    server: &Shared<B>,
    parts: &Parts,
    body: &[u8],
    services: &[&str],
) -> Result<Caller, ApiError> {
    verify(server, parts, body, services).map_err(|rejected| error(&rejected))
}

/// Verifies that an administrator signed a request; an error gives the reason.
pub(crate) fn administrator<B>(server: &Shared<B>, parts: &Parts, body: &[u8]) -> Result<Caller, String> {
    let caller = verify(server, parts, body, ADMINISTRATION).map_err(|rejected| rejected.to_string())?;
    match caller.identity.admin {
        true => Ok(caller),
        false => Err(format!("{} is not an administrator", caller.identity.principal.arn)),
    }
}

/// The caller, or the reason in AWS's words.
pub(crate) fn verify<B>(
    server: &Shared<B>,
    parts: &Parts,
    body: &[u8],
    services: &[&str],
) -> Result<Caller, Rejected> {
    let authority = server.settings.guard.authority.as_ref().ok_or(Rejected::UnknownKey)?;
    let headers = headers(parts);
    authority.verify(&request(parts, &headers, body), services, now_seconds())
}

/// Whether a request names no credential that the server knows, where one is needed. Neither its body nor its signature is
/// looked at: this decides how much memory its body may take before they are.
pub(crate) fn is_stranger<B>(server: &Shared<B>, parts: &Parts, head: &Head<'_>) -> bool {
    let guard = &server.settings.guard;
    let signs = || {
        let headers = headers(parts);
        guard.authority.as_ref().is_some_and(|authority| authority.knows(&request(parts, &headers, b"")))
    };
    guard.mode == AccessMode::Credentials && !guard.knows_secret(head) && !signs()
}

fn headers(parts: &Parts) -> Vec<(&str, &[u8])> {
    parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect()
}

fn request<'a>(parts: &'a Parts, headers: &'a [(&'a str, &'a [u8])], body: &'a [u8]) -> SignedRequest<'a> {
    SignedRequest {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        query: parts.uri.query().unwrap_or_default(),
        headers,
        body,
    }
}

/// Seconds since 1970, by the machine's clock: that of the database can be moved by tests, those of clients cannot.
pub(crate) fn now_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn error(rejected: &Rejected) -> ApiError {
    let kind = match rejected {
        Rejected::Signature(SignatureError::Missing) => return refusal::missing_authentication(),
        Rejected::Signature(SignatureError::Incomplete(_)) => ErrorKind::IncompleteSignatureException,
        Rejected::Signature(SignatureError::Invalid(_)) => ErrorKind::InvalidSignatureException,
        Rejected::UnknownKey => ErrorKind::UnrecognizedClientException,
        Rejected::Expired => ErrorKind::ExpiredTokenException,
    };
    ApiError::new(kind, rejected.to_string())
}
