//! A keyring whose master key is in a file.

use std::path::Path;

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use sortkey_core::{DataKey, KeyError, Keyring};

use crate::random::random;

/// One master key of 32 bytes, from a file or from the operating system's randomness. The alias is authenticated with
/// every wrapped key, so that a key of one tenant cannot be passed off as another's.
pub struct KeyFile {
    cipher: Aes256Gcm,
}

impl KeyFile {
    /// A keyring with this master key.
    pub fn from_key(key: [u8; 32]) -> KeyFile {
        KeyFile { cipher: Aes256Gcm::new(&key.into()) }
    }

    /// A keyring with a master key that ends with the process.
    pub fn ephemeral() -> Result<KeyFile, KeyError> {
        random().map(KeyFile::from_key)
    }

    /// The keyring whose master key a file holds as 64 hexadecimal digits; the file is made if it is not there.
    pub fn open_or_create(path: &Path) -> Result<KeyFile, KeyError> {
        match std::fs::read_to_string(path) {
            Ok(text) => parse(text.trim()).map(KeyFile::from_key).ok_or_else(|| {
                KeyError(format!("{} does not hold a key of 64 hexadecimal digits", path.display()))
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let key: [u8; 32] = random()?;
                let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
                write_private(path, &text)
                    .map_err(|error| KeyError(format!("{}: {error}", path.display())))?;
                Ok(KeyFile::from_key(key))
            }
            Err(error) => Err(KeyError(format!("{}: {error}", path.display()))),
        }
    }
}

impl Keyring for KeyFile {
    fn new_data_key(&self, alias: &str) -> Result<DataKey, KeyError> {
        let (plain, nonce) = (random::<32>()?, random::<12>()?);
        let payload = Payload { msg: &plain, aad: alias.as_bytes() };
        let sealed = self.cipher.encrypt(Nonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| KeyError("the data key cannot be wrapped".to_owned()))?;
        Ok(DataKey { plain, wrapped: [&nonce[..], &sealed].concat() })
    }

    fn unwrap(&self, alias: &str, wrapped: &[u8]) -> Result<[u8; 32], KeyError> {
        let foreign = || KeyError(format!("the key of `{alias}` does not open with this keyring"));
        let (nonce, sealed) = wrapped.split_at_checked(12).ok_or_else(foreign)?;
        let payload = Payload { msg: sealed, aad: alias.as_bytes() };
        let plain = self.cipher.decrypt(Nonce::from_slice(nonce), payload).map_err(|_| foreign())?;
        plain.try_into().map_err(|_| foreign())
    }
}

fn parse(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut key = [0; 32];
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(key)
}

/// Nobody but the owner may read it, from the moment it exists.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
