//! A service that keeps a key and encrypts with it: AWS KMS. How it is reached is decided elsewhere.

use std::fmt::Debug;

/// Encrypts and decrypts small secrets with keys that never leave the service.
pub trait KeyService: Debug + Send + Sync {
    /// Encrypts a secret with the service's key of this name. Returns the key's full name, with which it can be found again,
    /// and the encrypted secret.
    fn encrypt(&self, key_id: &str, secret: &[u8]) -> Result<(String, Vec<u8>), String>;

    /// Decrypts what [`encrypt`](KeyService::encrypt) returned.
    fn decrypt(&self, key_id: &str, encrypted: &[u8]) -> Result<Vec<u8>, String>;
}
