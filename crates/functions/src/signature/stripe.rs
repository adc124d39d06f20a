//! `Stripe-Signature: t=1492774577,v1=5257a8…,v1=…,v0=…`
//!
//! There are several `v1` while a secret is rotated. Other versions are ignored, since an attacker could otherwise choose a weaker one.

use super::{Incoming, SignatureError, TOLERANCE_SECONDS, malformed, only, timestamp};
use crate::encoding::Encoding;
use crate::hmac::{self, Algorithm};
use crate::pointer::Pointer;

const HEADER: &str = "Stripe-Signature";
const EXPECTED: &str = "t=SECONDS,v1=HEX";

/// How many signatures are compared at most. Stripe sends one for each secret that is valid.
const MAX_SIGNATURES: usize = 16;

/// The place of the event's id, which is the same in every attempt to deliver it.
pub(super) fn event_id() -> Pointer {
    Pointer::from_names(["id"])
}

pub(super) fn verify(secrets: &[Vec<u8>], incoming: &Incoming<'_>) -> Result<(), SignatureError> {
    let Fields { time, seconds, signatures } = read(only(incoming.headers, HEADER)?)?;
    let pieces = [time.as_bytes(), b".", incoming.body];
    let mut found = false;
    for secret in secrets {
        let expected = hmac::sign(Algorithm::Sha256, secret, &pieces);
        for signature in &signatures {
            found |= hmac::is_equal(&expected, signature);
        }
    }
    if !found {
        return Err(SignatureError::Mismatch);
    }
    timestamp::check(seconds, incoming.now_seconds, TOLERANCE_SECONDS)
}

struct Fields<'a> {
    /// The time as it was written, which is what is signed.
    time: &'a str,
    seconds: i64,
    signatures: Vec<Vec<u8>>,
}

fn read(header: &str) -> Result<Fields<'_>, SignatureError> {
    let wrong = || malformed(HEADER, EXPECTED);
    let (mut time, mut signatures) = (None, Vec::new());
    for field in header.split(',') {
        let (name, value) = field.trim().split_once('=').ok_or_else(wrong)?;
        match name {
            "t" if time.is_some() => return Err(wrong()),
            "t" => time = Some(value),
            "v1" if signatures.len() == MAX_SIGNATURES => return Err(wrong()),
            "v1" => signatures.push(Encoding::Hex.decode(value).ok_or_else(wrong)?),
            _ => {}
        }
    }
    let time = time.ok_or_else(wrong)?;
    let seconds = timestamp::seconds(time).ok_or_else(wrong)?;
    if signatures.is_empty() {
        return Err(wrong());
    }
    Ok(Fields { time, seconds, signatures })
}
