//! `sortkey restore`: a directory from a backup.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use indicatif::HumanBytes;
use sortkey_diagnostics::counted;
use sortkey_storage::backup;
use sortkey_storage_fjall::{Options, RestoreError, Restoring};

use super::Run;
use super::backup::say;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;
use crate::{data_key, progress};

/// Make a data directory from a backup
///
/// Reads the file, compares every checksum, fills a new directory beside the place, verifies it as `sortkey verify`
/// does, and only then gives it its name. A directory that contains something is refused. An encrypted backup becomes an
/// encrypted directory.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sortkey restore monday.backup --data .sortkey/links")]
pub(super) struct Restore {
    /// The file that `sortkey backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The directory to make, for `sortkey serve --data`
    #[arg(long, default_value = ".sortkey/default", value_name = "DIR")]
    data: PathBuf,

    /// Encrypt the directory, also if the backup is not encrypted; that of an encrypted backup always is
    #[arg(long)]
    encrypt: bool,

    #[command(flatten)]
    keyring: KeyringArguments,
}

impl Run for Restore {
    const NAME: &'static str = "restore";

    fn run(self) -> Result<(), Failure> {
        let cannot_read = |error| Failure::new(format_args!("cannot read {}: {error}", self.file.display()));
        let file = File::open(&self.file).map_err(cannot_read)?;
        let size = file.metadata().map_err(cannot_read)?.len();
        let bar = progress::bytes("restoring", size);
        let mut reading = backup::read(bar.wrap_read(BufReader::new(file)))
            .map_err(|error| Failure::new(format_args!("{}: {error}", self.file.display())))?;
        let protected = self.data.join("data");
        let sealed = reading.sealed_key().map(str::to_owned);
        if let Some(sealed) = &sealed {
            let keyring = self.keyring.open_existing(&protected)?;
            reading.unlock(&data_key::unseal(sealed, &keyring, &self.file)?).map_err(Failure::new)?;
        }
        // A key of its own: two databases must not share one.
        let encrypted = self.encrypt || sealed.is_some();
        let data_key = encrypted.then(|| data_key::generate(&self.keyring.open(&protected)?)).transpose()?;
        let options = Options { data_key, ..Options::default() };
        let mut restoring = Restoring::begin(&self.data, options).map_err(|error| {
            let is_taken = matches!(error, RestoreError::NotEmpty(_));
            let failure = Failure::new(error);
            if is_taken {
                failure.hint("name another directory with --data; none is ever replaced")
            } else {
                failure
            }
        })?;
        let summary = restoring.fill(reading, |_| {}).map_err(Failure::new)?;
        bar.finish_and_clear();
        let bar = progress::entries("verifying");
        let report = sortkey_engine::verify_watched(restoring.store(), &|seen| bar.set_position(seen));
        bar.finish_and_clear();
        if let Some(problem) = report.problems.first() {
            let failure = Failure::new(format_args!(
                "the backup has {}: {problem}",
                counted(report.problem_count, "problem")
            ));
            return Err(failure.hint("nothing was restored; `sortkey verify` the database it came from"));
        }
        restoring.finish().map_err(Failure::new)?;
        say(&format!(
            "{}: {}, {}, {}",
            self.data.display(),
            counted(summary.entries, "entry"),
            HumanBytes(summary.bytes),
            counted(report.tables.len(), "table")
        ));
        Ok(())
    }
}
