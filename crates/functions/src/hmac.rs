//! HMAC (RFC 2104) with SHA-1, SHA-256 and SHA-512, and comparison in constant time.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2_for_hmac::{Sha256, Sha512};
use subtle::ConstantTimeEq as _;

/// The hash function below an HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// For TOTP and providers that never moved on. HMAC does not depend on what is broken about SHA-1.
    Sha1,
    /// The default of nearly every provider.
    Sha256,
    /// For providers that ask for it.
    Sha512,
}

/// The code of a message, given in pieces that are read as one.
pub fn sign(algorithm: Algorithm, key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    match algorithm {
        Algorithm::Sha1 => fed::<Hmac<Sha1>>(key, pieces).map(finish),
        Algorithm::Sha256 => fed::<Hmac<Sha256>>(key, pieces).map(finish),
        Algorithm::Sha512 => fed::<Hmac<Sha512>>(key, pieces).map(finish),
    }
    .unwrap_or_default()
}

/// Whether a code belongs to a message, decided in a time that does not depend on where the codes differ.
pub fn verify(algorithm: Algorithm, key: &[u8], pieces: &[&[u8]], code: &[u8]) -> bool {
    match algorithm {
        Algorithm::Sha1 => fed::<Hmac<Sha1>>(key, pieces).map(|mac| mac.verify_slice(code).is_ok()),
        Algorithm::Sha256 => fed::<Hmac<Sha256>>(key, pieces).map(|mac| mac.verify_slice(code).is_ok()),
        Algorithm::Sha512 => fed::<Hmac<Sha512>>(key, pieces).map(|mac| mac.verify_slice(code).is_ok()),
    }
    .unwrap_or(false)
}

/// Whether two secrets are equal, decided in a time that depends on their lengths alone.
pub fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

/// An HMAC that has read the pieces. HMAC takes keys of every length, so there always is one.
fn fed<M: Mac + KeyInit>(key: &[u8], pieces: &[&[u8]]) -> Option<M> {
    let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
    pieces.iter().for_each(|piece| mac.update(piece));
    Some(mac)
}

fn finish(mac: impl Mac) -> Vec<u8> {
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding::Hex;

    // RFC 2202 and RFC 4231.
    #[test]
    fn codes_are_those_of_the_rfcs() {
        let long_key = [0xaa; 131];
        let cases: [(Algorithm, &[u8], &[u8], &str); 6] = [
            (Algorithm::Sha1, &[0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
            (
                Algorithm::Sha1,
                b"Jefe",
                b"what do ya want for nothing?",
                "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            ),
            (
                Algorithm::Sha256,
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                Algorithm::Sha256,
                &long_key,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                Algorithm::Sha512,
                b"Jefe",
                b"what do ya want for nothing?",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                 9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ),
            (
                Algorithm::Sha512,
                &[0x0b; 20],
                b"Hi There",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
                 daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ),
        ];
        for (algorithm, key, message, expected) in cases {
            let (half, rest) = message.split_at(message.len() / 2);
            let code = sign(algorithm, key, &[half, rest]);
            assert_eq!(Hex.encode(&code), expected);
            assert!(verify(algorithm, key, &[message], &code));
            for at in 0..code.len() {
                let mut wrong = code.clone();
                wrong[at] ^= 1;
                assert!(!verify(algorithm, key, &[message], &wrong));
            }
            assert!(!verify(algorithm, key, &[message], &code[1..]));
            assert!(!verify(algorithm, key, &[message], &[]));
            assert!(!verify(algorithm, b"another key", &[message], &code));
        }
    }

    #[test]
    fn equality_is_that_of_slices() {
        assert!(is_equal(b"", b""));
        assert!(is_equal(b"abc", b"abc"));
        assert!(!is_equal(b"abc", b"abd"));
        assert!(!is_equal(b"abc", b"ab"));
    }
}
