//! The server's part of the audit log: one line per decision about a request.
//!
//! The line is written before a request is carried out. If that fails, the request is refused, since an audit log with gaps
//! that nobody notices is worse than none; `fail_open` lets requests pass instead, and `/ready` shows it.

use std::net::IpAddr;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::http::request::Parts;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use sortkey_access::{AuditLog, Decided, Event};
use sortkey_api::{ApiError, ErrorKind};

/// Rejected requests that are recorded per second. Strangers must not be able to fill the disk; the others are counted.
const REJECTED_PER_SECOND: u64 = 50;

/// The longest text of a client that is recorded.
const MAX_TEXT_BYTES: usize = 256;

/// An audit log, and what happens if it cannot be written.
#[derive(Debug)]
pub struct Audit {
    log: AuditLog,
    fail_open: bool,
    rejected: Mutex<Rejected>,
}

/// The rejected requests of a second.
#[derive(Debug)]
struct Rejected {
    since: Instant,
    recorded: u64,
    omitted: u64,
}

impl Audit {
    /// Writes to a log. With `fail_open`, requests that cannot be recorded are carried out all the same.
    pub fn new(log: AuditLog, fail_open: bool) -> Audit {
        let rejected = Rejected { since: Instant::now(), recorded: 0, omitted: 0 };
        Audit { log, fail_open, rejected: Mutex::new(rejected) }
    }

    /// A failure that needs an operator's attention.
    pub(crate) fn notice(&self) -> Option<String> {
        let failure = self.log.failure()?;
        let consequence = if self.fail_open { "are carried out unrecorded" } else { "are refused" };
        Some(format!("the audit log cannot be written, and requests {consequence}: {failure}"))
    }

    fn record(&self, event: &Event<'_>) -> Result<(), ApiError> {
        if event.decision == Decided::Rejected && !self.has_room() {
            return Ok(());
        }
        match self.log.record(event) {
            Err(_) if !self.fail_open => {
                let why = "The request cannot be recorded in the audit log and was not carried out";
                Err(ApiError::new(ErrorKind::ServiceUnavailableException, why))
            }
            _ => Ok(()),
        }
    }

    /// Whether one more rejected request is recorded in this second. Those of the second before that were not are counted in a
    /// line of their own.
    fn has_room(&self) -> bool {
        let mut rejected = self.rejected.lock();
        if rejected.since.elapsed().as_secs() > 0 {
            let omitted = rejected.omitted;
            *rejected = Rejected { since: Instant::now(), recorded: 0, omitted: 0 };
            if omitted > 0 {
                let why = format!("{omitted} more rejected requests were not recorded");
                let event = Event {
                    request: "",
                    from: None,
                    who: None,
                    key: None,
                    operation: "RejectedRequestsOmitted",
                    resources: &[],
                    decision: Decided::Noted,
                    why: &why,
                };
                // A log that cannot be written has reported it.
                let _ = self.log.record(&event);
            }
        }
        let has_room = rejected.recorded < REJECTED_PER_SECOND;
        match has_room {
            true => rejected.recorded += 1,
            false => rejected.omitted += 1,
        }
        has_room
    }
}

/// Records what is decided about one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorder<'a> {
    pub(crate) audit: Option<&'a Audit>,
    pub(crate) parts: &'a Parts,
    pub(crate) request_id: &'a HeaderValue,
    pub(crate) from: IpAddr,
}

impl Recorder<'_> {
    /// Whether decisions are recorded at all.
    pub(crate) fn is_on(&self) -> bool {
        self.audit.is_some()
    }

    /// Records a decision; an error means that the request must not be carried out.
    pub(crate) fn record(
        &self,
        who: Option<&str>,
        operation: &str,
        resources: &[&str],
        decision: Decided,
        why: &str,
    ) -> Result<(), ApiError> {
        let Some(audit) = self.audit else { return Ok(()) };
        let key = key_of(self.parts);
        audit.record(&Event {
            request: self.request_id.to_str().unwrap_or_default(),
            from: Some(self.from.to_canonical()),
            who,
            key: key.as_deref(),
            operation: short(operation),
            resources,
            decision,
            why,
        })
    }

    /// Records that a request was turned away; it is turned away whether that works or not.
    pub(crate) fn rejected(&self, operation: &str, why: &str) {
        let _ = self.record(None, operation, &[], Decided::Rejected, short(why));
    }

    /// Records that a design refused a request which was passed on to it.
    pub(crate) fn refused_by_design(&self, status: StatusCode) {
        let (decision, why) = match status {
            StatusCode::UNAUTHORIZED => (Decided::Rejected, "the design does not know the caller"),
            StatusCode::FORBIDDEN => (Decided::Denied, "the design does not allow it"),
            _ => return,
        };
        // The request was recorded as passed before. It is refused whether this line can be written or not.
        let _ = self.record(None, &self.path(), &[], decision, why);
    }

    /// Method and path, for what has no operation of DynamoDB's. Queries may contain values and are left out.
    pub(crate) fn path(&self) -> String {
        format!("{} {}", self.parts.method, self.parts.uri.path())
    }
}

/// The access key that a request names, or the beginning of the hash of another credential.
fn key_of(parts: &Parts) -> Option<String> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let credential = match header {
        Some(header) if header.starts_with("AWS4-") => header.split_once("Credential=")?.1,
        Some(header) => {
            let (scheme, secret) = header.split_once(' ')?;
            let secret = secret.trim();
            // A browser sends a key as the password of a name. It is the key that is named, as where a program sends it.
            let password = || {
                let text = String::from_utf8(STANDARD.decode(secret).ok()?).ok()?;
                text.split_once(':').map(|(_, password)| password.to_owned())
            };
            let is_basic = scheme.eq_ignore_ascii_case("basic");
            let key = is_basic.then(password).flatten().unwrap_or_else(|| secret.to_owned());
            let digest = Sha256::digest(key);
            let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            return Some(format!("sha256:{digits}"));
        }
        None => parts.uri.query()?.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Credential="))?,
    };
    let key = credential.split(['/', ',', ' ', '%']).next()?;
    (!key.is_empty()).then(|| short(key).to_owned())
}

/// The beginning of a text that a client chose.
fn short(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_named_and_not_shown() {
        let key = |uri: &str, header: Option<&str>| {
            let mut request = hyper::Request::builder().uri(uri);
            if let Some(header) = header {
                request = request.header("authorization", header);
            }
            key_of(&request.body(()).expect("a request").into_parts().0)
        };
        for (uri, header, expected) in [
            ("/", None, None),
            ("/", Some("AWS4-HMAC-SHA256 Credential=AKIA/2026/x/dynamodb/aws4_request, S"), Some("AKIA")),
            ("/?X-Amz-Credential=ASIA%2F20261117%2Fx&X-Amz-Date=1", None, Some("ASIA")),
            ("/", Some("Bearer hunter2"), Some("sha256:f52fbd32b2b3b86f")),
            ("/", Some("Basic YW5uOmh1bnRlcjI="), Some("sha256:f52fbd32b2b3b86f")),
            ("/", Some("basic not-base64"), Some("sha256:e718d6281d6148c1")),
            ("/", Some("garbage"), None),
            ("/", Some("AWS4-HMAC-SHA256 Credential="), None),
        ] {
            assert_eq!(key(uri, header).as_deref(), expected, "{uri} {header:?}");
        }
        assert_eq!(short(&"ü".repeat(200)).len(), MAX_TEXT_BYTES);
    }
}
