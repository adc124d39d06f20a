//! The interface between the wire and a database.
//!
//! The server implements HTTP and is independent of the operations; a [`Backend`] implements the operations
//! and is independent of HTTP. A call passes on the request body unparsed, and returns the JSON of the answer
//! ready to send.

use std::future::Future;

use hyper::body::Bytes;
use serde::{Deserialize, Serialize};
use sortkey_api::OperationId;
use sortkey_engine::{History, JsonReply};

/// A database that answers DynamoDB's API.
pub trait Backend: Send + Sync + 'static {
    /// Runs one operation. The future is usually complete at once; a write may wait for its commit,
    /// and must do so without blocking the thread.
    fn call(&self, call: Call) -> impl Future<Output = JsonReply> + Send;

    /// Whether requests can be answered now; `/ready` shows it to load balancers.
    fn readiness(&self) -> Readiness;

    /// Conditions that do not stop requests but need an operator's attention; `/ready` shows them.
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

    /// The size of the history that continuous backups keep, for every table that has them.
    fn histories(&self) -> Vec<History> {
        Vec::new()
    }
}

/// The policy of a table or stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcePolicy {
    /// The document.
    pub document: String,
    /// Changes with the document. Policies of different tables may have the same one.
    pub revision: String,
}

/// One request that passed every check of the wire.
#[derive(Debug)]
pub struct Call {
    /// The operation to run.
    pub operation: OperationId,
    /// The JSON body, decompressed and never empty, not yet known to be JSON.
    pub body: Bytes,
    /// The fork of the database that the request addresses; the main database if none.
    pub fork: Option<ForkName>,
}

/// Whether a backend can serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Requests will be answered.
    Ready,
    /// Requests would fail, for this reason.
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
