//! The key that a store's values and backups are encrypted with, and the ciphers derived from it.
//!
//! A store has one data key. It is kept with the store in *sealed* form, which only the owner of a keyring elsewhere
//! can open; sealing itself is outside this crate. Values and backups are never encrypted with the data key itself:
//! each session of a store and each backup derives a key of its own (HKDF-SHA-256), so that a counter is enough for the
//! nonces of AES-256-GCM and no nonce is ever used twice under one key, whatever is restored, rolled back or opened
//! again.

use std::fmt;
use std::sync::Arc;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, MAX_TAG_LEN, NONCE_LEN, Nonce, Tag, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom, SystemRandom};

use crate::StorageError;

/// Length of the authentication tag that encryption appends.
pub const TAG_BYTES: usize = MAX_TAG_LEN;

/// The key of a store, open and sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct DataKey {
    secret: [u8; 32],
    sealed: Arc<str>,
}

impl DataKey {
    /// A key with its sealed form.
    pub fn new(secret: [u8; 32], sealed: &str) -> DataKey {
        DataKey { secret, sealed: sealed.into() }
    }

    /// A new secret for a key.
    pub fn generate() -> Result<[u8; 32], StorageError> {
        random()
    }

    /// The form that is kept with what it encrypts.
    pub fn sealed(&self) -> &str {
        &self.sealed
    }

    /// Identifies this key among others without disclosing anything about it.
    pub fn check_value(&self) -> [u8; 16] {
        let mut value = [0; 16];
        let info = [&b"sortkey 1 check"[..]];
        let derived = Salt::new(HKDF_SHA256, &[]).extract(&self.secret);
        let filled = derived.expand(&info, Length(16)).and_then(|okm| okm.fill(&mut value));
        // Sixteen bytes are never too many to derive.
        debug_assert!(filled.is_ok());
        value
    }

    /// The cipher for one purpose and one salt, which must not be used for anything else.
    pub fn derive(&self, purpose: &str, salt: &[u8]) -> Result<Cipher, StorageError> {
        let failed = |_| StorageError::Failed("a key cannot be derived".into());
        let info = [purpose.as_bytes()];
        let derived = Salt::new(HKDF_SHA256, salt).extract(&self.secret);
        let key = derived.expand(&info, &AES_256_GCM).map_err(failed)?;
        Ok(Cipher(LessSafeKey::new(UnboundKey::from(key))))
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(..)")
    }
}

/// Makes data keys and opens sealed ones, with a keyring that is kept elsewhere.
pub trait KeySealer: Send + Sync {
    /// A new key with its sealed form.
    fn generate(&self) -> Result<DataKey, StorageError>;

    /// The key of a sealed form; an error if another keyring sealed it, or if it was changed.
    fn open(&self, sealed: &str) -> Result<DataKey, StorageError>;
}

/// How many bytes to derive.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// Encrypts texts, each with a number of its own.
pub struct Cipher(LessSafeKey);

impl Cipher {
    /// Encrypts what a buffer contains from `begin` on, and appends the tag. The number must never be used again; `place` is
    /// needed to decrypt, and is not kept.
    pub fn seal(
        &self,
        number: u64,
        place: &[u8],
        begin: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<(), StorageError> {
        let failed = |_| StorageError::Failed("a value is too long to be encrypted".into());
        let text = buffer.get_mut(begin..).unwrap_or_default();
        let tag = self.0.seal_in_place_separate_tag(nonce(number), Aad::from(place), text).map_err(failed)?;
        buffer.extend_from_slice(tag.as_ref());
        Ok(())
    }

    /// Decrypts a text in place; `false` if it is not what was encrypted with this number for this place.
    pub fn open(&self, number: u64, place: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
        let Ok(tag) = Tag::try_from(tag) else { return false };
        self.0.open_in_place_separate_tag(nonce(number), Aad::from(place), tag, text, 0..).is_ok()
    }
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher(..)")
    }
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; NONCE_LEN];
    bytes[NONCE_LEN - 8..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

/// Bytes that nobody can guess.
pub fn random<const BYTES: usize>() -> Result<[u8; BYTES], StorageError> {
    let mut bytes = [0; BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| StorageError::Failed("the operating system has no random bytes to give".into()))?;
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_at_their_place_only() {
        let key = DataKey::new([7; 32], "sealed");
        let cipher = key.derive("test", b"salt").unwrap();
        let mut buffer = b"head".to_vec();
        buffer.extend_from_slice(b"secret text");
        cipher.seal(1, b"place", 4, &mut buffer).unwrap();
        assert_eq!(&buffer[..4], b"head");
        let open = |cipher: &Cipher, number, place: &[u8], bytes: &[u8]| {
            let (text, tag) = bytes[4..].split_at(bytes.len() - 4 - TAG_BYTES);
            let mut text = text.to_vec();
            cipher.open(number, place, &mut text, tag).then_some(text)
        };
        assert_eq!(open(&cipher, 1, b"place", &buffer).unwrap(), b"secret text");
        assert_eq!(open(&cipher, 2, b"place", &buffer), None);
        assert_eq!(open(&cipher, 1, b"elsewhere", &buffer), None);
        for other in [
            key.derive("test", b"tlas"),
            key.derive("tset", b"salt"),
            DataKey::new([8; 32], "").derive("test", b"salt"),
        ] {
            assert_eq!(open(&other.unwrap(), 1, b"place", &buffer), None);
        }
        for bit in 32..buffer.len() * 8 {
            let mut flipped = buffer.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(&cipher, 1, b"place", &flipped), None, "bit {bit}");
        }
        assert_ne!(key.check_value(), DataKey::new([8; 32], "").check_value());
        assert_eq!(format!("{key:?}"), "DataKey(..)");
    }
}
