//! `sortkey decrypt`: the files of an encrypted export, for people and other programs.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use sortkey_storage::{EncryptedReader, KeySealer, LockedFile};

use super::Run;
use super::backup::{private, say};
use crate::export_keys::ExportKeys;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;

/// How the names of encrypted files end.
const ENCRYPTED: &str = ".encrypted";

/// Decrypt the files of an encrypted export
///
/// Reads files that ExportTableToPointInTime wrote (`AWSDynamoDB/ID/data/NAME.json.gz.encrypted`) with the keyring of the
/// server that wrote them. One file is written to the standard output, as the gzip file that it would be without
/// encryption; with --to, any number of files, or all of a directory, are written to another directory. A file that was
/// changed, renamed or put in the place of another is rejected. ImportTable reads encrypted files as they are.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey decrypt exports/bucket/AWSDynamoDB/01489602797149-73d8d5bc/data/x.json.gz.encrypted | gunzip
  sortkey decrypt exports/bucket/AWSDynamoDB/01489602797149-73d8d5bc --to plain")]
pub(super) struct Decrypt {
    /// The files, or with --to the directories to look for them in
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// The directory for the decrypted files; those that are there are not replaced
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,

    #[command(flatten)]
    keyring: KeyringArguments,
}

impl Run for Decrypt {
    const NAME: &'static str = "decrypt";

    fn run(self) -> Result<(), Failure> {
        match (&self.to, &self.files[..]) {
            (Some(directory), files) => {
                let mut found = Vec::new();
                for path in files {
                    find(path, &mut found).map_err(|error| failed(path, error))?;
                }
                if found.is_empty() {
                    let searched: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
                    return Err(Failure::new(format_args!(
                        "no file in {} has a name that ends with {ENCRYPTED}",
                        searched.join(" or ")
                    )));
                }
                std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
                found.iter().try_for_each(|file| self.to_directory(file, directory))
            }
            (None, [file]) if file.is_file() => {
                let mut content = self.open(file)?;
                let mut out = io::stdout().lock();
                let copied = io::copy(&mut content, &mut out).and_then(|_| out.flush());
                copied.map_err(|error| failed(file, error))
            }
            (None, [file]) if !file.exists() => {
                Err(Failure::new(format_args!("{} is not there", file.display())))
            }
            (None, _) => Err(Failure::new("only one file can be written to the standard output")
                .hint("name a directory for several files or a folder: --to DIR")),
        }
    }
}

impl Decrypt {
    /// The content of a file that is where it belongs.
    fn open(&self, path: &Path) -> Result<EncryptedReader<BufReader<File>>, Failure> {
        let file = File::open(path).map_err(|error| failed(path, error))?;
        let locked = LockedFile::open(BufReader::new(file)).map_err(|error| failed(path, error))?;
        // The directories of a relative path are part of where the file is.
        let whole = path.canonicalize().map_err(|error| failed(path, error))?;
        locked.check_place(&whole.to_string_lossy()).map_err(|error| failed(path, error))?;
        let keys = ExportKeys::new(&self.keyring, whole);
        let key = keys.open(locked.sealed_key()).map_err(|error| {
            failed(path, error).hint("use the keyring of the server that exported it: --keyring FILE")
        })?;
        locked.unlock(&key).map_err(|error| failed(path, error))
    }

    /// Writes the content of a file to a file of its name. It has that name only if all of it was good.
    fn to_directory(&self, path: &Path, directory: &Path) -> Result<(), Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(ENCRYPTED).unwrap_or(&name);
        let (target, partial) = (directory.join(name), directory.join(format!("{name}.partial")));
        if target.exists() {
            return Err(Failure::new(format_args!("{} is there already", target.display()))
                .hint("name another directory: --to DIR"));
        }
        let mut content = self.open(path)?;
        let copied = private(&partial).and_then(|mut file| {
            io::copy(&mut content, &mut file)?;
            file.sync_all()?;
            std::fs::rename(&partial, &target)
        });
        if copied.is_err() {
            // Half a file is of no use. If it cannot be removed, its name shows that it is incomplete.
            let _ = std::fs::remove_file(&partial);
        }
        copied.map_err(|error| failed(path, error))?;
        say(&target.display().to_string());
        Ok(())
    }
}

/// The encrypted files at a path, or anywhere below it. Symbolic links below it are not followed.
fn find(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut paths = vec![path.to_owned()];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                let entry = entry?;
                let kind = entry.file_type()?;
                let is_encrypted = entry.file_name().to_string_lossy().ends_with(ENCRYPTED);
                if kind.is_dir() || kind.is_file() && is_encrypted {
                    paths.push(entry.path());
                }
            }
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}

fn failed(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("{}: {error}", path.display()))
}
