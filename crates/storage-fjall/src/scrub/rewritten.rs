//! Files that change while a store is open, read again: the journals, FORMAT, KEY and the names of manifests.
//!
//! They have checksums of their own. Journals are compared as when a store is opened: a chain of commits that must be
//! readable up to the newest one that was acknowledged before it was read. A commit that is being written meanwhile looks like
//! damage at the end of the newest journal; it is told apart by its version.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Damage;
use crate::directory;
use crate::error::OpenError;
use crate::format;
use crate::journal::again::{self, Stop};
use crate::key_file::KeyFile;
use crate::manifest;
use crate::progress::Progress;

pub(super) use crate::journal::again::journals;

/// Damage is reported if it is there this many times in a row: files may be replaced while they are compared.
const LOOKS: usize = 3;
const PAUSE: Duration = Duration::from_millis(20);

/// What is damaged now. `pace` is called with the number of bytes read, and stops by returning false.
pub(super) fn check(path: &Path, pace: &mut dyn FnMut(usize) -> bool) -> Vec<Damage> {
    let mut found = look(path, pace);
    for _ in 1..LOOKS {
        if found.is_empty() || !pace(0) {
            return Vec::new();
        }
        std::thread::sleep(PAUSE);
        let again = look(path, pace);
        let places: BTreeSet<PathBuf> = again.into_iter().map(|damage| damage.path).collect();
        found.retain(|damage| places.contains(&damage.path));
    }
    found
}

fn look(path: &Path, pace: &mut dyn FnMut(usize) -> bool) -> Vec<Damage> {
    let fjall = directory::fjall(path);
    let whole = [
        format::read(path).map(drop),
        if format::is_encrypted(path).unwrap_or(false) { KeyFile::read(path).map(drop) } else { Ok(()) },
        manifest::check(&fjall),
    ];
    let mut damages: Vec<Damage> =
        whole.into_iter().filter_map(Result::err).map(|error| damage(path, error)).collect();
    // Read first: what was acknowledged until here must be in the journals, or in tables.
    match Progress::reached_in(path) {
        Err(error) => damages.push(damage(path, error)),
        Ok(reached) => match again::read(&fjall, &reached, pace) {
            Ok(Stop::Sound | Stop::Interrupted) => {}
            Ok(Stop::Damaged(file, reason)) => damages.push(Damage { path: below(path, &file), reason }),
            Err(error) => damages.push(Damage { path: below(path, &fjall), reason: error.to_string() }),
        },
    }
    damages
}

fn damage(path: &Path, error: OpenError) -> Damage {
    match error {
        OpenError::Damaged { path: file, reason } => Damage { path: below(path, &file), reason },
        OpenError::Io { path: file, source } => {
            Damage { path: below(path, &file), reason: source.to_string() }
        }
        other => Damage { path: PathBuf::from("."), reason: other.to_string() },
    }
}

fn below(path: &Path, file: &Path) -> PathBuf {
    file.strip_prefix(path).unwrap_or(file).to_owned()
}
