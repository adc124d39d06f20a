//! Bytes as text: hexadecimal, base64 and base32.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// How bytes are written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Hexadecimal, written in lower case and read in either.
    Hex,
    /// Base64 with padding, which may be missing when it is read.
    Base64,
    /// Base64 with `-` and `_`, written without padding.
    Base64Url,
}

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const BASE64_URL: GeneralPurpose =
    GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT.with_encode_padding(false));

impl Encoding {
    /// Bytes as text.
    pub fn encode(self, bytes: &[u8]) -> String {
        match self {
            Encoding::Hex => hex(bytes),
            Encoding::Base64 => BASE64.encode(bytes),
            Encoding::Base64Url => BASE64_URL.encode(bytes),
        }
    }

    /// The bytes of a text, unless a character or the length is wrong.
    pub fn decode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Encoding::Hex => unhex(text),
            Encoding::Base64 => BASE64.decode(text).ok(),
            Encoding::Base64Url => BASE64_URL.decode(text).ok(),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    let digits = digits?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Bytes in base32 (RFC 4648) without padding, as authenticator apps show secrets.
pub fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    for group in bytes.chunks(5) {
        let mut block = [0; 8];
        block[3..3 + group.len()].copy_from_slice(group);
        let bits = u64::from_be_bytes(block);
        for at in 0..(group.len() * 8).div_ceil(5) {
            let index = (bits >> (35 - at * 5)) & 31;
            text.push(char::from(BASE32[index as usize]));
        }
    }
    text
}

/// The bytes of a base32 text in either case. Spaces and hyphens, which group what people type, and padding are ignored.
pub fn base32_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut held, mut digits) = (0_u32, 0_u32, 0_usize);
    for byte in text.trim_end_matches('=').bytes().filter(|byte| !matches!(byte, b' ' | b'-')) {
        let value = match byte.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        digits += 1;
        bits = (bits << 5 | u32::from(value)) & 0xFFF;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    // One, three or six digits are no whole number of bytes.
    let whole = !matches!(digits % 8, 1 | 3 | 6);
    whole.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn base32_is_that_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "MY======"),
            ("fo", "MZXQ===="),
            ("foo", "MZXW6==="),
            ("foob", "MZXW6YQ="),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI======"),
        ] {
            assert_eq!(base32(bytes.as_bytes()), text.trim_end_matches('='));
            assert_eq!(base32_decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(base32_decode("mzxw 6yt-b").as_deref(), Some(&b"fooba"[..]));
        for wrong in ["M", "MZX", "MZXW6Y", "MZXW1", "M=Y", "ü", "MY=A"] {
            assert_eq!(base32_decode(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn texts_that_are_not_encoded_are_none() {
        for (encoding, text) in [
            (Encoding::Hex, "0"),
            (Encoding::Hex, "0g"),
            (Encoding::Hex, "é0"),
            (Encoding::Base64, "YQ-_"),
            (Encoding::Base64, "Y"),
            (Encoding::Base64, "YQ== "),
            // The last digit has bits that belong to no byte.
            (Encoding::Base64, "YR=="),
            (Encoding::Base64Url, "YQ+/"),
        ] {
            assert_eq!(encoding.decode(text), None, "{encoding:?} {text}");
        }
        assert_eq!(Encoding::Hex.decode("00fF").as_deref(), Some(&[0, 255][..]));
        assert_eq!(Encoding::Base64.decode("YQ").as_deref(), Some(&b"a"[..]));
    }

    proptest! {
        #[test]
        fn bytes_survive_every_encoding(bytes: Vec<u8>) {
            for encoding in [Encoding::Hex, Encoding::Base64, Encoding::Base64Url] {
                prop_assert_eq!(encoding.decode(&encoding.encode(&bytes)), Some(bytes.clone()));
            }
            prop_assert_eq!(base32_decode(&base32(&bytes)), Some(bytes));
        }
    }
}
