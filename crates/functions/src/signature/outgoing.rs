//! Outgoing webhooks, signed as Standard Webhooks asks for.

use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey};
use thiserror::Error;

use super::key::{MAX_SECRETS, shared_secret};
use crate::encoding::Encoding;
use crate::hmac::{self, Algorithm};

/// A secret that signs.
#[derive(Clone)]
pub struct OutgoingSecret(Secret);

#[derive(Clone)]
enum Secret {
    Hmac(Vec<u8>),
    Ed25519(Box<SigningKey>),
}

/// The three headers of a signed webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingHeaders {
    /// `webhook-id`: the same in every attempt to deliver.
    pub id: String,
    /// `webhook-timestamp`: the time of this attempt.
    pub timestamp: String,
    /// `webhook-signature`: one signature for each secret.
    pub signature: String,
}

/// Why a webhook cannot be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutgoingError {
    /// A secret is not of its form.
    #[error(
        "a signing secret is `whsec_` and base64 of the secret, or `whsk_` and base64 of a private Ed25519 key"
    )]
    Secret,
    /// There is no secret, or there are too many.
    #[error("a webhook is signed with 1 to {MAX_SECRETS} secrets")]
    SecretCount,
    /// The id could be mistaken for an id and a time, since both are separated by a full stop; or it is not a header value.
    #[error("a webhook's id has 1 to 256 visible characters of ASCII and no full stop")]
    Id,
    /// The time is before 1970.
    #[error("a webhook is signed with a time after 1970")]
    Time,
}

impl OutgoingSecret {
    /// Reads `whsec_` and base64 of a shared secret, or `whsk_` and base64 of a private Ed25519 key: 32 bytes, or 64 with the public half.
    pub fn parse(text: &str) -> Result<OutgoingSecret, OutgoingError> {
        let secret = match text.strip_prefix("whsk_") {
            Some(private) => private_key(private).map(|key| Secret::Ed25519(Box::new(key))),
            None => shared_secret(text).map(Secret::Hmac),
        };
        secret.map(OutgoingSecret).ok_or(OutgoingError::Secret)
    }

    /// The text that receivers verify with: `whsec_` again, or `whpk_` and the public key.
    pub fn verifying_text(&self) -> String {
        match &self.0 {
            Secret::Hmac(secret) => format!("whsec_{}", Encoding::Base64.encode(secret)),
            Secret::Ed25519(key) => {
                format!("whpk_{}", Encoding::Base64.encode(key.verifying_key().as_bytes()))
            }
        }
    }

    fn sign(&self, pieces: &[&[u8]]) -> String {
        match &self.0 {
            Secret::Hmac(secret) => {
                format!("v1,{}", Encoding::Base64.encode(&hmac::sign(Algorithm::Sha256, secret, pieces)))
            }
            Secret::Ed25519(key) => {
                format!("v1a,{}", Encoding::Base64.encode(&key.sign(&pieces.concat()).to_bytes()))
            }
        }
    }
}

impl fmt::Debug for OutgoingSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OutgoingSecret(..)")
    }
}

/// The headers of a webhook. Several secrets sign at once, so that a receiver can replace the old one whenever it likes.
pub fn sign_outgoing(
    id: &str,
    now_seconds: i64,
    body: &[u8],
    secrets: &[OutgoingSecret],
) -> Result<OutgoingHeaders, OutgoingError> {
    if !(1..=MAX_SECRETS).contains(&secrets.len()) {
        return Err(OutgoingError::SecretCount);
    }
    let usable = |byte: u8| byte.is_ascii_graphic() && byte != b'.';
    if !(1..=256).contains(&id.len()) || !id.bytes().all(usable) {
        return Err(OutgoingError::Id);
    }
    if now_seconds < 0 {
        return Err(OutgoingError::Time);
    }
    let timestamp = now_seconds.to_string();
    let pieces = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(&pieces)).collect();
    Ok(OutgoingHeaders { id: id.to_owned(), signature: signatures.join(" "), timestamp })
}

fn private_key(text: &str) -> Option<SigningKey> {
    let bytes = Encoding::Base64.decode(text)?;
    match bytes.len() {
        32 => Some(SigningKey::from_bytes(bytes.as_slice().try_into().ok()?)),
        // The public half must belong to the private one.
        64 => SigningKey::from_keypair_bytes(bytes.as_slice().try_into().ok()?).ok(),
        _ => None,
    }
}
