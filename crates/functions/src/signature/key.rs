//! Secrets as the schemes write them.

use ed25519_dalek::{Signature, VerifyingKey};

use super::{Method, SchemeError};
use crate::encoding::Encoding;
use crate::hmac;

/// How many secrets a verifier has at most. A rotation needs two.
pub(super) const MAX_SECRETS: usize = 16;

/// Secrets whose characters are the key.
pub(super) fn raw(secrets: &[&str]) -> Result<Vec<Vec<u8>>, SchemeError> {
    each(secrets, "a text that is not empty", |secret| {
        // An empty key, which is usually a forgotten setting, would let anybody sign.
        (!secret.trim().is_empty()).then(|| secret.as_bytes().to_vec())
    })
}

/// A key of Standard Webhooks.
pub(super) enum StandardKey {
    /// `whsec_`.
    Hmac(Vec<u8>),
    /// `whpk_`.
    Ed25519(Box<VerifyingKey>),
}

/// `whsec_` and base64, base64 alone, or `whpk_` and base64 of a public key.
pub(super) fn standard(secrets: &[&str]) -> Result<Vec<StandardKey>, SchemeError> {
    const EXPECTED: &str = "`whsec_` and base64 of the secret, or `whpk_` and base64 of a public Ed25519 key";
    each(secrets, EXPECTED, |secret| match secret.strip_prefix("whpk_") {
        Some(public) => Encoding::Base64
            .decode(public)
            .and_then(|bytes| public_key(&bytes))
            .map(|key| StandardKey::Ed25519(Box::new(key))),
        None => shared_secret(secret).map(StandardKey::Hmac),
    })
}

/// The key of `whsec_` and base64, or of base64 alone.
pub(super) fn shared_secret(secret: &str) -> Option<Vec<u8>> {
    let key = Encoding::Base64.decode(secret.strip_prefix("whsec_").unwrap_or(secret))?;
    (!key.is_empty()).then_some(key)
}

/// The keys of a custom scheme.
pub(super) enum VerifyingKeys {
    Hmac(hmac::Algorithm, Vec<Vec<u8>>),
    Ed25519(Vec<VerifyingKey>),
}

impl VerifyingKeys {
    pub(super) fn new(method: Method, secrets: &[&str]) -> Result<VerifyingKeys, SchemeError> {
        match method {
            Method::Hmac(algorithm) => Ok(VerifyingKeys::Hmac(algorithm, raw(secrets)?)),
            Method::Ed25519 => {
                const EXPECTED: &str = "a public Ed25519 key of 32 bytes, in hexadecimal or base64";
                let keys = each(secrets, EXPECTED, |secret| {
                    let encoding = if secret.len() == 64 { Encoding::Hex } else { Encoding::Base64 };
                    public_key(&encoding.decode(secret)?)
                });
                keys.map(VerifyingKeys::Ed25519)
            }
        }
    }

    /// Whether a signature of the pieces was made with one of the keys.
    pub(super) fn verify(&self, pieces: &[&[u8]], signature: &[u8]) -> bool {
        match self {
            VerifyingKeys::Hmac(algorithm, keys) => {
                // Every key is tried, so that the time does not reveal which one matched.
                let try_key = |found, key: &Vec<u8>| found | hmac::verify(*algorithm, key, pieces, signature);
                keys.iter().fold(false, try_key)
            }
            VerifyingKeys::Ed25519(keys) => keys.iter().any(|key| is_signed_by(key, pieces, signature)),
        }
    }
}

/// Whether a signature of the pieces was made with the private half of a key.
pub(super) fn is_signed_by(key: &VerifyingKey, pieces: &[&[u8]], signature: &[u8]) -> bool {
    let Ok(signature) = Signature::from_slice(signature) else { return false };
    key.verify_strict(&pieces.concat(), &signature).is_ok()
}

/// A public key. Weak ones, for which signatures can be made without a private key, are none.
fn public_key(bytes: &[u8]) -> Option<VerifyingKey> {
    let key = VerifyingKey::from_bytes(bytes.try_into().ok()?).ok()?;
    (!key.is_weak()).then_some(key)
}

fn each<K>(
    secrets: &[&str],
    expected: &'static str,
    read: impl Fn(&str) -> Option<K>,
) -> Result<Vec<K>, SchemeError> {
    let numbered = secrets.iter().enumerate();
    numbered
        .map(|(at, secret)| read(secret).ok_or(SchemeError::Secret { number: at + 1, expected }))
        .collect()
}
