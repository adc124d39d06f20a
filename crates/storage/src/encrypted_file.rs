//! A file that is encrypted piece by piece, so that it is written and read in bounded memory whatever its size.
//!
//! ```text
//! offset size
//!      0    8  "SKCIPHER"
//!      8    4  format: 1
//!     12   16  salt: random, for this file
//!     28    2  bytes of the name, m
//!     30    m  the name: where the file belongs
//!   30+m    4  bytes of the sealed data key, n
//!   34+m    n  the data key, as a keyring sealed it
//!
//! a piece, repeated
//!      0    4  bytes of the text, k; the highest bit is set in the last piece, after which nothing follows
//!      4    k  the text, encrypted
//!    4+k   16  tag
//! ```
//!
//! Pieces are encrypted with AES-256-GCM under HKDF-SHA-256 of the data key, with the salt and the info `sortkey 1 file`. The
//! nonce is 4 zero bytes and the number of the piece (u64). Authenticated with a piece are bytes 0 to 29+m of the file and
//! bytes 0 to 3 of the piece: without the key, pieces cannot be changed, moved, left out, added or taken from another file,
//! and a file cannot be renamed. The sealed key is not among what is authenticated, so that it can be sealed anew.
//!
//! Integers are big-endian.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use self::read::{EncryptedFileError, EncryptedReader, LockedFile, is_encrypted_file};
pub use self::write::EncryptedWriter;

const MAGIC: [u8; 8] = *b"SKCIPHER";
const FORMAT: u32 = 1;
const SALT_BYTES: usize = 16;
/// The purpose that goes into the derivation of keys.
const PURPOSE: &str = "sortkey 1 file";
/// The longest name, as long as a path may be.
const MAX_NAME_BYTES: usize = 4096;
/// The longest sealed key that is read.
const MAX_SEALED_BYTES: usize = 64 << 10;
/// Bytes of text in every piece but the last.
const PIECE_BYTES: usize = 64 << 10;
/// Marks the last piece.
const LAST: u32 = 1 << 31;
