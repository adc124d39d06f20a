//! API keys and their holders, kept in a file of hashes.
//!
//! A key is 32 random bytes, so its SHA-256 reveals nothing about it and needs no salt. The file can be changed
//! while a server runs: a key that was added works, and one that was taken out does not, from the next request on.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The prefix by which a key is recognised in a log or a leak.
const PREFIX: &str = "sortkey_";

/// The keys of a file.
#[derive(Debug)]
pub struct ApiKeys {
    path: PathBuf,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    modified: Option<Stamp>,
    holders: HashMap<String, Holder>,
}

/// Changes with the file: every change puts another file in its place, also within one tick of the clock.
type Stamp = (SystemTime, u64, u64);

/// The permissions of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holder {
    /// Anything: names its caller itself, and reaches `system` declarations.
    Admin,
    /// Those of this caller.
    Caller(Map<String, Json>),
}

/// A key in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    name: String,
    sha256: String,
    holder: Holder,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    keys: Vec<Entry>,
}

/// A key that was just made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The key that the client sends. It is shown once and never stored.
    pub secret: String,
}

/// A file of keys that cannot be used.
#[derive(Debug, Error)]
pub enum KeysError {
    /// It cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// Its content is invalid.
    #[error("{0} is not a file of API keys: {1}")]
    Content(PathBuf, serde_json::Error),
    /// Names are how keys are revoked.
    #[error("there is a key named `{0}` already")]
    Taken(String),
    /// Nothing to revoke.
    #[error("there is no key named `{0}`")]
    Unknown(String),
    /// The operating system has no random bytes to give.
    #[error("the operating system has no random bytes to give: {0}")]
    Randomness(getrandom::Error),
}

impl ApiKeys {
    /// The keys of a file; none if there is no file yet.
    pub fn open(path: &Path) -> Result<ApiKeys, KeysError> {
        let keys = ApiKeys { path: path.to_owned(), known: RwLock::default() };
        *keys.known.write() = load(path)?;
        Ok(keys)
    }

    /// The holder of a key.
    pub fn holder(&self, key: &str) -> Option<Holder> {
        self.refresh();
        self.known.read().holders.get(&hash(key)).cloned()
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.refresh();
        self.known.read().holders.len()
    }

    /// Makes a key and adds it to the file.
    pub fn create(path: &Path, name: &str, holder: Holder) -> Result<NewKey, KeysError> {
        let _alone = alone(path)?;
        let mut file = read(path)?;
        if file.keys.iter().any(|entry| entry.name == name) {
            return Err(KeysError::Taken(name.to_owned()));
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(KeysError::Randomness)?;
        let secret = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        file.keys.push(Entry { name: name.to_owned(), sha256: hash(&secret), holder });
        write(path, &file)?;
        Ok(NewKey { secret })
    }

    /// The names of the keys of a file, and who holds them.
    pub fn list(path: &Path) -> Result<Vec<(String, Holder)>, KeysError> {
        Ok(read(path)?.keys.into_iter().map(|entry| (entry.name, entry.holder)).collect())
    }

    /// Takes a key out of the file.
    pub fn revoke(path: &Path, name: &str) -> Result<(), KeysError> {
        let _alone = alone(path)?;
        let mut file = read(path)?;
        let before = file.keys.len();
        file.keys.retain(|entry| entry.name != name);
        if file.keys.len() == before {
            return Err(KeysError::Unknown(name.to_owned()));
        }
        write(path, &file)
    }

    /// Reads the file again if it changed. If it became unreadable, no key is accepted.
    fn refresh(&self) {
        let modified = modified(&self.path);
        if modified == self.known.read().modified {
            return;
        }
        let known = load(&self.path).unwrap_or_else(|error| {
            tracing::warn!(%error, "no API key is accepted");
            Known { modified, holders: HashMap::new() }
        });
        *self.known.write() = known;
    }
}

fn load(path: &Path) -> Result<Known, KeysError> {
    // Read before the content, so that the next request notices a change in between.
    let modified = modified(path);
    let holders = read(path)?.keys.into_iter().map(|entry| (entry.sha256, entry.holder)).collect();
    Ok(Known { modified, holders })
}

fn modified(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok()?, metadata.len(), number))
}

fn read(path: &Path) -> Result<File, KeysError> {
    match std::fs::read(path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| KeysError::Content(path.to_owned(), error))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(File::default()),
        Err(error) => Err(KeysError::File(path.to_owned(), error)),
    }
}

/// Lets one process at a time change a file of keys, for as long as the returned file is kept. The lock is on a file beside
/// it, since the file itself is replaced by every change.
fn alone(path: &Path) -> Result<std::fs::File, KeysError> {
    let failed = |error| KeysError::File(path.to_owned(), error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let beside = path.with_extension("lock");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    // Whoever can open it can lock it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&beside).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// Writes the whole file beside the old one and puts it in its place, so that no reader sees half of it.
fn write(path: &Path, file: &File) -> Result<(), KeysError> {
    let failed = |error| KeysError::File(path.to_owned(), error);
    let text = serde_json::to_vec_pretty(file).map_err(|error| KeysError::Content(path.to_owned(), error))?;
    let beside = path.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut opened = options.open(&beside).map_err(failed)?;
    opened.write_all(&text).and_then(|()| opened.sync_all()).map_err(failed)?;
    std::fs::rename(&beside, path).map_err(failed)
}

fn hash(key: &str) -> String {
    Sha256::digest(key.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_held_and_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/keys.json");
        let keys = ApiKeys::open(&path).unwrap();
        assert_eq!(keys.holder("anything"), None);

        let caller = Holder::Caller(Map::from_iter([("userId".to_owned(), Json::from("usr_1"))]));
        let made = ApiKeys::create(&path, "ci", caller.clone()).unwrap();
        assert!(matches!(ApiKeys::create(&path, "ci", Holder::Admin), Err(KeysError::Taken(_))));
        assert_eq!(keys.holder(&made.secret), Some(caller));
        assert!(!std::fs::read_to_string(&path).unwrap().contains(&made.secret));

        ApiKeys::revoke(&path, "ci").unwrap();
        assert!(matches!(ApiKeys::revoke(&path, "ci"), Err(KeysError::Unknown(_))));
        // Two changes within one tick of the file system's clock look alike; a fresh look does not.
        assert_eq!(ApiKeys::open(&path).unwrap().holder(&made.secret), None);
    }

    #[test]
    fn keys_that_are_made_at_once_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        std::thread::scope(|scope| {
            for at in 0..16 {
                let path = &path;
                scope.spawn(move || ApiKeys::create(path, &format!("key {at}"), Holder::Admin).unwrap());
            }
        });
        assert_eq!(ApiKeys::open(&path).unwrap().count(), 16);
    }

    #[test]
    fn a_broken_file_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(ApiKeys::open(&path), Err(KeysError::Content(..))));
    }
}
