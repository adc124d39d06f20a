//! The key of a design's encrypted attributes: kept with the data, sealed by a keyring that is not.
//!
//! Earlier versions kept it as it is, in the directory that it protects. Such a key is sealed when it is found; the file with
//! the bare key is removed once the sealed one is on disk.

use std::path::Path;

use sortkey_access::{Keyring, KeyringError};

use crate::failure::Failure;
use crate::secret_file;

/// The file with the sealed key.
const SEALED: &str = "keyring.sealed";

/// The file with the bare key, of earlier versions.
const BARE: &str = "keyring.key";

/// The purpose that the key is sealed for.
const PLACE: &str = "encrypted attributes";

/// Whether a directory has a sealed key.
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(SEALED).exists()
}

/// The key of a directory; it is made if there is none.
pub(crate) fn open_or_create(folder: &Path, keyring: &Keyring) -> Result<[u8; 32], Failure> {
    let path = folder.join(SEALED);
    match std::fs::read_to_string(&path) {
        Ok(sealed) => open(&path, &sealed, keyring),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let bare = folder.join(BARE);
            let existed = bare.exists();
            let key = if existed { secret_file::open_or_create(&bare)? } else { secret_file::random()? };
            save(&path, &key, keyring)?;
            if existed {
                std::fs::remove_file(&bare).map_err(|error| failed(&bare, &error))?;
            }
            Ok(key)
        }
        Err(error) => Err(failed(&path, &error)),
    }
}

/// Seals the key of a directory anew, with the newest key of the keyring.
pub(crate) fn reseal(folder: &Path, keyring: &Keyring) -> Result<(), Failure> {
    let path = folder.join(SEALED);
    let sealed = std::fs::read_to_string(&path).map_err(|error| failed(&path, &error))?;
    save(&path, &open(&path, &sealed, keyring)?, keyring)
}

fn open(path: &Path, sealed: &str, keyring: &Keyring) -> Result<[u8; 32], Failure> {
    let opened = keyring.open_sealed(sealed.trim(), PLACE, "the key of encrypted attributes");
    let key = opened
        .and_then(|key| key.try_into().map_err(|_| KeyringError::Forged("the key of encrypted attributes")));
    key.map_err(|error| {
        Failure::new(format_args!("{}: {error}", path.display()))
            .hint("start with the keyring it was made with (--keyring FILE); nothing was overwritten")
    })
}

fn save(path: &Path, key: &[u8; 32], keyring: &Keyring) -> Result<(), Failure> {
    let sealed = keyring.seal(key, PLACE).map_err(Failure::new)?;
    secret_file::replace(path, &sealed).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format_args!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // F-66: `keyring.key` was in the folder that it protects, and there was no rotation.
    #[test]
    fn a_bare_key_is_sealed_and_rotated_and_never_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let bare =
            secret_file::open_or_create(&folder.path().join(BARE)).expect("a key of an earlier version");
        let mut keyring = Keyring::generate().expect("random");
        assert_eq!(open_or_create(folder.path(), &keyring).expect("sealed"), bare);
        assert!(!folder.path().join(BARE).exists());
        let first = std::fs::read_to_string(folder.path().join(SEALED)).expect("sealed");

        keyring.add_key().expect("random");
        reseal(folder.path(), &keyring).expect("sealed anew");
        keyring.drop_old_keys();
        assert_eq!(open_or_create(folder.path(), &keyring).expect("opened"), bare);
        let second = std::fs::read_to_string(folder.path().join(SEALED)).expect("sealed");
        assert_ne!(first, second);

        let other = Keyring::generate().expect("random");
        assert!(open_or_create(folder.path(), &other).is_err());
        assert_eq!(std::fs::read_to_string(folder.path().join(SEALED)).expect("still there"), second);
    }
}
