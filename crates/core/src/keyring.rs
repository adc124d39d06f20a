//! Keyrings, which keep the keys of encrypted attributes.
//!
//! Values are encrypted under a data key; the data key is stored beside the value, wrapped by a key that never leaves
//! the keyring. A keyring never sees a value.

/// Wraps and unwraps data keys.
pub trait Keyring: Send + Sync + 'static {
    /// A new data key for an alias, plain and wrapped.
    fn new_data_key(&self, alias: &str) -> Result<DataKey, KeyError>;
    /// The plain data key that was wrapped under an alias.
    fn unwrap(&self, alias: &str, wrapped: &[u8]) -> Result<[u8; 32], KeyError>;
}

/// A data key in both forms.
#[derive(Clone)]
pub struct DataKey {
    /// As it encrypts.
    pub plain: [u8; 32],
    /// As it is stored.
    pub wrapped: Vec<u8>,
}

/// A key that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError(pub String);

impl std::fmt::Display for KeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KeyError {}
