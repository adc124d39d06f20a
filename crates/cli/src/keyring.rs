//! The location of the keyring, shared by the commands that need one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sortkey_access::{Keyring, KeyringSource, check_apart};

use crate::failure::Failure;
use crate::kms::AwsKms;

/// The environment variable with the passphrase of the keyring, which a command line would show to all processes.
pub(crate) const PASSPHRASE: &str = "SORTKEY_KEYRING_PASSPHRASE";

/// The location of the keyring.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct KeyringArguments {
    /// The file with the keys that seal secrets; not in the directory of what it protects. A new one is
    /// encrypted if SORTKEY_KEYRING_PASSPHRASE is set, or by AWS KMS: `sortkey keyring create --kms` [default: ~/.config/sortkey/keyring.json]
    #[arg(long = "keyring", value_name = "FILE", env = "SORTKEY_KEYRING")]
    keyring_file: Option<PathBuf>,

    /// A command that prints the keyring, instead of a file
    #[arg(
        long = "keyring-command",
        value_name = "COMMAND",
        env = "SORTKEY_KEYRING_COMMAND",
        conflicts_with = "keyring_file"
    )]
    keyring_command: Option<String>,
}

impl KeyringArguments {
    /// The keyring that protects a file or directory; a file is made if it is not there.
    pub(crate) fn open(&self, protected: &Path) -> Result<Keyring, Failure> {
        let source = self.source_apart(protected)?;
        let (keyring, is_new) = Keyring::open_or_create(&source).map_err(Failure::new)?;
        if let (true, KeyringSource::File { path, .. }) = (is_new, &source) {
            let mut terminal = std::io::stderr().lock();
            // Standard error is gone, so there is nowhere left to report this.
            let _ = std::io::Write::write_fmt(
                &mut terminal,
                format_args!(
                    "note: made the keyring {}; keep a copy: what it seals cannot be read without it\n",
                    path.display()
                ),
            );
        }
        Ok(keyring)
    }

    /// The keyring that something was sealed with. None is made: another one would not open it.
    pub(crate) fn open_existing(&self, protected: &Path) -> Result<Keyring, Failure> {
        Keyring::open(&self.source_apart(protected)?).map_err(|error| {
            Failure::new(error).hint(
                "name the keyring it was sealed with: --keyring FILE, --keyring-command or SORTKEY_KEYRING",
            )
        })
    }

    fn source_apart(&self, protected: &Path) -> Result<KeyringSource, Failure> {
        let source = self.source()?;
        if let KeyringSource::File { path, .. } = &source {
            check_apart(path, protected).map_err(|error| {
                Failure::new(error).hint("name another place with --keyring FILE or SORTKEY_KEYRING")
            })?;
        }
        Ok(source)
    }

    /// Its source.
    pub(crate) fn source(&self) -> Result<KeyringSource, Failure> {
        if let Some(command) = &self.keyring_command {
            return Ok(KeyringSource::Command(command.clone()));
        }
        let path = match &self.keyring_file {
            Some(path) => path.clone(),
            None => default_path()?,
        };
        let passphrase = std::env::var(PASSPHRASE).ok().filter(|passphrase| !passphrase.is_empty());
        Ok(KeyringSource::File { path, passphrase, service: Some(Arc::new(AwsKms)) })
    }
}

fn default_path() -> Result<PathBuf, Failure> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")));
    let config = config.ok_or_else(|| {
        Failure::new("there is no home directory for the keyring").hint("name a place with --keyring FILE")
    })?;
    Ok(config.join("sortkey").join("keyring.json"))
}
