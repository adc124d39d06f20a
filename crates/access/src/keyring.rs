//! The keyring: keys that seal secrets, kept apart from what they seal.
//!
//! A keyring is a small JSON file of keys, each with an id. A sealed value names the key it was sealed with, so keys can be
//! rotated: new values use the newest key, old ones stay readable until they are sealed anew. With a passphrase, the file
//! itself is encrypted under a key that Argon2id derives from it.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use argon2::Argon2;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use thiserror::Error;

const NONCE_BYTES: usize = 12;

/// Where a keyring comes from.
#[derive(Clone, Debug)]
pub enum KeyringSource {
    /// A file; with a passphrase if it is encrypted.
    File {
        /// Where it is.
        path: PathBuf,
        /// What it is encrypted with.
        passphrase: Option<String>,
    },
    /// A command that prints what the file would contain.
    Command(String),
}

/// A keyring that cannot be used.
#[derive(Debug, Error)]
pub enum KeyringError {
    /// It cannot be read or written.
    #[error("the keyring {0}: {1}")]
    File(PathBuf, std::io::Error),
    /// It is not what we write.
    #[error("the keyring is not valid: {0}")]
    Content(String),
    /// It would be next to what it seals.
    #[error("the keyring {0} is in the same directory as {1}, which it protects: keep it elsewhere")]
    TooClose(PathBuf, PathBuf),
    /// It is encrypted.
    #[error("the keyring is encrypted: give its passphrase in SORTKEY_KEYRING_PASSPHRASE")]
    PassphraseNeeded,
    /// It is encrypted with another one.
    #[error("the passphrase of the keyring is wrong")]
    WrongPassphrase,
    /// The key of a sealed value is not in the keyring.
    #[error("the keyring has no key `{0}`, which {1} was sealed with: use the keyring it was made with")]
    NoKey(String, &'static str),
    /// A sealed value was changed, or belongs somewhere else.
    #[error("{0} was changed, or was sealed for another place")]
    Forged(&'static str),
    /// The operating system.
    #[error("the system gives no random bytes: {0}")]
    Randomness(getrandom::Error),
}

/// Keys, the newest last.
#[derive(Clone)]
pub struct Keyring {
    keys: Vec<(String, [u8; 32])>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<Key>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encrypted: Option<Encrypted>,
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

impl Keyring {
    /// A new keyring with one key.
    pub fn generate() -> Result<Keyring, KeyringError> {
        let mut keyring = Keyring { keys: Vec::new() };
        keyring.add_key()?;
        Ok(keyring)
    }

    /// Reads a keyring.
    pub fn open(source: &KeyringSource) -> Result<Keyring, KeyringError> {
        match source {
            KeyringSource::File { path, passphrase } => {
                let text =
                    std::fs::read_to_string(path).map_err(|error| KeyringError::File(path.clone(), error))?;
                parse(&text, passphrase.as_deref())
            }
            KeyringSource::Command(command) => parse(&output(command)?, None),
        }
    }

    /// Reads a keyring, and makes it if it is a file that is not there.
    pub fn open_or_create(source: &KeyringSource) -> Result<(Keyring, bool), KeyringError> {
        match (Keyring::open(source), source) {
            (Err(KeyringError::File(_, error)), KeyringSource::File { path, passphrase })
                if error.kind() == std::io::ErrorKind::NotFound =>
            {
                let keyring = Keyring::generate()?;
                keyring.save(path, passphrase.as_deref())?;
                Ok((keyring, true))
            }
            (opened, _) => Ok((opened?, false)),
        }
    }

    /// Adds a key, with which everything is sealed from now on.
    pub fn add_key(&mut self) -> Result<(), KeyringError> {
        let id: [u8; 4] = random()?;
        let id = id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.keys.push((id, random()?));
        Ok(())
    }

    /// Forgets all keys but the newest.
    pub fn drop_old_keys(&mut self) {
        self.keys.drain(..self.keys.len().saturating_sub(1));
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// Writes the keyring to a file that only its owner can read.
    pub fn save(&self, path: &Path, passphrase: Option<&str>) -> Result<(), KeyringError> {
        let keys: Vec<Key> =
            self.keys.iter().map(|(id, key)| Key { id: id.clone(), key: STANDARD.encode(key) }).collect();
        let plain = File { keys, encrypted: None };
        let file = match passphrase {
            None => plain,
            Some(passphrase) => encrypt(&plain, passphrase)?,
        };
        let text =
            serde_json::to_vec_pretty(&file).map_err(|error| KeyringError::Content(error.to_string()))?;
        write_private(path, &text).map_err(|error| KeyringError::File(path.to_owned(), error))
    }

    /// Seals a secret for one place; opened anywhere else it is rejected.
    pub fn seal(&self, secret: &[u8], place: &str) -> Result<String, KeyringError> {
        let (id, key) = self.keys.last().ok_or_else(|| KeyringError::Content("it has no key".to_owned()))?;
        Ok(format!("{id}:{}", STANDARD.encode(encrypt_bytes(key, secret, place)?)))
    }

    /// Opens a sealed secret.
    pub fn open_sealed(
        &self,
        sealed: &str,
        place: &str,
        what: &'static str,
    ) -> Result<Vec<u8>, KeyringError> {
        let (id, text) = sealed.split_once(':').ok_or(KeyringError::Forged(what))?;
        let found = self.keys.iter().find(|(known, _)| known == id);
        let (_, key) = found.ok_or_else(|| KeyringError::NoKey(id.to_owned(), what))?;
        let bytes = STANDARD.decode(text).map_err(|_| KeyringError::Forged(what))?;
        decrypt_bytes(key, &bytes, place).ok_or(KeyringError::Forged(what))
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|(id, _)| id)).finish()
    }
}

/// Refuses a keyring that is kept in the directory of what it protects, or below it.
pub fn check_apart(keyring: &Path, protected: &Path) -> Result<(), KeyringError> {
    let folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()
    };
    match (folder(keyring), folder(protected)) {
        (Some(keys), Some(data)) if keys.starts_with(&data) => {
            Err(KeyringError::TooClose(keyring.to_owned(), protected.to_owned()))
        }
        _ => Ok(()),
    }
}

fn parse(text: &str, passphrase: Option<&str>) -> Result<Keyring, KeyringError> {
    let content = |error: &dyn fmt::Display| KeyringError::Content(error.to_string());
    let file: File = serde_json::from_str(text).map_err(|error| content(&error))?;
    let file = match (file.encrypted, passphrase) {
        (None, _) => File { keys: file.keys, encrypted: None },
        (Some(_), None) => return Err(KeyringError::PassphraseNeeded),
        (Some(encrypted), Some(passphrase)) => decrypt(&encrypted, passphrase)?,
    };
    let mut keys = Vec::new();
    for Key { id, key } in file.keys {
        let bytes = STANDARD.decode(&key).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        keys.push((id, bytes.ok_or_else(|| content(&"a key does not have 32 bytes"))?));
    }
    match keys.is_empty() {
        true => Err(content(&"it has no key")),
        false => Ok(Keyring { keys }),
    }
}

fn encrypt(plain: &File, passphrase: &str) -> Result<File, KeyringError> {
    let content = |error: serde_json::Error| KeyringError::Content(error.to_string());
    let salt: [u8; 16] = random()?;
    let key = derive(passphrase, &salt)?;
    let text = serde_json::to_vec(plain).map_err(content)?;
    let sealed = STANDARD.encode(encrypt_bytes(&key, &text, "keyring")?);
    let encrypted = Encrypted { kdf: "argon2id".to_owned(), salt: STANDARD.encode(salt), sealed };
    Ok(File { keys: Vec::new(), encrypted: Some(encrypted) })
}

fn decrypt(encrypted: &Encrypted, passphrase: &str) -> Result<File, KeyringError> {
    let content = |what: &str| KeyringError::Content(what.to_owned());
    if encrypted.kdf != "argon2id" {
        return Err(content("its key derivation is not argon2id"));
    }
    let salt = STANDARD.decode(&encrypted.salt).map_err(|_| content("its salt is not Base64"))?;
    let sealed = STANDARD.decode(&encrypted.sealed).map_err(|_| content("its content is not Base64"))?;
    let key = derive(passphrase, &salt)?;
    let text = decrypt_bytes(&key, &sealed, "keyring").ok_or(KeyringError::WrongPassphrase)?;
    serde_json::from_slice(&text).map_err(|error| KeyringError::Content(error.to_string()))
}

fn derive(passphrase: &str, salt: &[u8]) -> Result<[u8; 32], KeyringError> {
    let mut key = [0; 32];
    let derived = Argon2::default().hash_password_into(passphrase.as_bytes(), salt, &mut key);
    derived.map_err(|error| KeyringError::Content(error.to_string()))?;
    Ok(key)
}

fn encrypt_bytes(key: &[u8; 32], plain: &[u8], place: &str) -> Result<Vec<u8>, KeyringError> {
    let nonce: [u8; NONCE_BYTES] = random()?;
    let payload = Payload { msg: plain, aad: place.as_bytes() };
    let encrypted = Aes256Gcm::new(key.into()).encrypt(Nonce::from_slice(&nonce), payload);
    let encrypted = encrypted.map_err(|_| KeyringError::Content("a secret is too long".to_owned()))?;
    Ok([&nonce[..], &encrypted].concat())
}

fn decrypt_bytes(key: &[u8; 32], bytes: &[u8], place: &str) -> Option<Vec<u8>> {
    let (nonce, encrypted) = bytes.split_at_checked(NONCE_BYTES)?;
    let payload = Payload { msg: encrypted, aad: place.as_bytes() };
    Aes256Gcm::new(key.into()).decrypt(Nonce::from_slice(nonce), payload).ok()
}

fn output(command: &str) -> Result<String, KeyringError> {
    let failed = |why: String| KeyringError::Content(format!("`{command}`: {why}"));
    let output = std::process::Command::new("sh")
        .arg("-c")
        .arg(command)
        .stderr(std::process::Stdio::inherit())
        .output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    String::from_utf8(output.stdout).map_err(|_| failed("it prints no text".to_owned()))
}

pub(crate) fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], KeyringError> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).map_err(KeyringError::Randomness)?;
    Ok(bytes)
}

