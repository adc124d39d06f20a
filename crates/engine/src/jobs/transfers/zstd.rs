//! A file of zstd frames, one after the other, read with bounded memory.
//!
//! A frame says how far back it refers, its window, and a decoder keeps that much. The format allows terabytes; here, as in the
//! zstd program, 128 MB are the limit. The decoder's own limit is lower, and does not hold for its first frame, so each
//! frame has a decoder of its own.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The window that `zstd` reads by default, and the largest that it writes, even with `--ultra -22`.
const WINDOW_BYTES: u64 = 128 << 20;
const MAGIC: u32 = 0xFD2F_B528;

pub(super) struct Frames {
    file: Box<dyn BufRead>,
    decoder: FrameDecoder,
    /// Whether the decoder is within a frame.
    is_within: bool,
}

impl Frames {
    pub(super) fn new(file: Box<dyn BufRead>) -> Frames {
        Frames { file, decoder: FrameDecoder::new(), is_within: false }
    }

    /// Enters the next frame that has content; returns whether there is one.
    fn enter(&mut self) -> io::Result<bool> {
        while !self.file.fill_buf()?.is_empty() {
            let header = Header::read(&mut self.file)?;
            if let Some(bytes) = header.window_bytes.filter(|bytes| *bytes > WINDOW_BYTES) {
                return Err(io::Error::other(format!(
                    "a zstd frame refers {bytes} bytes back, and at most {WINDOW_BYTES} can be: compress with `--long=27` or less"
                )));
            }
            self.decoder = FrameDecoder::new();
            match self.decoder.reset((&*header.bytes).chain(&mut self.file)) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = io::copy(&mut self.file.by_ref().take(length.into()), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
        Ok(false)
    }

    /// Compares the checksum of a frame, if it has one.
    fn check_sum(&self) -> io::Result<()> {
        let said = self.decoder.get_checksum_from_data();
        if said.is_some() && said != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("a zstd frame does not have its checksum"));
        }
        Ok(())
    }
}

impl Read for Frames {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_within {
                self.is_within = self.enter()?;
                if !self.is_within {
                    return Ok(0);
                }
            }
            if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let some = BlockDecodingStrategy::UptoBytes(out.len());
                let decoded = self.decoder.decode_blocks(&mut self.file, some);
                decoded.map_err(|error| io::Error::other(error.to_string()))?;
            }
            let count = self.decoder.read(out)?;
            if count > 0 {
                return Ok(count);
            }
            if self.decoder.is_finished() {
                self.check_sum()?;
                self.is_within = false;
            }
        }
    }
}

/// The beginning of a frame, up to the size of its window.
struct Header {
    bytes: Vec<u8>,
    /// None if it is not the header of a frame with content: the decoder says what it is.
    window_bytes: Option<u64>,
}

impl Header {
    /// RFC 8878, 3.1.1.1: the magic number, a descriptor, then either the window or the size of the whole content.
    fn read(file: &mut impl Read) -> io::Result<Header> {
        let mut header = Header { bytes: Vec::with_capacity(18), window_bytes: None };
        let magic = header.take(file, 4)?;
        if magic != u64::from(MAGIC) {
            return Ok(header);
        }
        let descriptor = header.take(file, 1)?;
        let is_single_segment = descriptor & 0x20 != 0;
        if !is_single_segment {
            let window = header.take(file, 1)?;
            let base = 1_u64 << (10 + (window >> 3));
            header.window_bytes = Some(base + base / 8 * (window & 7));
            return Ok(header);
        }
        let dictionary_length = [0, 1, 2, 4][(descriptor & 3) as usize];
        header.take(file, dictionary_length)?;
        let (length, more) = [(1, 0), (2, 256), (4, 0), (8, 0)][(descriptor >> 6) as usize];
        header.window_bytes = Some(header.take(file, length)?.saturating_add(more));
        Ok(header)
    }

    /// The next bytes as a number, the lowest first.
    fn take(&mut self, file: &mut impl Read, length: usize) -> io::Result<u64> {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes[..length])?;
        self.bytes.extend_from_slice(&bytes[..length]);
        Ok(u64::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::Frames;

    fn decode(bytes: Vec<u8>) -> Result<String, String> {
        let mut text = String::new();
        let read = Frames::new(Box::new(Cursor::new(bytes))).read_to_string(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    }

    /// A frame of one raw block.
    fn frame(header: &[u8], text: &str) -> Vec<u8> {
        let block = (u32::try_from(text.len()).unwrap() << 3) | 1;
        [&[0x28, 0xB5, 0x2F, 0xFD][..], header, &block.to_le_bytes()[..3], text.as_bytes()].concat()
    }

    // F-65: the window that a frame asks for was taken whatever its size: 2 GB for a file of 100 KB. Where there was less memory,
    // the import never ended.
    #[test]
    fn a_window_is_bounded() {
        let of_128_mb = [0, 17 << 3];
        let of_2_gb = [0, 21 << 3];
        let single_of_4_gb = [0xE0, 0, 0, 0, 0, 1, 0, 0, 0];
        assert_eq!(decode(frame(&of_128_mb, "abc")), Ok("abc".to_owned()));
        // Also a second frame of that size, which the decoder does not take by itself.
        let twice = [frame(&of_128_mb, "abc"), frame(&of_128_mb, "def")].concat();
        assert_eq!(decode(twice), Ok("abcdef".to_owned()));
        for header in [&of_2_gb[..], &single_of_4_gb] {
            let refused = decode(frame(header, "abc")).unwrap_err();
            assert!(refused.contains("at most 134217728"), "{refused}");
        }
    }

    #[test]
    fn frames_without_content_are_skipped() {
        let skipped = [&0x184D_2A50_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), b"xyz"].concat();
        let file = [skipped.clone(), frame(&[0x20, 3], "abc"), skipped].concat();
        assert_eq!(decode(file), Ok("abc".to_owned()));
        assert!(decode(b"(\xB5/".to_vec()).is_err(), "a header that is cut off");
        assert!(decode(b"no zstd at all".to_vec()).is_err());
    }
}
