//! Base64 as the wire carries binary values: the standard alphabet, padded, and strict.

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine};
use std::fmt;

/// Why a text is not base64, in AWS's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base64Error {
    /// The length is not a multiple of four.
    Length(usize),
    /// A character outside the alphabet.
    Character(char),
    /// The last character carries bits that belong to no byte.
    LastCharacter,
}

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => {
                write!(f, "Base64 encoded length is expected a multiple of 4 bytes but found: {length}")
            }
            Self::Character(character) => write!(f, "Invalid Base64 character: '{character}'"),
            // The spelling is AWS's.
            Self::LastCharacter => f.write_str("Invalid last non-pad Base64 character dectected"),
        }
    }
}

/// Decodes `text`.
pub fn decode_base64(text: &str) -> Result<Vec<u8>, Base64Error> {
    if !text.len().is_multiple_of(4) {
        return Err(Base64Error::Length(text.len()));
    }
    STANDARD.decode(text).map_err(|error| match error {
        DecodeError::InvalidByte(offset, byte) if byte != b'=' => {
            Base64Error::Character(text[offset..].chars().next().unwrap_or(char::from(byte)))
        }
        _ => Base64Error::LastCharacter,
    })
}

/// Appends the base64 form of `bytes` to `out`.
pub fn encode_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let written = STANDARD
        .encode_slice(bytes, &mut out[start..])
        .expect("four characters for every three bytes are reserved");
    out.truncate(start + written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict() {
        for (text, expected) in [
            ("", Ok(vec![])),
            ("AA==", Ok(vec![0])),
            ("YWJj", Ok(b"abc".to_vec())),
            ("23456", Err(Base64Error::Length(5))),
            ("AAA", Err(Base64Error::Length(3))),
            ("=+/=", Err(Base64Error::LastCharacter)),
            ("+/+=", Err(Base64Error::LastCharacter)),
            ("a*==", Err(Base64Error::Character('*'))),
            ("éAA", Err(Base64Error::Character('é'))),
        ] {
            assert_eq!(decode_base64(text), expected, "{text}");
        }
    }

    #[test]
    fn round_trips() {
        for length in 0..10u8 {
            let bytes: Vec<u8> = (0..length).collect();
            let mut out = Vec::new();
            encode_base64(&bytes, &mut out);
            assert_eq!(decode_base64(std::str::from_utf8(&out).unwrap()), Ok(bytes));
        }
    }
}
