//! The key that signs the requests of one day, region and service.

use super::Scope;
use crate::hmac::HmacKey;

/// A key derived from a secret for one scope.
#[derive(Clone)]
pub struct SigningKey(HmacKey);

impl SigningKey {
    /// Derives the key of a scope.
    pub fn derive(secret: &str, scope: &Scope<'_>) -> SigningKey {
        let mut key = HmacKey::new(format!("AWS4{secret}").as_bytes());
        for part in [scope.date, scope.region, scope.service, "aws4_request"] {
            key = HmacKey::new(&key.sign(&[part.as_bytes()]));
        }
        SigningKey(key)
    }

    pub(super) fn sign(&self, pieces: &[&[u8]]) -> [u8; 32] {
        self.0.sign(pieces)
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey(..)")
    }
}