/// Writes a file beside the old one and puts it in its place, readable by its owner alone.
pub(crate) fn write_private(path: &Path, text: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    // Whatever has that name is not written to: it may be readable by others, or lead somewhere else.
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(text)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_in_its_place_only() {
        let keyring = Keyring::generate().expect("random");
        let sealed = keyring.seal(b"secret", "here").expect("sealed");
        assert_eq!(keyring.open_sealed(&sealed, "here", "it").expect("opened"), b"secret");
        assert!(matches!(keyring.open_sealed(&sealed, "there", "it"), Err(KeyringError::Forged(_))));
        let other = Keyring::generate().expect("random");
        assert!(matches!(other.open_sealed(&sealed, "here", "it"), Err(KeyringError::NoKey(..))));
        let flipped = sealed.replace(':', ":A");
        assert!(keyring.open_sealed(&flipped, "here", "it").is_err());
        assert!(keyring.open_sealed("", "here", "it").is_err());
    }

    #[test]
    fn rotation_keeps_old_values_readable_until_the_old_keys_are_dropped() {
        let mut keyring = Keyring::generate().expect("random");
        let old = keyring.seal(b"secret", "here").expect("sealed");
        keyring.add_key().expect("random");
        assert_eq!(keyring.open_sealed(&old, "here", "it").expect("opened"), b"secret");
        let new = keyring.seal(b"secret", "here").expect("sealed");
        keyring.drop_old_keys();
        assert!(keyring.open_sealed(&old, "here", "it").is_err());
        assert_eq!(keyring.open_sealed(&new, "here", "it").expect("opened"), b"secret");
    }

    #[test]
    fn a_passphrase_protects_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keyring.json");
        let source = |passphrase: Option<&str>| KeyringSource::File {
            path: path.clone(),
            passphrase: passphrase.map(str::to_owned),
        };
        let (made, is_new) = Keyring::open_or_create(&source(Some("correct horse"))).expect("made");
        assert!(is_new);
        let sealed = made.seal(b"secret", "here").expect("sealed");
        let (opened, is_new) = Keyring::open_or_create(&source(Some("correct horse"))).expect("opened");
        assert!(!is_new);
        assert_eq!(opened.open_sealed(&sealed, "here", "it").expect("opened"), b"secret");
        assert!(matches!(Keyring::open(&source(Some("wrong"))), Err(KeyringError::WrongPassphrase)));
        assert!(matches!(Keyring::open(&source(None)), Err(KeyringError::PassphraseNeeded)));
        std::fs::write(&path, "{}").expect("written");
        assert!(Keyring::open_or_create(&source(None)).is_err(), "a broken keyring is not replaced");
    }

    #[cfg(unix)]
    #[test]
    fn secrets_are_not_written_to_what_others_prepared() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (path, elsewhere) = (folder.path().join("keyring.json"), folder.path().join("elsewhere"));
        std::fs::write(&elsewhere, "").expect("written");
        std::os::unix::fs::symlink(&elsewhere, folder.path().join("keyring.json.new")).expect("linked");
        Keyring::generate().expect("random").save(&path, None).expect("saved");
        assert_eq!(std::fs::read(&elsewhere).expect("read"), b"", "a link is not followed");
        std::fs::write(folder.path().join("keyring.json.new"), "left behind, readable by all")
            .expect("written");
        Keyring::generate().expect("random").save(&path, None).expect("saved");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_command_prints_the_keyring() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keyring.json");
        Keyring::generate().expect("random").save(&path, None).expect("saved");
        assert!(Keyring::open(&KeyringSource::Command(format!("cat {}", path.display()))).is_ok());
        assert!(Keyring::open(&KeyringSource::Command("false".into())).is_err());
    }

    #[test]
    fn a_keyring_is_not_kept_beside_what_it_protects() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("below");
        std::fs::create_dir(&below).expect("made");
        let apart = |keyring: &Path, data: &Path| check_apart(keyring, data).is_ok();
        assert!(!apart(&folder.path().join("keyring.json"), &folder.path().join("auth.json")));
        assert!(!apart(&below.join("keyring.json"), &folder.path().join("auth.json")));
        assert!(apart(&folder.path().join("keyring.json"), &below.join("auth.json")));
    }
}
