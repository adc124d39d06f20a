//! A whole store as one sequence of bytes, for a file: what one snapshot contains, and nothing of how a store keeps it.
//!
//! It can be written while the store goes on committing, and read into any store. Whatever is missing, flipped or out of
//! order is noticed: every part carries a checksum that continues the one before it, and the end says how much there was.
//!
//! ```text
//! offset size
//!      0    8  "SKBACKUP"
//!      8    4  format, 1
//!     12    8  version of the snapshot's last commit
//!     20    8  its time, milliseconds since 1970
//!     28    8  checksum: xxh3-64 of bytes 0 to 27
//!
//! a chunk, repeated
//!      0    1  "C"
//!      1    4  bytes of the entries
//!      5    4  bytes of the entries as they follow, compressed with LZ4
//!      9    8  checksum: xxh3-64 of bytes 0 to 8 and of what follows, seeded with the checksum before
//!     17       the entries
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
//!     17    8  checksum: xxh3-64 of bytes 0 to 16, seeded with the checksum before
//! ```
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
const HEADER_BYTES: usize = 36;
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
