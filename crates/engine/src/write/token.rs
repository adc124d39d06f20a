//! Idempotency tokens: a transaction that comes again within ten minutes happens once.
//!
//! ```text
//! value = expires:u64 (milliseconds)  fingerprint:16 bytes
//! ```

use sortkey_api::ApiError;
use sortkey_storage::{Batch, Key, Published, Value};
use xxhash_rust::xxh3::xxh3_128;

use crate::layout;
use crate::reply::storage_failure;

/// How long a token is remembered.
const LIFE_MS: u64 = 10 * 60 * 1000;

/// A request that is to happen once.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    text: String,
    /// Distinguishes requests with the same token.
    fingerprint: u128,
}

impl Token {
    /// The token of a request with these contents.
    pub(crate) fn new(text: &str, contents: &[u8]) -> Token {
        Token { text: text.to_owned(), fingerprint: xxh3_128(contents) }
    }

    pub(crate) fn key(&self) -> Key {
        layout::token(&self.text)
    }

    /// Whether the request has happened already.
    pub(crate) fn is_used(&self, view: &Published, now_ms: u64) -> Result<bool, ApiError> {
        let value = view.snapshot.get(&self.key()).map_err(|error| storage_failure(&error))?;
        let Some((expires_ms, fingerprint)) = value.as_deref().and_then(decode) else { return Ok(false) };
        if expires_ms <= now_ms {
            return Ok(false);
        }
        if fingerprint == self.fingerprint {
            Ok(true)
        } else {
            Err(ApiError::idempotent_parameter_mismatch())
        }
    }

    /// Remembers the token together with what it did.
    pub(crate) fn record(&self, batch: &mut Batch, now_ms: u64) {
        let expires_ms = now_ms + LIFE_MS;
        let value = [expires_ms.to_be_bytes().as_slice(), &self.fingerprint.to_be_bytes()].concat();
        batch.put(self.key(), value.into());
        batch.put(layout::token_expiry(expires_ms, &self.text), Value::from([]));
    }
}

/// Whether a remembered token is to be forgotten by this entry of the expiry index.
pub(crate) fn expires_with(value: &[u8], expiry_key: &[u8]) -> bool {
    decode(value).is_some_and(|(expires_ms, _)| expiry_key.get(1..9) == Some(&expires_ms.to_be_bytes()))
}

/// The key of a token's entry in the expiry index, given its stored form.
pub(crate) fn expiry_key(token_key: &[u8], value: &[u8]) -> Option<Key> {
    let text = std::str::from_utf8(token_key.get(1..)?).ok()?;
    Some(layout::token_expiry(decode(value)?.0, text))
}

fn decode(value: &[u8]) -> Option<(u64, u128)> {
    let (expires, fingerprint) = value.split_first_chunk::<8>()?;
    Some((u64::from_be_bytes(*expires), u128::from_be_bytes(fingerprint.try_into().ok()?)))
}
