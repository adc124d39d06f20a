//! HMAC-SHA256 (RFC 2104) with the key's two hash states prepared once, and comparison in constant time.

use sha2::{Digest, Sha256};

const BLOCK_BYTES: usize = 64;

/// A key that is ready to authenticate messages.
#[derive(Clone)]
pub(crate) struct HmacKey {
    inner: Sha256,
    outer: Sha256,
}

impl HmacKey {
    pub(crate) fn new(key: &[u8]) -> HmacKey {
        let mut block = [0; BLOCK_BYTES];
        match key.len() {
            0..=BLOCK_BYTES => block[..key.len()].copy_from_slice(key),
            _ => block[..32].copy_from_slice(&Sha256::digest(key)),
        }
        let padded = |pad: u8| Sha256::new_with_prefix(block.map(|byte| byte ^ pad));
        HmacKey { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// The code of a message, given in pieces.
    pub(crate) fn sign(&self, pieces: &[&[u8]]) -> [u8; 32] {
        let mut inner = self.inner.clone();
        pieces.iter().for_each(|piece| inner.update(piece));
        self.outer.clone().chain_update(inner.finalize()).finalize().into()
    }
}

/// Compares two codes in a time that does not depend on where they differ.
pub(crate) fn is_equal(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let difference = one.iter().zip(other).fold(0, |sum, (one, other)| sum | (one ^ other));
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    #[test]
    fn codes_are_those_of_rfc_4231() {
        for (key, message, expected) in [
            (
                &[0x0b; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            let (half, rest) = message.split_at(message.len() / 2);
            assert_eq!(hex::encode(&HmacKey::new(key).sign(&[half, rest])), expected);
        }
    }
}
