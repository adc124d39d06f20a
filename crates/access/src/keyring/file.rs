//! The file of a keyring: its keys as they are, under a passphrase, or under a key that a service such as AWS KMS keeps.
//!
//! With a service, the keys are encrypted under a random key, and that one is in the file in the form that the service
//! encrypted it: the service never sees the keyring, and the keyring has no largest size.

use argon2::Argon2;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::service::KeyService;
use super::{KeyringError, decrypt_bytes, encrypt_bytes, random};

/// The purpose that keys are sealed for within their own file.
const PLACE: &str = "keyring";

/// The keys, each with its id, and the key of the service that protects them, if one does.
pub(super) struct Content {
    pub(super) keys: Vec<(String, [u8; 32])>,
    pub(super) service_key: Option<String>,
    /// Whether the keys are in the file as they are.
    pub(super) is_plain: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<Key>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encrypted: Option<Encrypted>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kms: Option<Wrapped>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    id: String,
    key: String,
}

/// Keys under a passphrase.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Encrypted {
    kdf: String,
    salt: String,
    sealed: String,
}

/// Keys under a key that a service encrypted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped {
    /// The service's own key.
    key: String,
    /// The key of `sealed`, as the service encrypted it.
    wrapped: String,
    sealed: String,
}

impl Content {
    /// Reads the text of a file.
    pub(super) fn parse(
        text: &str,
        passphrase: Option<&str>,
        service: Option<&dyn KeyService>,
    ) -> Result<Content, KeyringError> {
        let file: File =
            serde_json::from_str(text).map_err(|error| KeyringError::Content(error.to_string()))?;
        let service_key = file.kms.as_ref().map(|wrapped| wrapped.key.clone());
        let is_plain = file.kms.is_none() && file.encrypted.is_none();
        let file = match (file.kms, file.encrypted) {
            (Some(_), Some(_)) => return Err(content("it has both a passphrase and a key service")),
            (Some(wrapped), None) => unwrap(&wrapped, service)?,
            (None, Some(encrypted)) => {
                decrypt(&encrypted, passphrase.ok_or(KeyringError::PassphraseNeeded)?)?
            }
            (None, None) => File { keys: file.keys, encrypted: None, kms: None },
        };
        let mut keys = Vec::new();
        for Key { id, key } in file.keys {
            let bytes = STANDARD.decode(&key).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
            keys.push((id, bytes.ok_or_else(|| content("a key does not have 32 bytes"))?));
        }
        match keys.is_empty() {
            true => Err(content("it has no key")),
            false => Ok(Content { keys, service_key, is_plain }),
        }
    }

    /// The text of a file: under the key of a service if one is named, otherwise under the passphrase if there is one.
    pub(super) fn print(
        &self,
        passphrase: Option<&str>,
        service: Option<&dyn KeyService>,
    ) -> Result<Vec<u8>, KeyringError> {
        let keys =
            self.keys.iter().map(|(id, key)| Key { id: id.clone(), key: STANDARD.encode(key) }).collect();
        let plain = File { keys, encrypted: None, kms: None };
        let file = match (&self.service_key, passphrase) {
            (Some(key), _) => wrap(&plain, key, service)?,
            (None, Some(passphrase)) => encrypt(&plain, passphrase)?,
            (None, None) => plain,
        };
        serde_json::to_vec_pretty(&file).map_err(|error| KeyringError::Content(error.to_string()))
    }
}

fn wrap(plain: &File, key_id: &str, service: Option<&dyn KeyService>) -> Result<File, KeyringError> {
    let service = service.ok_or_else(|| content("no key service can be reached from here"))?;
    let key: [u8; 32] = random()?;
    let (key_id, wrapped) = service.encrypt(key_id, &key).map_err(KeyringError::Service)?;
    let wrapped = Wrapped { key: key_id, wrapped: STANDARD.encode(wrapped), sealed: seal(plain, &key)? };
    Ok(File { keys: Vec::new(), encrypted: None, kms: Some(wrapped) })
}

fn unwrap(wrapped: &Wrapped, service: Option<&dyn KeyService>) -> Result<File, KeyringError> {
    let service = service.ok_or_else(|| content("no key service can be reached from here"))?;
    let blob = STANDARD.decode(&wrapped.wrapped).map_err(|_| content("its wrapped key is not Base64"))?;
    let key = service.decrypt(&wrapped.key, &blob).map_err(KeyringError::Service)?;
    let key: [u8; 32] = key.try_into().map_err(|_| content("its wrapped key does not have 32 bytes"))?;
    open(&wrapped.sealed, &key)?.ok_or(KeyringError::Forged("the keyring"))
}

fn encrypt(plain: &File, passphrase: &str) -> Result<File, KeyringError> {
    let salt: [u8; 16] = random()?;
    let sealed = seal(plain, &derive(passphrase, &salt)?)?;
    let encrypted = Encrypted { kdf: "argon2id".to_owned(), salt: STANDARD.encode(salt), sealed };
    Ok(File { keys: Vec::new(), encrypted: Some(encrypted), kms: None })
}

fn decrypt(encrypted: &Encrypted, passphrase: &str) -> Result<File, KeyringError> {
    if encrypted.kdf != "argon2id" {
        return Err(content("its key derivation is not argon2id"));
    }
    let salt = STANDARD.decode(&encrypted.salt).map_err(|_| content("its salt is not Base64"))?;
    open(&encrypted.sealed, &derive(passphrase, &salt)?)?.ok_or(KeyringError::WrongPassphrase)
}

fn derive(passphrase: &str, salt: &[u8]) -> Result<[u8; 32], KeyringError> {
    let mut key = [0; 32];
    let derived = Argon2::default().hash_password_into(passphrase.as_bytes(), salt, &mut key);
    derived.map_err(|error| KeyringError::Content(error.to_string()))?;
    Ok(key)
}

fn seal(plain: &File, key: &[u8; 32]) -> Result<String, KeyringError> {
    let text = serde_json::to_vec(plain).map_err(|error| KeyringError::Content(error.to_string()))?;
    Ok(STANDARD.encode(encrypt_bytes(key, &text, PLACE)?))
}

/// The sealed keys; none if the key is another one, or if they were changed.
fn open(sealed: &str, key: &[u8; 32]) -> Result<Option<File>, KeyringError> {
    let sealed = STANDARD.decode(sealed).map_err(|_| content("its content is not Base64"))?;
    let Some(text) = decrypt_bytes(key, &sealed, PLACE) else { return Ok(None) };
    serde_json::from_slice(&text).map(Some).map_err(|error| KeyringError::Content(error.to_string()))
}

fn content(what: &str) -> KeyringError {
    KeyringError::Content(what.to_owned())
}
