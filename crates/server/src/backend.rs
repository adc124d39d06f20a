//! The seam between the wire and a database: what the server needs of whatever answers its requests.
//!
//! The server knows HTTP and nothing of what an operation does; a [`Backend`] knows the operations and
//! nothing of HTTP. A call hands over the body as it came and takes the answer's JSON as it goes.

use std::future::Future;
use std::sync::Arc;

use hyper::body::Bytes;
use serde::{Deserialize, Serialize};
use sortkey_api::{ApiError, OperationId};

/// A database that answers DynamoDB's API.
pub trait Backend: Send + Sync + 'static {
    /// Runs one operation. The future is usually complete at once; a write may wait for its commit,
    /// and must do so without blocking the thread.
    fn call(&self, call: Call) -> impl Future<Output = Reply> + Send;

    /// Whether requests can be answered now; `/ready` tells a load balancer.
    fn readiness(&self) -> Readiness;

    /// What an operator should know although requests are answered; `/ready` shows it.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// The partition key attribute of a table or of one of its indexes, for policies about keys.
    fn partition_key(&self, fork: Option<&ForkName>, table: &str, index: Option<&str>) -> Option<String> {
        let _ = (fork, table, index);
        None
    }

    /// The policy of a table or of one of its streams.
    fn resource_policy(
        &self,
        fork: Option<&ForkName>,
        table: &str,
        stream: Option<&str>,
    ) -> Option<ResourcePolicy> {
        let _ = (fork, table, stream);
        None
    }

    /// The table and the label of the stream that a shard iterator reads.
    fn iterator_stream(&self, fork: Option<&ForkName>, iterator: &str) -> Option<(String, String)> {
        let _ = (fork, iterator);
        None
    }

    /// What continuous backups keep of every table that has them.
    fn histories(&self) -> Vec<History> {
        Vec::new()
    }
}

/// The policy of a table or stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcePolicy {
    /// The document.
    pub document: String,
    /// Changes with the document; no two policies have the same.
    pub revision: String,
}

/// One request that passed every check of the wire.
#[derive(Debug)]
pub struct Call {
    /// What to do.
    pub operation: OperationId,
    /// The JSON body, decompressed and never empty, not yet known to be JSON.
    pub body: Bytes,
    /// The fork of the database that the request addresses; the main database if none.
    pub fork: Option<ForkName>,
}

/// What goes back to the client, and what metrics remember of it.
#[derive(Debug)]
pub struct Reply {
    /// The answer's JSON, or the error.
    pub result: Result<Vec<u8>, ApiError>,
    /// The table the request concerned, if it concerned exactly one that exists. It becomes a metrics
    /// label, so a name that a client made up does not belong here.
    pub table: Option<Arc<str>>,
}

/// What continuous backups keep of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The table.
    pub table: String,
    /// How many changes.
    pub changes: u64,
    /// The space that they take, before compression.
    pub bytes: u64,
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
