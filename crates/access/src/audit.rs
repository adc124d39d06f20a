//! The audit log: who asked for what, from where, and what was decided, as lines that cannot be changed unnoticed.
//!
//! Each line is a JSON object with a number, the hash of the line before and its own hash, so that a line which was edited,
//! removed, inserted or moved breaks the chain. The file `LOG.head` names the last line that is known to be on the device, so
//! that lines missing at the end are noticed as well. A log that grows beyond its size is renamed to `LOG.<number of its first
//! line>`, and the chain goes on in a new file.
//!
//! ```text
//! {"seq":7,"time":"2026-11-17T05:12:03.123Z","request":"UM8O...","from":"127.0.0.1","who":"arn:aws:iam::000000000000:user/ann",
//!  "key":"AKIA...","operation":"GetItem","resources":["arn:aws:dynamodb:..."],"decision":"allowed","why":"...",
//!  "prev":"<hash of line 6>","hash":"<SHA-256 of this line without its hash>"}
//! ```
//!
//! A line is handed to the operating system before its request is carried out, so that it survives a crash of the process. The
//! device is synced once a second, at rotation and at the end: a power failure can lose the lines of one second.
//!
//! Values, keys of items and query strings are never recorded. The chain has no key: who can write to the log *and* to its
//! head can write another history. [`Checked::last`] is what to note elsewhere against that.

mod line;
mod log;
mod verify;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use self::line::Line;
pub use self::log::AuditLog;
pub use self::verify::{Checked, files_of, verify};

/// One event of the audit log: a request and the decision on it.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The id that the answer carries.
    pub request: &'a str,
    /// The client's address; none for actions of the server itself.
    pub from: Option<IpAddr>,
    /// The ARN of the identity, if there is a verified one.
    pub who: Option<&'a str>,
    /// The access key that is named, whether its signature was verified or not.
    pub key: Option<&'a str>,
    /// The operation, or method and path.
    pub operation: &'a str,
    /// The ARNs of the resources that the request names.
    pub resources: &'a [&'a str],
    /// The decision.
    pub decision: Decided,
    /// The statement or rule that decided.
    pub why: &'a str,
}

/// The decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// The request is carried out.
    Allowed,
    /// The request is handed on to a design, which decides. If it refuses, a line of the same request follows.
    Passed,
    /// The caller is authenticated, but not authorised.
    Denied,
    /// The caller could not be authenticated.
    Rejected,
    /// Not a request: an event of the log or the server itself.
    Noted,
}

impl Decided {
    fn as_str(self) -> &'static str {
        match self {
            Decided::Allowed => "allowed",
            Decided::Passed => "passed",
            Decided::Denied => "denied",
            Decided::Rejected => "rejected",
            Decided::Noted => "noted",
        }
    }
}

/// A place in the chain: the number of a line and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number; 0 is before the first line.
    pub seq: u64,
    /// 64 hexadecimal digits.
    pub hash: String,
}

impl Anchor {
    /// The start of every chain.
    pub fn beginning() -> Anchor {
        Anchor { seq: 0, hash: "0".repeat(64) }
    }

    /// Reads what [`Anchor`] prints: `17:2f6a...`.
    pub fn parse(text: &str) -> Option<Anchor> {
        let (seq, hash) = text.trim().split_once(':')?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then_some(Anchor { seq: seq.parse().ok()?, hash: hash.to_owned() })
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

/// An audit log that cannot be written, or that is not what was written.
#[derive(Debug, Error)]
pub enum AuditError {
    /// It cannot be read or written.
    #[error("the audit log {path}: {source}", path = .0.display(), source = .1)]
    File(PathBuf, std::io::Error),
    /// Another process writes it.
    #[error("the audit log {path} is written by another process", path = .0.display())]
    InUse(PathBuf),
    /// It was changed.
    #[error("the audit log {path} was changed: {what}", path = .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The inconsistency.
        what: String,
    },
}

/// The file that names the last line on the device.
fn head_path(log: &Path) -> PathBuf {
    suffixed(log, ".head")
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn read_head(log: &Path) -> Result<Option<Anchor>, AuditError> {
    let path = head_path(log);
    match std::fs::read_to_string(&path) {
        Ok(text) => match Anchor::parse(&text) {
            Some(anchor) => Ok(Some(anchor)),
            None => Err(AuditError::Changed { path, what: "it does not name a line".to_owned() }),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AuditError::File(path, error)),
    }
}
