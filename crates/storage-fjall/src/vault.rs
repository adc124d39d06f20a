//! Values of an encrypted store.
//!
//! ```text
//! offset size
//!      0   12  session: random, drawn whenever the store is opened
//!     12    6  number: counts up within the session
//!     18    n  the value, AES-256-GCM under the session's key; nonce: 4 zero bytes, the number as u64
//!   18+n   16  tag; the whole key of the entry is authenticated with the value
//! ```
//!
//! The session's key is HKDF-SHA-256 of the data key, with the session as salt and `sortkey 1 value` as info. The key of an
//! entry contains the table's id and the item's key, so a value that was moved to another place does not open. The last four
//! bytes of the tag take the place of the checksum in the running checksum of commits.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use sortkey_storage::{Cipher, DataKey, StorageError, TAG_BYTES, Value, random};

const PURPOSE: &str = "sortkey 1 value";
const SESSION_BYTES: usize = 12;
const NUMBER_BYTES: usize = 6;
const HEADER_BYTES: usize = SESSION_BYTES + NUMBER_BYTES;

type SessionId = [u8; SESSION_BYTES];

/// Encrypts and decrypts the values of a store.
pub(crate) struct Vault {
    key: DataKey,
    session: SessionId,
    cipher: Arc<Cipher>,
    next: AtomicU64,
    /// The ciphers of earlier sessions, as they are met.
    earlier: RwLock<HashMap<SessionId, Arc<Cipher>>>,
}

impl Vault {
    /// Begins a session.
    pub(crate) fn open(key: &DataKey) -> Result<Vault, StorageError> {
        let session: SessionId = random()?;
        let cipher = Arc::new(key.derive(PURPOSE, &session)?);
        Ok(Vault { key: key.clone(), session, cipher, next: AtomicU64::new(0), earlier: RwLock::default() })
    }

    /// The key that everything is derived from.
    pub(crate) fn data_key(&self) -> &DataKey {
        &self.key
    }

    /// A value as it is stored under a key.
    pub(crate) fn seal(&self, key: &[u8], value: &[u8]) -> Result<Vec<u8>, StorageError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >> (8 * NUMBER_BYTES) > 0 {
            return Err(StorageError::Failed("the store must be opened anew before it encrypts more".into()));
        }
        let mut sealed = Vec::with_capacity(HEADER_BYTES + value.len() + TAG_BYTES);
        sealed.extend_from_slice(&self.session);
        sealed.extend_from_slice(&number.to_be_bytes()[8 - NUMBER_BYTES..]);
        sealed.extend_from_slice(value);
        self.cipher.seal(number, key, HEADER_BYTES, &mut sealed)?;
        Ok(sealed)
    }

    /// The value that is stored under a key; none if it was changed, or belongs to another key.
    pub(crate) fn open_sealed(&self, key: &[u8], sealed: &[u8]) -> Option<Value> {
        let (session, rest) = sealed.split_first_chunk::<SESSION_BYTES>()?;
        let (number, rest) = rest.split_first_chunk::<NUMBER_BYTES>()?;
        let (text, tag) = rest.split_last_chunk::<TAG_BYTES>()?;
        let number = number.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let mut value: Value = text.into();
        // Nobody else has it yet.
        let text = Arc::get_mut(&mut value)?;
        let is_open = match *session == self.session {
            true => self.cipher.open(number, key, text, tag),
            false => self.cipher_of(session)?.open(number, key, text, tag),
        };
        is_open.then_some(value)
    }

    fn cipher_of(&self, session: &SessionId) -> Option<Arc<Cipher>> {
        if let Some(cipher) = self.earlier.read().get(session) {
            return Some(Arc::clone(cipher));
        }
        let cipher = Arc::new(self.key.derive(PURPOSE, session).ok()?);
        let mut earlier = self.earlier.write();
        // A damaged store could name any number of sessions.
        if earlier.len() >= MAX_SESSIONS {
            earlier.clear();
        }
        earlier.insert(*session, Arc::clone(&cipher));
        Some(cipher)
    }
}

/// Sessions whose ciphers are remembered. When there are more, all are forgotten.
const MAX_SESSIONS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn vault() -> Vault {
        Vault::open(&DataKey::new([7; 32], "sealed")).unwrap()
    }

    #[test]
    fn values_come_back_in_this_session_and_the_next() {
        let (vault, next) = (vault(), vault());
        for value in [&b""[..], b"x", &[7; 5_000]] {
            let sealed = vault.seal(b"key", value).unwrap();
            assert_eq!(sealed.len(), value.len() + 34);
            assert_eq!(*vault.open_sealed(b"key", &sealed).unwrap(), *value);
            assert_eq!(*next.open_sealed(b"key", &sealed).unwrap(), *value);
            assert_ne!(vault.seal(b"key", value).unwrap(), sealed, "no two are alike");
        }
    }

    #[test]
    fn flipped_moved_and_foreign_values_are_noticed() {
        let vault = vault();
        let sealed = vault.seal(b"key", b"some value").unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(vault.open_sealed(b"key", &flipped).is_none(), "bit {bit}");
        }
        assert!(vault.open_sealed(b"kez", &sealed).is_none());
        for length in 0..sealed.len() {
            assert!(vault.open_sealed(b"key", &sealed[..length]).is_none(), "{length} bytes");
        }
        let foreign = Vault::open(&DataKey::new([8; 32], "sealed")).unwrap();
        assert!(foreign.open_sealed(b"key", &sealed).is_none());
    }
}
