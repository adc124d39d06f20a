//! Whether the disk would take what opening a store anew needs to write.

use std::fs::Metadata;
use std::io::{self, Write};
use std::path::Path;

use crate::directory;

const FILE: &str = "PROBE";
const CHUNK_BYTES: usize = 1 << 20;
/// For manifests, and for the first writes afterwards.
const SPARE_BYTES: u64 = 4 << 20;

/// Writes and syncs a little more than the journals have, which are written anew and then into tables, and removes it;
/// `more_bytes` more if that is asked for.
pub(crate) fn probe(path: &Path, more_bytes: u64) -> io::Result<()> {
    take(path, needed_bytes(path)? + more_bytes)
}

/// Writes and syncs what manifests and some deletes need, and removes it.
pub(crate) fn probe_spare(path: &Path) -> io::Result<()> {
    take(path, SPARE_BYTES)
}

fn take(path: &Path, bytes: u64) -> io::Result<()> {
    let probe = path.join(FILE);
    let written = fill(&probe, bytes);
    let removed = std::fs::remove_file(&probe);
    written.and(removed)
}

fn needed_bytes(path: &Path) -> io::Result<u64> {
    let mut journals = 0;
    for entry in std::fs::read_dir(directory::fjall(path))? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "jnl") {
            journals += occupied_bytes(&entry.metadata()?);
        }
    }
    Ok(journals + SPARE_BYTES)
}

/// The space that a file really occupies: journals are preallocated, and longer than their contents.
#[cfg(unix)]
fn occupied_bytes(file: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.len().min(file.blocks() * 512)
}

#[cfg(not(unix))]
fn occupied_bytes(file: &Metadata) -> u64 {
    file.len()
}

fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = crate::private::file().write(true).create(true).truncate(true).open(path)?;
    // Zeros could be compressed away by the file system.
    let chunk: Vec<u8> = (0..CHUNK_BYTES).map(|at| ((at * 31) >> 3) as u8).collect();
    for _ in 0..bytes.div_ceil(CHUNK_BYTES as u64) {
        file.write_all(&chunk)?;
    }
    file.sync_all()
}
