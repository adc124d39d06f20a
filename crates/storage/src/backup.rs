//! A whole store as one sequence of bytes, for a file: what one snapshot contains, and nothing of how a store keeps it.
//!
//! It can be written while the store goes on committing, and read into any store. Missing, flipped and reordered bytes
//! are detected: every part carries a checksum that continues the one before it, and the end contains the totals.
//!
//! ```text
//! offset size
//!      0    8  "SKBACKUP"
//!      8    4  format: 1, or 2 if it is encrypted
//!     12    8  version of the snapshot's last commit
//!     20    8  its time, milliseconds since 1970
//!     28    8  checksum: xxh3-64 of bytes 0 to 27
//!
//! the key, only in format 2
//!      0    1  "K"
//!      1   16  salt: random, for this backup
//!     17    4  bytes of the sealed data key, n
//!     21    n  the data key of the store, as its keyring sealed it
//!   21+n    8  checksum: xxh3-64 of the bytes before, of this part alone, so that the key can be sealed anew
//!
//! a chunk, repeated
//!      0    1  "C"
//!      1    4  bytes of the entries
//!      5    4  bytes of the entries as they follow, compressed with LZ4
//!      9    8  checksum: xxh3-64 of bytes 0 to 8 and of what follows, seeded with the checksum before
//!     17       the entries; in format 2 encrypted, with a tag of 16 bytes that counts as part of them
//!
//! an entry, in ascending order of keys
//!      0    4  bytes of the key
//!      4    4  bytes of the value
//!      8       the key, the value
//!
//! the end, after which nothing follows
//!      0    1  "E"
//!      1    8  number of entries
//!      9    8  number of chunks
//!     17   16  only in format 2: a tag
//!          8  checksum: xxh3-64 of the bytes before, seeded with the checksum before
//! ```
//!
//! A backup of an encrypted store is encrypted: AES-256-GCM under HKDF-SHA-256 of the store's data key, with the salt and the
//! info `sortkey 1 backup`. The nonce is 4 zero bytes and the number of the chunk (u64), for the end the number of all chunks.
//! Authenticated with a chunk are bytes 0 to 27 of the file and bytes 0 to 8 of the chunk, with the end bytes 0 to 27 of
//! the file and bytes 0 to 16 of the end: chunks cannot be changed, moved, left out or added without the key.
//!
//! Integers are big-endian.

mod read;
#[cfg(test)]
mod tests;
mod write;

use xxhash_rust::xxh3::Xxh3;

pub use self::read::{ReadError, Reading, read};
pub use self::write::Pieces;

const MAGIC: [u8; 8] = *b"SKBACKUP";
/// The format that this version reads and writes.
const FORMAT: u32 = 1;
/// The format of encrypted backups.
const ENCRYPTED_FORMAT: u32 = 2;
const HEADER_BYTES: usize = 36;
const KEY: u8 = b'K';
const SALT_BYTES: usize = 16;
/// The purpose that goes into the derivation of keys.
const PURPOSE: &str = "sortkey 1 backup";
const CHUNK: u8 = b'C';
const CHUNK_HEADER_BYTES: usize = 17;
const END: u8 = b'E';
const END_BYTES: usize = 25;
/// A chunk is complete when its entries have this many bytes.
const CHUNK_BYTES: usize = 1 << 20;
/// No chunk is larger: it is bounded by its last entry, and the largest of those have 400 KB.
const LARGEST_CHUNK_BYTES: usize = 64 << 20;

/// How much a backup contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Entries of the store.
    pub entries: u64,
    /// Chunks of them.
    pub chunks: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
}

/// The checksum of a part that follows another.
fn checksum(before: u64, parts: [&[u8]; 2]) -> u64 {
    let mut hash = Xxh3::with_seed(before);
    parts.iter().for_each(|part| hash.update(part));
    hash.digest()
}
