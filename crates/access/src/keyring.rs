//! The keyring: keys that seal secrets, kept apart from what they seal.
//!
//! A keyring is a small JSON file of keys, each with an id. A sealed value names the key it was sealed with, so keys can be
//! rotated: new values use the newest key, old ones stay readable until they are sealed anew. With a passphrase, the file
//! itself is encrypted under a key that Argon2id derives from it; with a key service, under a key that the service encrypted.

mod file;
mod service;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use self::file::Content;
pub use self::service::KeyService;

const NONCE_BYTES: usize = 12;

/// No keyring is larger: a thousand keys take a tenth of it.
const MAX_BYTES: u64 = 1 << 20;

/// The source of a keyring.
#[derive(Clone, Debug)]
pub enum KeyringSource {
    /// A file; with a passphrase if it is encrypted.
    File {
        /// Its place.
        path: PathBuf,
        /// The passphrase it is encrypted with.
        passphrase: Option<String>,
        /// Decrypts the key of a file that is marked as encrypted by a service.
        service: Option<Arc<dyn KeyService>>,
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
    /// Its keys are in plain text, and others may read them.
    #[error(
        "the keyring {0} has the mode {1:o}, so that others can read its keys: `chmod 600` it, or give it a passphrase"
    )]
    Readable(PathBuf, u32),
    /// It is encrypted.
    #[error("the keyring is encrypted: give its passphrase in SORTKEY_KEYRING_PASSPHRASE")]
    PassphraseNeeded,
    /// It is encrypted with another one.
    #[error("the passphrase of the keyring is wrong")]
    WrongPassphrase,
    /// The service does not decrypt or encrypt the key of the file.
    #[error("the keyring is encrypted under a key of AWS KMS, which cannot be used: {0}")]
    Service(String),
    /// The key of a sealed value is not in the keyring.
    #[error("the keyring has no key `{0}`, which {1} was sealed with: use the keyring it was made with")]
    NoKey(String, &'static str),
    /// A sealed value was changed, or belongs somewhere else.
    #[error("{0} was changed, or was sealed for another place")]
    Forged(&'static str),
    /// The operating system.
    #[error("the operating system has no random bytes to give: {0}")]
    Randomness(getrandom::Error),
}

/// Keys, the newest last.
#[derive(Clone)]
pub struct Keyring {
    keys: Vec<(String, [u8; 32])>,
    /// The service's key that the file is encrypted under, if it is.
    service_key: Option<String>,
}

impl Keyring {
    /// A new keyring with one key.
    pub fn generate() -> Result<Keyring, KeyringError> {
        let mut keyring = Keyring { keys: Vec::new(), service_key: None };
        keyring.add_key()?;
        Ok(keyring)
    }

    /// Reads a keyring.
    pub fn open(source: &KeyringSource) -> Result<Keyring, KeyringError> {
        match source {
            KeyringSource::File { path, passphrase, service } => {
                let text = std::fs::File::open(path).and_then(bounded);
                let text = text.map_err(|error| KeyringError::File(path.clone(), error))?;
                let Content { keys, service_key, is_plain } =
                    Content::parse(&text, passphrase.as_deref(), service.as_deref())?;
                if is_plain {
                    check_private(path)?;
                }
                Ok(Keyring { keys, service_key })
            }
            KeyringSource::Command(command) => {
                let Content { keys, service_key, .. } = Content::parse(&output(command)?, None, None)?;
                Ok(Keyring { keys, service_key })
            }
        }
    }

    /// Encrypts the file from now on under a key of the service.
    pub fn protect_by_service(&mut self, key_id: &str) {
        self.service_key = Some(key_id.to_owned());
    }

    /// Reads a keyring, and makes it if it is a file that is not there.
    pub fn open_or_create(source: &KeyringSource) -> Result<(Keyring, bool), KeyringError> {
        match (Keyring::open(source), source) {
            (Err(KeyringError::File(_, error)), KeyringSource::File { .. })
                if error.kind() == std::io::ErrorKind::NotFound =>
            {
                let keyring = Keyring::generate()?;
                keyring.save(source)?;
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

    /// Writes the keyring to its file, which only its owner can read. Fails for a keyring that a command
    /// prints.
    pub fn save(&self, source: &KeyringSource) -> Result<(), KeyringError> {
        let KeyringSource::File { path, passphrase, service } = source else {
            return Err(KeyringError::Content("what a command prints cannot be changed here".to_owned()));
        };
        let is_plain = passphrase.is_none() && self.service_key.is_none();
        let content = Content { keys: self.keys.clone(), service_key: self.service_key.clone(), is_plain };
        let text = content.print(passphrase.as_deref(), service.as_deref())?;
        write_private(path, &text).map_err(|error| KeyringError::File(path.clone(), error))
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

/// Refuses a keyring that is kept in the directory of what it protects, or below it. A link counts as what it leads to, and as
/// itself: a copy of the directory would contain either.
pub fn check_apart(keyring: &Path, protected: &Path) -> Result<(), KeyringError> {
    let folder = |path: &Path| resolved(path.parent().unwrap_or(path));
    let data = folder(protected);
    let target = keyring.canonicalize().ok().map(|target| folder(&target));
    match [Some(folder(keyring)), target].into_iter().flatten().any(|keys| keys.starts_with(&data)) {
        true => Err(KeyringError::TooClose(keyring.to_owned(), protected.to_owned())),
        false => Ok(()),
    }
}

/// A directory without links, also one that is yet to be made.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path.join(".")).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|there| Some((there.canonicalize().ok()?, there)));
    match found {
        Some((real, there)) => real.join(path.strip_prefix(there).unwrap_or(Path::new(""))),
        None => path,
    }
}

/// Refuses a file of plain keys that others than its owner may read.
fn check_private(path: &Path) -> Result<(), KeyringError> {
    #[cfg(unix)]
    {
        let metadata = std::fs::metadata(path).map_err(|error| KeyringError::File(path.to_owned(), error))?;
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyringError::Readable(path.to_owned(), mode));
        }
    }
    Ok(())
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
    let run = || -> std::io::Result<(String, ExitStatus)> {
        let mut child = Command::new("sh").arg("-c").arg(command).stdout(Stdio::piped()).spawn()?;
        // Dropped before the command is waited for: one that prints without end is ended by that.
        let text = child.stdout.take().map_or(Ok(String::new()), bounded);
        let status = child.wait()?;
        Ok((text?, status))
    };
    match run() {
        Ok((text, status)) if status.success() => Ok(text),
        Ok((_, status)) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Reads text, up to the size that a keyring can have: what is named may be a device, or print without end.
fn bounded(from: impl std::io::Read) -> std::io::Result<String> {
    let mut text = String::new();
    let read = from.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    match read as u64 > MAX_BYTES {
        true => Err(std::io::Error::other("it is longer than a keyring can be (1 MB)")),
        false => Ok(text),
    }
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
    // An existing file of that name is removed, not written to: it may be readable by others, or be a link.
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
    std::fs::rename(&beside, path)?;
    // Until its directory is synced, a power failure may bring the old file back, or none: whatever was sealed with a new key
    // since then would be lost.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::File::open(folder)?.sync_all()
}
