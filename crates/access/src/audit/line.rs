//! One line: written, and read back with its hash.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Anchor, Event};
use crate::hex;
use crate::sigv4::Timestamp;

/// The length of the end of a line: `,"hash":"..."}`.
const HASH_BYTES: usize = r#","hash":""#.len() + 64 + r#""}"#.len();

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Counts up by one.
    pub seq: u64,
    /// When it was written.
    pub time: String,
    /// The id of the request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// The address of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The ARN of the identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// The access key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The operation.
    pub operation: String,
    /// The ARNs of the resources that the request names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The decision.
    pub decision: String,
    /// The statement or rule that decided.
    pub why: String,
    /// The hash of the line before.
    pub prev: String,
}

/// The fields of a line that is written, borrowed.
#[derive(Serialize)]
struct Fields<'a> {
    seq: u64,
    time: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    request: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<std::net::IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    operation: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    resources: &'a [&'a str],
    decision: &'static str,
    why: &'a str,
    prev: &'a str,
}

/// Appends the line to the chain; returns the new end of the chain.
pub(super) fn append(text: &mut Vec<u8>, event: &Event<'_>, after: &Anchor, now_ms: u64) -> Anchor {
    let seq = after.seq + 1;
    let fields = Fields {
        seq,
        time: &time(now_ms),
        request: event.request,
        from: event.from,
        who: event.who,
        key: event.key,
        operation: event.operation,
        resources: event.resources,
        decision: event.decision.as_str(),
        why: event.why,
        prev: &after.hash,
    };
    let begin = text.len();
    // Writing text to a vector cannot fail.
    let _ = serde_json::to_writer(&mut *text, &fields);
    let hash = hash_of(&text[begin..]);
    text.pop();
    text.extend_from_slice(br#","hash":""#);
    text.extend_from_slice(hash.as_bytes());
    text.extend_from_slice(b"\"}\n");
    Anchor { seq, hash }
}

/// Reads a line, without its end; an error describes the mistake.
pub(super) fn read(text: &[u8]) -> Result<(Line, Anchor), &'static str> {
    let split = text.len().checked_sub(HASH_BYTES).ok_or("it is too short for a line")?;
    let (fields, rest) = text.split_at(split);
    let hash = rest.strip_prefix(br#","hash":""#).and_then(|rest| rest.strip_suffix(br#""}"#));
    let hash = hash.and_then(|hash| std::str::from_utf8(hash).ok()).ok_or("it does not end with its hash")?;
    if hash_of(&[fields, b"}"].concat()) != hash {
        return Err("its hash is not that of its content");
    }
    let line: Line =
        serde_json::from_slice(&[fields, b"}"].concat()).map_err(|_| "it is not what we write")?;
    let anchor = Anchor { seq: line.seq, hash: hash.to_owned() };
    Ok((line, anchor))
}

fn hash_of(bytes: &[u8]) -> String {
    let mut digits = Vec::with_capacity(64);
    hex::append(&Sha256::digest(bytes).into(), &mut digits);
    String::from_utf8(digits).unwrap_or_default()
}

/// `2026-11-17T01:38:52.123Z`.
fn time(now_ms: u64) -> String {
    let seconds = i64::try_from(now_ms / 1000).unwrap_or(i64::MAX);
    let date = Timestamp { seconds }.extended();
    format!("{}.{:03}Z", date.trim_end_matches('Z'), now_ms % 1000)
}
