//! `sortkey verify`: whether a database is sound.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hyper::Method;
use hyper::header::AUTHORIZATION;
use serde::Deserialize;
use sortkey_engine::Report;
use sortkey_storage_fjall::{Damage, FjallStore, OpenError, Options, scrub};

use super::Run;
use crate::failure::Failure;
use crate::keyring::KeyringArguments;
use crate::tls::Trust;
use crate::{data_key, http, progress};

/// Check that the data in a directory, or of a server that runs, is sound
///
/// Reads everything: checksums, items against their indexes and totals, streams against the items. Says what every
/// table contains, and which table and key something is wrong with. A directory need not be writable and is left as it
/// is, but for the checksums of its files where it can be written. A server that has the directory is asked with
/// --endpoint, and goes on working.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey verify .sortkey/links                       # the directory of a stopped server
  sortkey verify --endpoint http://127.0.0.1:8000     # a server that runs")]
pub(super) struct Verify {
    /// The directory with the data: what `--data` named, .sortkey/<name> of a design, .sortkey/default of `serve` [default: the only
    /// one under .sortkey]
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    /// The server to ask instead
    #[arg(long, value_name = "URL", conflicts_with = "directory")]
    endpoint: Option<String>,

    /// An administrator's API key, where the server asks for one
    #[arg(long, value_name = "KEY", env = "SORTKEY_API_KEY", hide_env_values = true)]
    key: Option<String>,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    keyring: KeyringArguments,
}

/// The findings, in a directory or in a running server.
#[derive(Default, Deserialize)]
struct Found {
    sound: bool,
    tables: Vec<String>,
    problems: Vec<String>,
    #[serde(skip)]
    problem_count: usize,
}

impl Run for Verify {
    const NAME: &'static str = "verify";

    fn run(self) -> Result<(), Failure> {
        let (shown, found) = match &self.endpoint {
            Some(endpoint) => {
                let server = http::Endpoint::new(endpoint, &self.trust)?;
                (endpoint.clone(), from_server(&server, endpoint, self.key.as_deref())?)
            }
            None => {
                let directory = self.directory.map_or_else(only_directory, Ok)?;
                (directory.display().to_string(), from_directory(&directory, &self.keyring)?)
            }
        };
        print(&found).map_err(|error| Failure::new(format_args!("cannot write: {error}")))?;
        if found.sound {
            return Ok(());
        }
        let count = found.problem_count.max(found.problems.len());
        Err(Failure::new(format_args!("{shown} has {count} problems"))
            .hint("restore a backup; what can still be read can be copied to a new directory first"))
    }
}

/// The only database under `.sortkey`.
fn only_directory() -> Result<PathBuf, Failure> {
    let mut found = databases();
    match (found.len(), listed(&found)) {
        (1, _) => Ok(found.remove(0)),
        (_, Some(listed)) => Err(Failure::new("several databases here; name one of them")
            .hint(format_args!("sortkey verify {listed}"))),
        (_, None) => Err(Failure::new("there is no database under .sortkey")
            .hint("name the directory that `--data` was given, or a server with --endpoint")),
    }
}

/// The databases that `serve` and `up` keep in this folder.
fn databases() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(".sortkey").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|folder| FjallStore::exists(folder)).collect();
    found.sort();
    found
}

fn listed(folders: &[PathBuf]) -> Option<String> {
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

fn from_directory(directory: &Path, keyring: &KeyringArguments) -> Result<Found, Failure> {
    if directory.is_file() {
        return Err(Failure::new(format_args!("{} is a file", directory.display()))
            .hint("name the directory of a database; `sortkey restore` makes one of a backup"));
    }
    if !FjallStore::exists(directory) {
        let failure = Failure::new(format_args!("there is no database in {}", directory.display()));
        return Err(match listed(&databases()) {
            Some(listed) => failure.hint(format_args!("there is one in {listed}")),
            None => failure.hint("name the directory that `sortkey serve --data` was given"),
        });
    }
    let options = Options { data_key: data_key::of(directory, keyring)?, ..Options::default() };
    let store = FjallStore::open_read_only(directory, options).map_err(|error| match error {
        OpenError::InUse { .. } => {
            Failure::new(error).hint("ask the server that has it: sortkey verify --endpoint URL")
        }
        _ => Failure::new(error),
    })?;
    let bar = progress::entries("verifying");
    let report = sortkey_engine::verify_watched(&*store, &|seen| bar.set_position(seen));
    bar.finish_and_clear();
    Ok(found(&report, &damages(directory)?))
}

/// Files whose checksums differ.
fn damages(directory: &Path) -> Result<Vec<Damage>, Failure> {
    scrub(directory).map_err(|error| Failure::new(format_args!("cannot read the files: {error}")))
}

fn found(report: &Report, damages: &[Damage]) -> Found {
    let damaged = |damage: &Damage| format!("file {}: {}", damage.path.display(), damage.reason);
    let problems = report.problems.iter().map(ToString::to_string);
    Found {
        sound: report.is_sound() && damages.is_empty(),
        tables: report.tables.iter().map(ToString::to_string).collect(),
        problems: problems.chain(damages.iter().map(damaged)).collect(),
        problem_count: report.problem_count + damages.len(),
    }
}

fn from_server(server: &http::Endpoint, endpoint: &str, key: Option<&str>) -> Result<Found, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let credential: Vec<_> = key.map(|key| (AUTHORIZATION, format!("Bearer {key}"))).into_iter().collect();
    let asked = server.send(Method::GET, "/_sortkey/verify", &credential, String::new());
    let answer = runtime.block_on(asked)?;
    if answer.status != 200 {
        let why = String::from_utf8_lossy(&answer.body).into_owned();
        return Err(Failure::new(format_args!("{endpoint} cannot verify: {} {why}", answer.status)));
    }
    serde_json::from_slice(&answer.body)
        .map_err(|error| Failure::new(format_args!("{endpoint} answers something else: {error}")))
}

fn print(found: &Found) -> io::Result<()> {
    let mut terminal = io::stdout().lock();
    for line in found.tables.iter().chain(&found.problems) {
        writeln!(terminal, "{line}")?;
    }
    if found.sound {
        writeln!(terminal, "sound")?;
    }
    terminal.flush()
}
