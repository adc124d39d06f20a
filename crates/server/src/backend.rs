//! The seam between the wire and a database: what the server needs of whatever answers its requests.
//!
//! The server knows HTTP and nothing of DynamoDB's operations but their names; a [`Backend`] knows the
//! operations and nothing of HTTP. A call hands over the body as it came and takes the reply as it goes.

use std::future::Future;
use std::sync::Arc;

use hyper::body::Bytes;
use serde::{Deserialize, Serialize};

/// A database that answers DynamoDB's API.
pub trait Backend: Send + Sync + 'static {
    /// Every operation this backend has. The position in this slice is the operation's identity: a
    /// [`Call`] names it, and metrics are kept by it. The slice must be the same at every call.
    fn operations(&self) -> &[Operation];

    /// Runs one operation. The future is usually complete at once; a write may wait for its commit,
    /// and must do so without blocking the thread.
    fn call(&self, call: Call) -> impl Future<Output = Reply> + Send;

    /// Whether requests can be answered now; `/ready` tells a load balancer.
    fn readiness(&self) -> Readiness;
}

/// One of the two APIs that share the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Tables and items.
    DynamoDb,
    /// The change streams of tables.
    DynamoDbStreams,
}

impl Service {
    /// What stands before the dot in an `X-Amz-Target` header.
    pub const fn target_prefix(self) -> &'static str {
        match self {
            Service::DynamoDb => "DynamoDB_20120810",
            Service::DynamoDbStreams => "DynamoDBStreams_20120810",
        }
    }
}

/// An operation by its service and bare name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The API it belongs to.
    pub service: Service,
    /// Its bare name, such as `PutItem`.
    pub name: &'static str,
}

/// One request that passed every check of the wire.
#[derive(Debug)]
pub struct Call {
    /// Position of the operation in [`Backend::operations`].
    pub operation: usize,
    /// The JSON body, decompressed and never empty, not yet known to be JSON.
    pub body: Bytes,
    /// The fork of the database that the request addresses; the main database if none.
    pub fork: Option<ForkName>,
}

/// What goes back to the client, and what metrics remember of it.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: Vec<u8>,
    /// The table the request concerned, if it concerned exactly one that exists. It becomes a metrics
    /// label, so a name that a client made up does not belong here.
    pub table: Option<Arc<str>>,
    /// The bare name of the exception, such as `ConditionalCheckFailedException`; none on success.
    pub error: Option<&'static str>,
}

/// Whether a backend can serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Requests will be answered.
    Ready,
    /// Requests would fail; the text says why.
    NotReady(String),
}

/// The name of a fork of the database, as the header `x-sortkey-fork` carries it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ForkName(Box<str>);

impl ForkName {
    /// Longest name, in bytes.
    pub const MAX_LENGTH: usize = 128;

    /// A name of 1 to 128 letters, digits, `_`, `-` or `.`; none for any other text.
    pub fn parse(text: &str) -> Option<ForkName> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let fits = (1..=Self::MAX_LENGTH).contains(&text.len()) && text.bytes().all(allowed);
        fits.then(|| ForkName(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ForkName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<ForkName, Self::Error> {
        ForkName::parse(&text).ok_or("a fork's name is 1 to 128 letters, digits, '_', '-' or '.'")
    }
}

impl std::fmt::Display for ForkName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fork_names_are_short_and_plain() {
        let longest = "x".repeat(ForkName::MAX_LENGTH);
        for (text, valid) in [
            ("test-1", true),
            ("A.b_c", true),
            (longest.as_str(), true),
            ("", false),
            ("with space", false),
            ("slash/ed", false),
            ("ünïcode", false),
            (&"x".repeat(ForkName::MAX_LENGTH + 1), false),
        ] {
            assert_eq!(ForkName::parse(text).is_some(), valid, "{text:?}");
        }
    }
}
