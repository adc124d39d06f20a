//! Writes an encrypted file.

use std::io::{self, Write};

use super::{FORMAT, LAST, MAGIC, MAX_NAME_BYTES, MAX_SEALED_BYTES, PIECE_BYTES, PURPOSE, SALT_BYTES};
use crate::encryption::{Cipher, DataKey, TAG_BYTES, random};

/// Encrypts everything that is written to it. The file is complete only after [`finish`](EncryptedWriter::finish).
pub struct EncryptedWriter<W> {
    out: W,
    cipher: Cipher,
    /// The beginning of the file, which is authenticated with every piece.
    head: Vec<u8>,
    /// The text of the piece that is being collected.
    text: Vec<u8>,
    pieces: u64,
}

impl<W: Write> EncryptedWriter<W> {
    /// Begins a file that belongs at `name`, under a key of which only the sealed form is written.
    pub fn new(mut out: W, key: &DataKey, name: &str) -> io::Result<EncryptedWriter<W>> {
        let salt: [u8; SALT_BYTES] = random().map_err(io::Error::other)?;
        let sealed = key.sealed().as_bytes();
        let name_bytes = u16::try_from(name.len()).ok().filter(|_| name.len() <= MAX_NAME_BYTES);
        let sealed_bytes = u32::try_from(sealed.len()).ok().filter(|_| sealed.len() <= MAX_SEALED_BYTES);
        let (Some(name_bytes), Some(sealed_bytes)) = (name_bytes, sealed_bytes) else {
            return Err(io::Error::other("the name or the key of an encrypted file is too long"));
        };
        let head =
            [&MAGIC[..], &FORMAT.to_be_bytes(), &salt, &name_bytes.to_be_bytes(), name.as_bytes()].concat();
        out.write_all(&head)?;
        out.write_all(&sealed_bytes.to_be_bytes())?;
        out.write_all(sealed)?;
        let cipher = key.derive(PURPOSE, &salt).map_err(io::Error::other)?;
        let text = Vec::with_capacity(PIECE_BYTES + TAG_BYTES);
        Ok(EncryptedWriter { out, cipher, head, text, pieces: 0 })
    }

    /// Writes the last piece, and returns what the file was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.piece(LAST)?;
        Ok(self.out)
    }

    fn piece(&mut self, mark: u32) -> io::Result<()> {
        // A piece has at most PIECE_BYTES.
        let start = (self.text.len() as u32 | mark).to_be_bytes();
        let place = [&self.head[..], &start].concat();
        self.cipher.seal(self.pieces, &place, 0, &mut self.text).map_err(io::Error::other)?;
        self.pieces += 1;
        self.out.write_all(&start)?;
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

impl<W: Write> Write for EncryptedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() == PIECE_BYTES {
            self.piece(0)?;
        }
        let taken = bytes.len().min(PIECE_BYTES - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Flushes complete pieces only: a piece is encrypted once, when it is full or the last.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
