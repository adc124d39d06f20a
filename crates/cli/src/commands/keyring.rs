//! `sortkey keyring`: the keys that seal secrets.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sortkey_access::{IdentityFile, Keyring, KeyringSource};

use super::Run;
use crate::designs;
use crate::failure::Failure;
use crate::keyring::{KeyringArguments, PASSPHRASE};
use crate::{data_key, sealed_key};

/// Make and rotate the keyring
///
/// The keyring contains the keys that seal access keys (`sortkey auth`), the data keys of encrypted databases (`--encrypt`)
/// and the key of encrypted attributes (`sortkey up`).
/// Rotation adds a new key and seals everything that is named anew, in place; items are not touched, since their own key is
/// among what is sealed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey keyring create --keyring /etc/sortkey/keyring.json
  sortkey keyring create --kms alias/sortkey --keyring /etc/sortkey/keyring.json
  sortkey keyring rotate --auth auth.json --data .sortkey/shop")]
pub(super) struct KeyringCommand {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Make a keyring
    Create {
        /// Encrypt the file under this key of AWS KMS: its ARN, its id or an alias. Commands that read the file ask KMS to
        /// decrypt it, with the credentials and the region of the environment
        #[arg(long, value_name = "KEY")]
        kms: Option<String>,

        #[command(flatten)]
        keyring: KeyringArguments,
    },
    /// Add a key, and seal everything anew with it
    Rotate {
        /// A file of identities to seal anew; may be given several times
        #[arg(long, value_name = "FILE")]
        auth: Vec<PathBuf>,

        /// A data directory whose keys to seal anew; may be given several times
        #[arg(long, value_name = "DIR")]
        data: Vec<PathBuf>,

        /// Forget the old keys afterwards: what was not named cannot be read any more
        #[arg(long)]
        drop_old_keys: bool,

        #[command(flatten)]
        keyring: KeyringArguments,
    },
}

impl Run for KeyringCommand {
    const NAME: &'static str = "keyring";

    fn run(self) -> Result<(), Failure> {
        match self.act {
            Act::Create { kms, keyring } => create(kms.as_deref(), &keyring),
            Act::Rotate { auth, data, drop_old_keys, keyring } => {
                rotate(&auth, &data, drop_old_keys, &keyring)
            }
        }
    }
}

fn create(kms: Option<&str>, arguments: &KeyringArguments) -> Result<(), Failure> {
    let (path, source) = file(arguments)?;
    if path.exists() {
        return Err(Failure::new(format_args!("{} is there already", path.display()))
            .hint("`sortkey keyring rotate` adds a key to it; --keyring names another file"));
    }
    if kms.is_some() && std::env::var_os(PASSPHRASE).is_some_and(|passphrase| !passphrase.is_empty()) {
        return Err(Failure::new(format_args!(
            "the file is encrypted by --kms or by {PASSPHRASE}, not by both"
        ))
        .hint(format_args!("unset {PASSPHRASE}")));
    }
    let mut made = Keyring::generate().map_err(Failure::new)?;
    if let Some(key_id) = kms {
        made.protect_by_service(key_id);
    }
    made.save(&source).map_err(Failure::new)?;
    designs::say(&format!("{}\n", path.display()));
    Ok(())
}

/// The new key is saved before anything is sealed with it, and old ones are forgotten after everything was.
fn rotate(
    auth: &[PathBuf],
    data: &[PathBuf],
    drop_old_keys: bool,
    arguments: &KeyringArguments,
) -> Result<(), Failure> {
    let (path, source) = file(arguments)?;
    let missing = auth.iter().chain(data).find(|path| !path.exists());
    if let Some(missing) = missing {
        return Err(Failure::new(format_args!("{} is not there; nothing was changed", missing.display())));
    }
    let mut keyring = Keyring::open(&source).map_err(Failure::new)?;
    keyring.add_key().map_err(Failure::new)?;
    keyring.save(&source).map_err(Failure::new)?;
    for file in auth {
        IdentityFile::change(file, |file| file.reseal(&keyring)).map_err(Failure::new)?;
    }
    for folder in data {
        if sealed_key::exists(folder) {
            sealed_key::reseal(folder, &keyring)?;
        }
        data_key::reseal(folder, &keyring)?;
    }
    if drop_old_keys {
        keyring.drop_old_keys();
        keyring.save(&source).map_err(Failure::new)?;
    }
    let keys = keyring.count();
    designs::say(&format!("{}: {keys} key{}\n", path.display(), if keys == 1 { "" } else { "s" }));
    Ok(())
}

/// The file of the keyring, which can be changed.
fn file(arguments: &KeyringArguments) -> Result<(PathBuf, KeyringSource), Failure> {
    let source = arguments.source()?;
    match &source {
        KeyringSource::File { path, .. } => Ok((path.clone(), source)),
        KeyringSource::Command(_) => {
            Err(Failure::new("a keyring that a command prints cannot be changed here")
                .hint(format_args!("change it where it is kept, or use --keyring FILE with {PASSPHRASE}")))
        }
    }
}
