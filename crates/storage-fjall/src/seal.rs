//! Keys and values as fjall keeps them.
//!
//! ```text
//! 00                  the commit record
//! 01 key              an entry of the store: value, checksum:u32; in an encrypted store see `vault.rs`
//! ```
//!
//! The checksum covers key and value, so a value that comes back under another key is noticed as well. Fjall checks
//! its blocks too; this one also covers the way between its blocks and us.

use sortkey_storage::{DataKey, StorageError, Value};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::vault::Vault;

/// The key of the commit record.
pub(crate) const RECORD_KEY: [u8; 1] = [0x00];
/// The first byte of the keys of all entries.
pub(crate) const ENTRY: u8 = 0x01;
/// Fjall's lengths of keys are 16 bits wide, and a longer key would be cut without a word.
pub(crate) const KEY_BYTES: usize = u16::MAX as usize - 1;

const CHECKSUM_BYTES: usize = 4;

/// An entry's key as fjall keeps it.
pub(crate) fn entry_key(key: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(1 + key.len());
    stored.push(ENTRY);
    stored.extend_from_slice(key);
    stored
}

/// How values are kept.
pub(crate) enum Codec {
    /// With a checksum.
    Plain,
    /// Encrypted.
    Encrypted(Box<Vault>),
}

impl Codec {
    /// A value as fjall keeps it.
    pub(crate) fn seal(&self, key: &[u8], value: &[u8]) -> Result<Vec<u8>, StorageError> {
        match self {
            Codec::Plain => Ok(seal(key, value)),
            Codec::Encrypted(vault) => vault.seal(key, value),
        }
    }

    /// The value inside what fjall keeps.
    pub(crate) fn open(&self, key: &[u8], sealed: &[u8]) -> Result<Value, StorageError> {
        match self {
            Codec::Plain => open(key, sealed),
            Codec::Encrypted(vault) => vault.open_sealed(key, sealed).ok_or_else(|| {
                let what = format!("the value of key {} was changed, or belongs to another key", hex(key));
                StorageError::Damaged(what)
            }),
        }
    }

    /// The key that copies are to be encrypted with.
    pub(crate) fn data_key(&self) -> Option<DataKey> {
        match self {
            Codec::Plain => None,
            Codec::Encrypted(vault) => Some(vault.data_key().clone()),
        }
    }
}

/// An entry's value as fjall keeps it.
fn seal(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(value.len() + CHECKSUM_BYTES);
    sealed.extend_from_slice(value);
    sealed.extend_from_slice(&checksum(key, value).to_be_bytes());
    sealed
}

/// The value inside a sealed one.
fn open(key: &[u8], sealed: &[u8]) -> Result<Value, StorageError> {
    match sealed.split_last_chunk::<CHECKSUM_BYTES>() {
        Some((value, sum)) if u32::from_be_bytes(*sum) == checksum(key, value) => Ok(value.into()),
        _ => Err(StorageError::Damaged(format!("the value of key {} has a wrong checksum", hex(key)))),
    }
}

/// The checksum, or the end of the tag, at the end of a sealed value; anything else counts as 0.
pub(crate) fn seal_of(sealed: &[u8]) -> u32 {
    sealed.last_chunk().map_or(0, |sum| u32::from_be_bytes(*sum))
}

/// The contribution of a removed key to the running checksum.
pub(crate) fn seal_of_removal(key: &[u8]) -> u32 {
    xxh3_64(key) as u32
}

fn checksum(key: &[u8], value: &[u8]) -> u32 {
    xxh3_64_with_seed(value, xxh3_64(key)) as u32
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().take(64).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_values_come_back() {
        for value in [&b""[..], b"x", &[7; 5_000]] {
            assert_eq!(*open(b"key", &seal(b"key", value)).unwrap(), *value);
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let sealed = seal(b"key", b"some value");
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open(b"key", &flipped).is_err(), "bit {bit}");
        }
        assert!(open(b"kez", &sealed).is_err(), "a value belongs to its key");
        assert!(open(b"key", b"abc").is_err(), "too short for a checksum");
    }
}
