//! The location of the data, shared by `serve` and `up`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sortkey_access::Keyring;
use sortkey_engine::{Engine, Settings};
use sortkey_storage::KeySealer;
use sortkey_storage_fjall::{Durability, FjallStore, Options};

use crate::data_key;
use crate::export_keys::ExportKeys;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;

/// The location of the data.
#[derive(Args, Debug)]
pub(crate) struct Keep {
    /// The directory that keeps the data; it is created if it is not there
    /// [default: .sortkey/default; with `up` .sortkey/<name of the design>]
    #[arg(long, value_name = "DIR", conflicts_with = "in_memory")]
    data: Option<PathBuf>,

    /// Keep everything in memory and write nothing to disk
    #[arg(long)]
    pub(crate) in_memory: bool,

    /// What an answered write survives: `fsync` a power failure, `os` a crash of this process only, but faster
    #[arg(long, default_value = "fsync", value_name = "LEVEL", conflicts_with = "in_memory")]
    durability: DurabilityLevel,

    /// Memory for what was read from disk before, in megabytes
    #[arg(long, default_value_t = 256, value_name = "MB", conflicts_with = "in_memory")]
    cache: u64,

    /// Within how many hours every file is read again to find damage before its data is needed; 0 reads none
    #[arg(long, default_value_t = 168, value_name = "HOURS", conflicts_with = "in_memory")]
    scrub: u64,

    /// Encrypt the values of a new database, with a key that the keyring seals; later starts need no flag, but the keyring
    #[arg(long, conflicts_with = "in_memory")]
    encrypt: bool,

    /// The directory for exports and imports; where a request names a bucket, a directory in it is meant
    #[arg(long, value_name = "DIR")]
    export_dir: Option<PathBuf>,

    /// Whether the data files of exports are encrypted, with keys that the keyring seals; `sortkey decrypt` and imports read
    /// them [default: encrypted if the database is]
    #[arg(long, value_name = "FORM", requires = "export_dir")]
    exports: Option<ExportForm>,
}

impl Keep {
    /// The directory that was asked for.
    pub(crate) fn asked_for(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    /// The directory, under its usual name unless another was asked for.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.data.clone().unwrap_or_else(|| Path::new(".sortkey").join(name))
    }

    /// The directory, if anything is kept.
    pub(crate) fn lasting_folder(&self, name: &str) -> Option<PathBuf> {
        (!self.in_memory).then(|| self.folder(name))
    }

    /// Settings with what exports and imports of a database in memory need.
    pub(crate) fn in_memory(
        &self,
        settings: Settings,
        arguments: &KeyringArguments,
    ) -> Result<Settings, Failure> {
        self.with_exports(settings, arguments, None)
    }

    /// Settings with what exports and imports need; the keyring is open if the database is encrypted.
    fn with_exports(
        &self,
        settings: Settings,
        arguments: &KeyringArguments,
        keyring: Option<Keyring>,
    ) -> Result<Settings, Failure> {
        let Some(export_dir) = self.export_dir.clone() else { return Ok(settings) };
        // The keyring must not be among the files that it protects.
        let protected = export_dir.join("exports");
        let encrypt_exports = self.exports.map_or(keyring.is_some(), |form| form == ExportForm::Encrypted);
        let keyring = match keyring {
            None if encrypt_exports => Some(arguments.open(&protected)?),
            keyring => keyring,
        };
        let keys = match keyring {
            Some(keyring) => ExportKeys::of(keyring, arguments, protected),
            None => ExportKeys::new(arguments, protected),
        };
        let (export_dir, key_sealer) = (Some(export_dir), Some(Arc::new(keys) as Arc<dyn KeySealer>));
        Ok(Settings { export_dir, encrypt_exports, key_sealer, ..settings })
    }

    /// The database in a directory.
    pub(crate) fn open(
        &self,
        folder: &Path,
        settings: Settings,
        arguments: &KeyringArguments,
    ) -> Result<Engine, Failure> {
        if folder.is_file() {
            return Err(Failure::new(format_args!("{} is a file", folder.display()))
                .hint("--data names a directory; it is made if it is not there"));
        }
        let (data_key, keyring) = data_key::open(folder, arguments, self.encrypt)?.unzip();
        let settings = self.with_exports(settings, arguments, keyring)?;
        let options = Options {
            durability: self.durability.into(),
            cache_bytes: self.cache.saturating_mul(1024 * 1024),
            scrub_interval: (self.scrub > 0).then(|| Duration::from_secs(self.scrub.saturating_mul(3600))),
            data_key,
            ..Options::default()
        };
        make_files_private();
        let store = FjallStore::open(folder, options).map_err(|error| {
            Failure::new(format_args!("cannot open the data in {}: {error}", folder.display()))
                .hint("choose another directory with --data, or --in-memory to keep nothing")
        })?;
        Ok(Engine::open(store, settings))
    }
}

/// Lets only the owner read the files that this process creates: fjall creates some with the rights of the process.
#[cfg(unix)]
fn make_files_private() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

#[cfg(not(unix))]
fn make_files_private() {}

/// The form of the data files of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportForm {
    Plain,
    Encrypted,
}

/// [`Durability`], as the command line spells it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DurabilityLevel {
    Fsync,
    Os,
}

impl From<DurabilityLevel> for Durability {
    fn from(level: DurabilityLevel) -> Durability {
        match level {
            DurabilityLevel::Fsync => Durability::Fsync,
            DurabilityLevel::Os => Durability::Os,
        }
    }
}
