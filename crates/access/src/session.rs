//! Temporary credentials: what `AssumeRole` gives out, sealed into a token that only this server can open.
//!
//! Nothing is stored: the token contains everything, and survives a restart. It is worthless once it has expired, once its
//! role is gone, or once the session key was replaced.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::keyring::{KeyringError, random};

const NONCE_BYTES: usize = 12;
const PLACE: &[u8] = b"sortkey session 1";

/// The longest token that is looked at.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// A session of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) access_key: String,
    pub(crate) secret: String,
    pub(crate) role: String,
    /// The role's own id: another role may have the name later.
    #[serde(default)]
    pub(crate) role_id: String,
    pub(crate) name: String,
    pub(crate) issued_seconds: i64,
    pub(crate) expires_seconds: i64,
    /// A policy document that the session is limited to.
    pub(crate) policy: Option<String>,
}

impl Session {
    pub(crate) fn seal(&self, key: &[u8; 32]) -> Result<String, KeyringError> {
        let content = |error: serde_json::Error| KeyringError::Content(error.to_string());
        let nonce: [u8; NONCE_BYTES] = random()?;
        let plain = serde_json::to_vec(self).map_err(content)?;
        let encrypted = Aes256Gcm::new(key.into())
            .encrypt(Nonce::from_slice(&nonce), Payload { msg: &plain, aad: PLACE })
            .map_err(|_| KeyringError::Content("a session is too long".to_owned()))?;
        Ok(STANDARD.encode([&nonce[..], &encrypted].concat()))
    }

    /// The session of a token; none if it was not made with this key.
    pub(crate) fn open(token: &str, key: &[u8; 32]) -> Option<Session> {
        if token.len() > MAX_TOKEN_BYTES {
            return None;
        }
        let bytes = STANDARD.decode(token).ok()?;
        let (nonce, encrypted) = bytes.split_at_checked(NONCE_BYTES)?;
        let payload = Payload { msg: encrypted, aad: PLACE };
        let plain = Aes256Gcm::new(key.into()).decrypt(Nonce::from_slice(nonce), payload).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

/// Whether a session token was made with a key.
pub fn is_session_token(token: &str, key: &[u8; 32]) -> bool {
    Session::open(token, key).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_open_with_their_key_only() {
        let session = Session {
            access_key: "ASIAEXAMPLE".to_owned(),
            secret: "secret".to_owned(),
            role: "reader".to_owned(),
            role_id: "AROA1".to_owned(),
            name: "ann".to_owned(),
            issued_seconds: 1,
            expires_seconds: 2,
            policy: None,
        };
        let token = session.seal(&[7; 32]).expect("sealed");
        assert_eq!(Session::open(&token, &[7; 32]).as_ref(), Some(&session));
        assert!(is_session_token(&token, &[7; 32]));
        assert!(!is_session_token(&token, &[8; 32]));
        let bytes = STANDARD.decode(&token).expect("Base64");
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(!is_session_token(&STANDARD.encode(flipped), &[7; 32]), "byte {at}");
        }
        assert!(!is_session_token(&"A".repeat(MAX_TOKEN_BYTES + 4), &[7; 32]));
    }
}
