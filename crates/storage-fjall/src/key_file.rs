//! The file KEY: the data key of an encrypted store, sealed by a keyring that is kept elsewhere.
//!
//! ```text
//! offset size
//!      0    8  "SORTKEYK"
//!      8    4  scheme, 1: AES-256-GCM under keys derived with HKDF-SHA-256
//!     12   16  check value of the data key: HKDF-SHA-256 of it, for nothing else
//!     28    4  bytes of the sealed key, n
//!     32    n  the sealed key, as the keyring writes it
//!   32+n    8  xxh3-64 of all bytes before
//! ```
//!
//! Integers are big-endian. The file is replaced as a whole when the keyring is rotated; the data key stays.

use std::io::Write;
use std::path::Path;

use sortkey_storage::DataKey;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::OpenError;

const FILE: &str = "KEY";
const NEW_FILE: &str = "KEY.new";
const MAGIC: [u8; 8] = *b"SORTKEYK";
const SCHEME: u32 = 1;
const HEADER_BYTES: usize = 32;

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyFile {
    pub(crate) check_value: [u8; 16],
    pub(crate) sealed: String,
}

impl KeyFile {
    pub(crate) fn of(key: &DataKey) -> KeyFile {
        KeyFile { check_value: key.check_value(), sealed: key.sealed().to_owned() }
    }

    pub(crate) fn read(directory: &Path) -> Result<KeyFile, OpenError> {
        let path = directory.join(FILE);
        let bytes = std::fs::read(&path).map_err(OpenError::io(&path))?;
        decode(&bytes).ok_or_else(|| OpenError::damaged(path, "it does not contain a sealed key"))
    }

    /// Writes the file beside the old one and puts it in its place.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), OpenError> {
        let new = directory.join(NEW_FILE);
        let replace = || -> std::io::Result<()> {
            let mut file = crate::private::file().write(true).create(true).truncate(true).open(&new)?;
            file.write_all(&self.encode())?;
            file.sync_all()?;
            std::fs::rename(&new, directory.join(FILE))?;
            crate::directory::sync(directory)
        };
        replace().map_err(OpenError::io(directory.join(FILE)))
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&SCHEME.to_be_bytes());
        bytes.extend_from_slice(&self.check_value);
        bytes.extend_from_slice(&u32::try_from(self.sealed.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(self.sealed.as_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_be_bytes());
        bytes
    }
}

fn decode(bytes: &[u8]) -> Option<KeyFile> {
    let (content, checksum) = bytes.split_last_chunk::<8>()?;
    let (header, sealed) = content.split_at_checked(HEADER_BYTES)?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let is_ours = header[..8] == MAGIC
        && xxh3_64(content) == u64::from_be_bytes(*checksum)
        && number(8)? == SCHEME
        && number(28)? as usize == sealed.len();
    let sealed = String::from_utf8(sealed.to_vec()).ok()?;
    is_ours.then_some(KeyFile { check_value: header[12..28].try_into().ok()?, sealed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_comes_back_and_a_flipped_one_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile::of(&DataKey::new([7; 32], "abc:sealed"));
        file.write(directory.path()).unwrap();
        assert_eq!(KeyFile::read(directory.path()).unwrap(), file);
        let bytes = std::fs::read(directory.path().join(FILE)).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&flipped), None, "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length} bytes");
        }
    }
}
