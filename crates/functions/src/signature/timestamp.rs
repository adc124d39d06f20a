//! The signed time of a webhook.

use super::SignatureError;

/// A header with the time at which a webhook was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampHeader {
    /// The header's name. Its value is in seconds since 1970.
    pub header: String,
    /// How long ago and how far ahead the time may be.
    pub tolerance_seconds: u32,
}

/// The seconds of a text that has digits only, and few enough for any year to come.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let plain = (1..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// Whether a time is near enough to now. The bounds themselves are accepted.
pub(super) fn check(signed: i64, now: i64, tolerance_seconds: u32) -> Result<(), SignatureError> {
    let distance = now.abs_diff(signed);
    if distance <= u64::from(tolerance_seconds) {
        return Ok(());
    }
    Err(if signed < now {
        SignatureError::Expired { age_seconds: distance, tolerance_seconds }
    } else {
        SignatureError::Early { ahead_seconds: distance, tolerance_seconds }
    })
}
