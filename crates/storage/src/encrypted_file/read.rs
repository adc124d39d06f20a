//! Reads an encrypted file. Bytes are returned only after the tag of their piece was verified.

use std::io::{self, BufRead, Read};

use thiserror::Error;

use super::{FORMAT, LAST, MAGIC, MAX_NAME_BYTES, MAX_SEALED_BYTES, PIECE_BYTES, PURPOSE, SALT_BYTES};
use crate::encryption::{Cipher, DataKey, TAG_BYTES};

/// An encrypted file that cannot be read.
#[derive(Debug, Error)]
pub enum EncryptedFileError {
    /// It does not begin like one.
    #[error("this is not a file that sortkey encrypted")]
    NotEncrypted,
    /// It was written in a format that this version does not read.
    #[error(
        "the file has format {0}, but this version of sortkey reads format {FORMAT}; use a newer version"
    )]
    UnknownFormat(u32),
    /// Its beginning is not possible.
    #[error("the beginning of the file is damaged")]
    Damaged,
    /// It belongs elsewhere.
    #[error(
        "the file was written as {written}, but is named {found}: it was renamed, or another file is in its place"
    )]
    Misplaced {
        /// The name that it was written under.
        written: String,
        /// The name that it has now.
        found: String,
    },
    /// It ends too early.
    #[error("the file is cut off after {0} bytes of content")]
    CutOff(u64),
    /// Its key is another one, or it was changed.
    #[error("the file was changed, or its key is another one (after {0} bytes of content)")]
    WrongKey(u64),
    /// Something follows its last piece.
    #[error("something follows the end of the file")]
    Longer,
    /// It cannot be read.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Whether a file begins like an encrypted one. Nothing is consumed.
pub fn is_encrypted_file(source: &mut impl BufRead) -> io::Result<bool> {
    Ok(source.fill_buf()?.starts_with(&MAGIC))
}

/// An encrypted file whose beginning was read, but not yet its content.
pub struct LockedFile<R> {
    source: R,
    head: Vec<u8>,
    salt: Vec<u8>,
    name: String,
    sealed: String,
}

impl<R: Read> LockedFile<R> {
    /// Reads the beginning of a file.
    pub fn open(mut source: R) -> Result<LockedFile<R>, EncryptedFileError> {
        let start = take(&mut source, MAGIC.len() + 4, EncryptedFileError::NotEncrypted)?;
        let (magic, format) = start.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(EncryptedFileError::NotEncrypted);
        }
        let format = number(format);
        if format != FORMAT {
            return Err(EncryptedFileError::UnknownFormat(format));
        }
        let salt = take(&mut source, SALT_BYTES, EncryptedFileError::CutOff(0))?;
        let name_bytes = take(&mut source, 2, EncryptedFileError::CutOff(0))?;
        let name = text(&mut source, &name_bytes, MAX_NAME_BYTES)?;
        let sealed_bytes = take(&mut source, 4, EncryptedFileError::CutOff(0))?;
        let sealed = text(&mut source, &sealed_bytes, MAX_SEALED_BYTES)?;
        let head = [&start[..], &salt, &name_bytes, name.as_bytes()].concat();
        Ok(LockedFile { source, head, salt, name, sealed })
    }

    /// The name that the file was written under. It is proved only by reading the content.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sealed form of the file's data key.
    pub fn sealed_key(&self) -> &str {
        &self.sealed
    }

    /// Rejects a file that is not where it belongs. Its present name may have more directories in front.
    pub fn check_place(&self, found: &str) -> Result<(), EncryptedFileError> {
        let is_in_place = found == self.name
            || found.strip_suffix(&self.name).is_some_and(|directories| directories.ends_with('/'));
        match is_in_place {
            true => Ok(()),
            false => {
                Err(EncryptedFileError::Misplaced { written: self.name.clone(), found: found.to_owned() })
            }
        }
    }

    /// The content. Whether the key is the right one is found out with the first piece.
    pub fn unlock(self, key: &DataKey) -> Result<EncryptedReader<R>, EncryptedFileError> {
        let cipher = key.derive(PURPOSE, &self.salt).map_err(io::Error::other)?;
        let LockedFile { source, head, .. } = self;
        Ok(EncryptedReader {
            source,
            cipher,
            head,
            text: Vec::new(),
            given: 0,
            pieces: 0,
            before: 0,
            is_over: false,
        })
    }
}

/// The content of an encrypted file.
pub struct EncryptedReader<R> {
    source: R,
    cipher: Cipher,
    head: Vec<u8>,
    /// The text of the current piece, and how much of it was returned.
    text: Vec<u8>,
    given: usize,
    pieces: u64,
    /// Bytes of the pieces before the current one.
    before: u64,
    is_over: bool,
}

impl<R: Read> EncryptedReader<R> {
    /// Decrypts the next piece.
    fn next_piece(&mut self) -> Result<(), EncryptedFileError> {
        self.before += self.text.len() as u64;
        self.text.clear();
        self.given = 0;
        let start = take(&mut self.source, 4, EncryptedFileError::CutOff(self.before))?;
        let (is_last, bytes) = (number(&start) & LAST != 0, (number(&start) & !LAST) as usize);
        if bytes > PIECE_BYTES {
            return Err(EncryptedFileError::WrongKey(self.before));
        }
        let mut piece = take(&mut self.source, bytes + TAG_BYTES, EncryptedFileError::CutOff(self.before))?;
        let place = [&self.head[..], &start].concat();
        let (text, tag) = piece.split_at_mut(bytes);
        if !self.cipher.open(self.pieces, &place, text, tag) {
            return Err(EncryptedFileError::WrongKey(self.before));
        }
        piece.truncate(bytes);
        self.text = piece;
        self.pieces += 1;
        if is_last {
            self.is_over = true;
            if self.source.read(&mut [0])? > 0 {
                self.text.clear();
                return Err(EncryptedFileError::Longer);
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for EncryptedReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.is_over && !out.is_empty() {
            self.next_piece().map_err(|error| match error {
                EncryptedFileError::Io(error) => error,
                error => io::Error::new(io::ErrorKind::InvalidData, error),
            })?;
        }
        let count = out.len().min(self.text.len() - self.given);
        out[..count].copy_from_slice(&self.text[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// So many bytes; `missing` if there are fewer.
fn take(
    source: &mut impl Read,
    bytes: usize,
    missing: EncryptedFileError,
) -> Result<Vec<u8>, EncryptedFileError> {
    let mut taken = vec![0; bytes];
    source.read_exact(&mut taken).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => missing,
        _ => EncryptedFileError::Io(error),
    })?;
    Ok(taken)
}

/// A text whose length was read before.
fn text(source: &mut impl Read, bytes: &[u8], most: usize) -> Result<String, EncryptedFileError> {
    let bytes = number(bytes) as usize;
    if bytes > most {
        return Err(EncryptedFileError::Damaged);
    }
    let taken = take(source, bytes, EncryptedFileError::CutOff(0))?;
    String::from_utf8(taken).map_err(|_| EncryptedFileError::Damaged)
}

/// At most four bytes as a number.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}
