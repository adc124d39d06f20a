//! The keys of encrypted exports: in the files in sealed form, which the keyring opens.

use std::path::PathBuf;
use std::sync::OnceLock;

use sortkey_access::{Keyring, KeyringError};
use sortkey_storage::{DataKey, KeySealer, StorageError};

use crate::keyring::KeyringArguments;

/// The purpose that export keys are sealed for.
const PLACE: &str = "the files of an export";

/// Seals and opens keys with a keyring.
pub(crate) struct ExportKeys {
    arguments: KeyringArguments,
    /// The directory that must not contain the keyring.
    protected: PathBuf,
    keyring: OnceLock<Keyring>,
}

impl ExportKeys {
    /// The keys of a keyring that is opened when it is first needed: most servers never import an encrypted file.
    pub(crate) fn new(arguments: &KeyringArguments, protected: PathBuf) -> ExportKeys {
        ExportKeys { arguments: arguments.clone(), protected, keyring: OnceLock::new() }
    }

    /// The keys of a keyring that is open.
    pub(crate) fn of(keyring: Keyring, arguments: &KeyringArguments, protected: PathBuf) -> ExportKeys {
        ExportKeys { keyring: OnceLock::from(keyring), ..ExportKeys::new(arguments, protected) }
    }

    fn keyring(&self) -> Result<&Keyring, StorageError> {
        if let Some(keyring) = self.keyring.get() {
            return Ok(keyring);
        }
        let opened = self.arguments.open_existing(&self.protected);
        let opened = opened.map_err(|failure| StorageError::Locked(failure.to_string()))?;
        Ok(self.keyring.get_or_init(|| opened))
    }
}

impl KeySealer for ExportKeys {
    fn generate(&self) -> Result<DataKey, StorageError> {
        let secret = DataKey::generate()?;
        Ok(DataKey::new(secret, &self.keyring()?.seal(&secret, PLACE).map_err(locked)?))
    }

    fn open(&self, sealed: &str) -> Result<DataKey, StorageError> {
        const WHAT: &str = "the key of the export";
        let secret = self.keyring()?.open_sealed(sealed, PLACE, WHAT).map_err(locked)?;
        let secret: [u8; 32] = secret.try_into().map_err(|_| locked(KeyringError::Forged(WHAT)))?;
        Ok(DataKey::new(secret, sealed))
    }
}

fn locked(error: KeyringError) -> StorageError {
    StorageError::Locked(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_opened_by_its_keyring_only() {
        let keys =
            |keyring: &Keyring| ExportKeys::of(keyring.clone(), &KeyringArguments::default(), PathBuf::new());
        let (keyring, other) = (Keyring::generate().expect("random"), Keyring::generate().expect("random"));
        let made = keys(&keyring).generate().expect("made");
        assert_eq!(keys(&keyring).open(made.sealed()).expect("opened"), made);
        assert!(keys(&other).open(made.sealed()).is_err());
        // The data key of a database is sealed for another purpose.
        let elsewhere = keyring.seal(&[7; 32], "the data of a database").expect("sealed");
        assert!(keys(&keyring).open(&elsewhere).is_err());
    }
}
