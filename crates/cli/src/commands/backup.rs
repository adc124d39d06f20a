//! `sortkey backup`: a whole database in one file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{HumanBytes, ProgressBar};
use sortkey_storage::backup::{self, Pieces, Summary};
use sortkey_storage::{Stamp, Store};
use sortkey_storage_fjall::{FjallStore, OpenError, Options};

use super::Run;
use crate::data_key;
use crate::failure::Failure;
use crate::http::{Blocking, Endpoint};
use crate::keyring::KeyringArguments;
use crate::progress;
use crate::tls::Trust;

/// Write everything in a database to one file
///
/// From a server that runs, which goes on working: the file contains what was visible at one moment, in all tables,
/// indexes and streams. Or, with --data, from the directory of a server that is stopped. Every part of the file
/// has a checksum, and all of them are compared while it is written. The backup of an encrypted database is encrypted,
/// and needs the database's keyring to be restored. `sortkey restore` makes a directory of it again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey backup monday.backup                          # from the server on port 8000
  sortkey backup monday.backup --data .sortkey/links    # from a stopped one")]
pub(super) struct Backup {
    /// The file to write; it must not be there yet
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The server to ask
    #[arg(long, default_value = "http://127.0.0.1:8000", value_name = "URL", conflicts_with = "data")]
    endpoint: String,

    /// An administrator's API key, where the server asks for one
    #[arg(
        long,
        value_name = "KEY",
        env = "SORTKEY_API_KEY",
        hide_env_values = true,
        conflicts_with = "data"
    )]
    key: Option<String>,

    #[command(flatten)]
    trust: Trust,

    /// The directory of a server that is stopped
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    #[command(flatten)]
    keyring: KeyringArguments,
}

impl Run for Backup {
    const NAME: &'static str = "backup";

    fn run(self) -> Result<(), Failure> {
        if self.file.exists() {
            let failure = Failure::new(format_args!("{} is there already", self.file.display()));
            return Err(failure.hint("choose another name; a backup never replaces another"));
        }
        let source: Box<dyn Read> = match &self.data {
            Some(directory) => Box::new(from_directory(directory, &self.keyring)?),
            None => from_server(
                &Endpoint::new(&self.endpoint, &self.trust)?,
                &self.endpoint,
                self.key.as_deref(),
            )?,
        };
        let summary = store(source, &self.file).map_err(Failure::new)?;
        let size = self.file.metadata().map_or(0, |file| file.len());
        say(&format!(
            "{}: {} entries, {} in {}",
            self.file.display(),
            summary.entries,
            HumanBytes(summary.bytes),
            HumanBytes(size)
        ));
        Ok(())
    }
}

/// Copies a backup into a file and reads it on the way. The file has its name only if all of it was good.
fn store(source: Box<dyn Read>, path: &Path) -> Result<Summary, Box<dyn std::error::Error>> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let bar = progress::unknown_bytes("writing");
    let copied = (|| -> Result<Summary, Box<dyn std::error::Error>> {
        let file = private(&partial)?;
        let copy = Copy { source, file: &file, bar: &bar };
        let summary = backup::read(copy)?.check()?;
        file.sync_all()?;
        std::fs::rename(&partial, path)?;
        Ok(summary)
    })();
    bar.finish_and_clear();
    if copied.is_err() {
        // Half a backup is of no use. If it cannot be removed, its name shows that it is incomplete.
        let _ = std::fs::remove_file(&partial);
    }
    copied
}

/// A file that only its owner can read: a backup contains everything.
pub(super) fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes to a file whatever is read through it.
struct Copy<'a> {
    source: Box<dyn Read>,
    file: &'a File,
    bar: &'a ProgressBar,
}

impl Read for Copy<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.file.write_all(&buffer[..read])?;
        self.bar.inc(read as u64);
        Ok(read)
    }
}

fn from_directory(directory: &Path, keyring: &KeyringArguments) -> Result<Produced, Failure> {
    if !FjallStore::exists(directory) {
        return Err(Failure::new(format_args!("there is no database in {}", directory.display()))
            .hint("name the directory that `sortkey serve --data` was given"));
    }
    let options = Options { data_key: data_key::of(directory, keyring)?, ..Options::default() };
    let store = FjallStore::open(directory, options).map_err(|error| {
        let is_in_use = matches!(error, OpenError::InUse { .. });
        let failure = Failure::new(error);
        if is_in_use {
            failure.hint("ask its server for the backup: --endpoint instead of --data")
        } else {
            failure
        }
    })?;
    let (version, time_ms) = store.last_commit();
    Ok(Produced {
        pieces: Pieces::new(store.snapshot(), Stamp { version, time_ms }),
        piece: io::Cursor::default(),
    })
}

/// The pieces of a backup as one stream.
struct Produced {
    pieces: Pieces,
    piece: io::Cursor<Vec<u8>>,
}

impl Read for Produced {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.pieces.next() {
                Some(piece) => self.piece = io::Cursor::new(piece.map_err(io::Error::other)?),
                None => return Ok(0),
            }
        }
    }
}

/// Requests a backup from a server. In HTTP/1.0 the answer ends with the connection, so that nothing else has to be
/// parsed; the backup itself shows whether it is complete.
fn from_server(server: &Endpoint, endpoint: &str, key: Option<&str>) -> Result<Box<dyn Read>, Failure> {
    if key.is_some_and(|key| key.contains(|letter: char| letter.is_control())) {
        return Err(Failure::new("the API key contains a line break or another control character"));
    }
    let mut stream = server.connect_blocking()?;
    let host = &server.authority;
    let ask = || -> io::Result<(String, BufReader<Box<dyn Blocking>>)> {
        let credential = key.map_or(String::new(), |key| format!("Authorization: Bearer {key}\r\n"));
        write!(stream, "GET /_sortkey/backup HTTP/1.0\r\nHost: {host}\r\n{credential}\r\n")?;
        let mut answer = BufReader::new(stream);
        let (mut status, mut header) = (String::new(), String::from("none yet"));
        answer.read_line(&mut status)?;
        while !header.trim_end().is_empty() {
            header.clear();
            answer.read_line(&mut header)?;
        }
        Ok((status, answer))
    };
    let (status, mut answer) = ask().map_err(|error| {
        let failure = Failure::new(format_args!("no server answers at {endpoint}: {error}"));
        failure.hint("name it with --endpoint, or its directory with --data if it is stopped")
    })?;
    match status.split(' ').nth(1) {
        Some("200") => Ok(Box::new(answer)),
        _ => {
            let mut why = String::new();
            // The body is only part of the message; if it cannot be read, it is left out.
            let _ = answer.read_to_string(&mut why);
            Err(Failure::new(format_args!("{endpoint} cannot make a backup: {} {why}", status.trim_end())))
        }
    }
}

/// Prints a result; a closed standard output is no failure.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}
