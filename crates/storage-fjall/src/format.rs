//! The file FORMAT: marks the directory as ours, with its format and whether it is complete.
//!
//! ```text
//! offset size
//!      0    8  "SORTKEY" 00
//!      8    4  format: 1, or 2 if values are encrypted
//!     12    4  0: being created, nothing was ever committed; 1: ready
//!     16    8  xxh3-64 of bytes 0 to 15
//! ```
//!
//! Integers are big-endian. The file is replaced as a whole, so it is never half written.

use std::io::Write;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::OpenError;

/// The format that this version reads and writes.
pub(crate) const VERSION: u32 = 1;
/// The format of encrypted stores, which differ in their values and in the file KEY.
pub(crate) const ENCRYPTED_VERSION: u32 = 2;

const FILE: &str = "FORMAT";
/// Name of the file while it is being written.
pub(crate) const NEW_FILE: &str = "FORMAT.new";
const MAGIC: [u8; 8] = *b"SORTKEY\0";
const BYTES: usize = 24;

/// How far a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Creating,
    Ready,
}

/// The state of the directory; `None` if it has no FORMAT file.
pub(crate) fn read(directory: &Path) -> Result<Option<State>, OpenError> {
    Ok(read_all(directory)?.map(|(_, state)| state))
}

/// Whether the values of a directory are encrypted.
pub(crate) fn is_encrypted(directory: &Path) -> Result<bool, OpenError> {
    Ok(read_all(directory)?.is_some_and(|(version, _)| version == ENCRYPTED_VERSION))
}

fn read_all(directory: &Path) -> Result<Option<(u32, State)>, OpenError> {
    let path = directory.join(FILE);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(OpenError::io(path)(error)),
    };
    let Ok(bytes) = <[u8; BYTES]>::try_from(&bytes[..]) else {
        return Err(OpenError::damaged(path, format!("it has {} bytes instead of {BYTES}", bytes.len())));
    };
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    if bytes[..8] != MAGIC || bytes[16..] != xxh3_64(&bytes[..16]).to_be_bytes() {
        return Err(OpenError::damaged(path, "its checksum is wrong"));
    }
    match (number(8), number(12)) {
        (version @ (VERSION | ENCRYPTED_VERSION), 0) => Ok(Some((version, State::Creating))),
        (version @ (VERSION | ENCRYPTED_VERSION), 1) => Ok(Some((version, State::Ready))),
        (VERSION | ENCRYPTED_VERSION, other) => {
            Err(OpenError::damaged(path, format!("state {other} does not exist")))
        }
        (found, _) => Err(OpenError::UnknownFormat { path: directory.to_owned(), found }),
    }
}

/// Records the state of the directory durably.
pub(crate) fn write(directory: &Path, state: State, is_encrypted: bool) -> Result<(), OpenError> {
    let version = if is_encrypted { ENCRYPTED_VERSION } else { VERSION };
    let new = directory.join(NEW_FILE);
    let replace = || -> std::io::Result<()> {
        let mut file = crate::private::file().write(true).create(true).truncate(true).open(&new)?;
        file.write_all(&encode(version, state))?;
        file.sync_all()?;
        std::fs::rename(&new, directory.join(FILE))?;
        crate::directory::sync(directory)
    };
    replace().map_err(OpenError::io(directory.join(FILE)))
}

fn encode(version: u32, state: State) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&version.to_be_bytes());
    bytes[12..16].copy_from_slice(&u32::from(state == State::Ready).to_be_bytes());
    let checksum = xxh3_64(&bytes[..16]);
    bytes[16..].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()).unwrap(), None);
        for state in [State::Creating, State::Ready] {
            for is_encrypted in [false, true] {
                write(directory.path(), state, is_encrypted).unwrap();
                assert_eq!(read(directory.path()).unwrap(), Some(state));
                assert_eq!(super::is_encrypted(directory.path()).unwrap(), is_encrypted);
            }
        }
    }

    #[test]
    fn what_is_unknown_or_damaged_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let read_back = |bytes: &[u8]| {
            std::fs::write(directory.path().join(FILE), bytes).unwrap();
            read(directory.path()).unwrap_err()
        };
        let good = encode(VERSION, State::Ready);
        for bit in 0..good.len() * 8 {
            let mut flipped = good;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(read_back(&flipped), OpenError::Damaged { .. }), "bit {bit}");
        }
        assert!(matches!(read_back(&good[..20]), OpenError::Damaged { .. }));
        let newer = read_back(&encode(3, State::Ready));
        assert!(
            newer.to_string().contains("format 3, but this version of sortkey reads formats 1 and 2"),
            "{newer}"
        );
    }
}
