//! The data key of an encrypted database: kept with the data, sealed by a keyring that is not.

use std::path::Path;

use sortkey_access::{Keyring, KeyringError};
use sortkey_storage::DataKey;
use sortkey_storage_fjall::FjallStore;

use crate::failure::Failure;
use crate::keyring::KeyringArguments;

/// The context that the key is sealed for.
const PLACE: &str = "the data of a database";

/// The key of the database in a directory, with the keyring that seals it; none if it is not encrypted. A database is encrypted when it is made, and only if
/// `encrypt` asks for it; one that is there is never changed.
pub(crate) fn open(
    folder: &Path,
    keyring: &KeyringArguments,
    encrypt: bool,
) -> Result<Option<(DataKey, Keyring)>, Failure> {
    if let Some(sealed) = FjallStore::sealed_key(folder).map_err(Failure::new)? {
        let keyring = keyring.open_existing(&folder.join("data"))?;
        return Ok(Some((unseal(&sealed, &keyring, folder)?, keyring)));
    }
    match (encrypt, FjallStore::exists(folder)) {
        (false, _) => Ok(None),
        (true, false) => {
            let keyring = keyring.open(&folder.join("data"))?;
            Ok(Some((generate(&keyring)?, keyring)))
        }
        (true, true) => Err(Failure::new(format_args!(
            "the database in {} is not encrypted, and a database is encrypted when it is made",
            folder.display()
        ))
        .hint(
            "make an encrypted copy: sortkey backup, then sortkey restore --encrypt into another directory",
        )),
    }
}

/// The key of the database in a directory, if it is encrypted.
pub(crate) fn of(folder: &Path, keyring: &KeyringArguments) -> Result<Option<DataKey>, Failure> {
    Ok(open(folder, keyring, false)?.map(|(key, _)| key))
}

/// A key for a database that is about to be made.
pub(crate) fn generate(keyring: &Keyring) -> Result<DataKey, Failure> {
    let secret = DataKey::generate().map_err(Failure::new)?;
    let sealed = keyring.seal(&secret, PLACE).map_err(Failure::new)?;
    Ok(DataKey::new(secret, &sealed))
}

/// The key of a database or of a backup, from its sealed form.
pub(crate) fn unseal(sealed: &str, keyring: &Keyring, what: &Path) -> Result<DataKey, Failure> {
    let opened = keyring.open_sealed(sealed, PLACE, "the data key");
    let secret =
        opened.and_then(|secret| secret.try_into().map_err(|_| KeyringError::Forged("the data key")));
    let secret: [u8; 32] = secret.map_err(|error| {
        Failure::new(format_args!("{}: {error}", what.display()))
            .hint("use the keyring it was made with (--keyring FILE); nothing was overwritten")
    })?;
    Ok(DataKey::new(secret, sealed))
}

/// Seals the key of a directory anew, with the newest key of the keyring. Nothing else changes.
pub(crate) fn reseal(folder: &Path, keyring: &Keyring) -> Result<(), Failure> {
    let Some(sealed) = FjallStore::sealed_key(folder).map_err(Failure::new)? else { return Ok(()) };
    let opened = keyring.open_sealed(&sealed, PLACE, "the data key").map_err(Failure::new)?;
    let secret: [u8; 32] =
        opened.try_into().map_err(|_| Failure::new(KeyringError::Forged("the data key")))?;
    let sealed = keyring.seal(&secret, PLACE).map_err(Failure::new)?;
    FjallStore::reseal_key(folder, &DataKey::new(secret, &sealed)).map_err(Failure::new)
}
