//! Standard Webhooks, and Svix, where they come from: three headers, `v1,BASE64` and `v1a,BASE64` separated by spaces.

use super::key::{StandardKey, is_signed_by};
use super::{
    DeliveryId, IdSource, Incoming, SignatureError, TOLERANCE_SECONDS, delivery, malformed, only, timestamp,
};
use crate::Headers;
use crate::encoding::Encoding;
use crate::hmac::{self, Algorithm};

/// The names of the three headers.
struct Names {
    id: &'static str,
    timestamp: &'static str,
    signature: &'static str,
}

const STANDARD: Names =
    Names { id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature" };
const SVIX: Names = Names { id: "svix-id", timestamp: "svix-timestamp", signature: "svix-signature" };

/// How many signatures are compared at most.
const MAX_SIGNATURES: usize = 32;

/// The names that a request uses. One with both is read by the standard's, never by a mixture.
fn names(headers: Headers<'_>) -> &'static Names {
    let standard = [STANDARD.id, STANDARD.timestamp, STANDARD.signature];
    let is_there = |name: &str| headers.all(name).next().is_some();
    if !standard.into_iter().any(is_there) && is_there(SVIX.signature) { &SVIX } else { &STANDARD }
}

pub(super) fn delivery_id(incoming: &Incoming<'_>) -> Option<DeliveryId> {
    let header = names(incoming.headers).id.to_owned();
    delivery::find(&IdSource::Headers(vec![header]), incoming, true)
}

pub(super) fn verify(keys: &[StandardKey], incoming: &Incoming<'_>) -> Result<(), SignatureError> {
    let names = names(incoming.headers);
    let id = only(incoming.headers, names.id)?;
    let time = only(incoming.headers, names.timestamp)?;
    let signatures = read(names.signature, only(incoming.headers, names.signature)?)?;
    let seconds = timestamp::seconds(time).ok_or_else(|| malformed(names.timestamp, "seconds since 1970"))?;
    let pieces = [id.as_bytes(), b".", time.as_bytes(), b".", incoming.body];
    if !keys.iter().fold(false, |found, key| found | key.matches(&pieces, &signatures)) {
        return Err(SignatureError::Mismatch);
    }
    timestamp::check(seconds, incoming.now_seconds, TOLERANCE_SECONDS)
}

/// The content of a header, by kind.
struct Signatures {
    v1: Vec<Vec<u8>>,
    v1a: Vec<Vec<u8>>,
}

fn read(name: &str, header: &str) -> Result<Signatures, SignatureError> {
    let wrong = || malformed(name, "v1,BASE64");
    let mut signatures = Signatures { v1: Vec::new(), v1a: Vec::new() };
    for signature in header.split_ascii_whitespace() {
        let (version, text) = signature.split_once(',').ok_or_else(wrong)?;
        let list = match version {
            "v1" => &mut signatures.v1,
            "v1a" => &mut signatures.v1a,
            // A later version, which a provider sends beside the ones that are understood.
            _ => continue,
        };
        list.push(Encoding::Base64.decode(text).ok_or_else(wrong)?);
    }
    let count = signatures.v1.len() + signatures.v1a.len();
    if (1..=MAX_SIGNATURES).contains(&count) { Ok(signatures) } else { Err(wrong()) }
}

impl StandardKey {
    fn matches(&self, pieces: &[&[u8]], signatures: &Signatures) -> bool {
        match self {
            StandardKey::Hmac(secret) => {
                let expected = hmac::sign(Algorithm::Sha256, secret, pieces);
                signatures.v1.iter().fold(false, |found, given| found | hmac::is_equal(&expected, given))
            }
            StandardKey::Ed25519(key) => signatures.v1a.iter().any(|given| is_signed_by(key, pieces, given)),
        }
    }
}
