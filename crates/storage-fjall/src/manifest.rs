//! Checks fjall's manifests before fjall relies on them.
//!
//! Each of fjall's trees is a directory with a file `current`, which names the newest manifest and carries its
//! checksum, and the manifest itself, which lists the tables. Fjall does not compare that checksum; it removes tables
//! that the manifest does not list, trees that its own tree 0 does not name, and everything in a tree without `current`.
//! A flipped bit in the wrong place would therefore empty the store.
//!
//! ```text
//! current:  version:u64 checksum:u128 type:u8     little-endian; type 0: xxh3-128 of the file v<version>
//! ```

use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use crate::error::OpenError;

/// Fjall's tree of trees, and the one that is ours.
const TREES: [&str; 2] = ["0", "1"];

/// Refuses manifests that are not what was written.
pub(crate) fn check(directory: &Path) -> Result<(), OpenError> {
    let marker = directory.join("version");
    if std::fs::read(&marker).ok().as_deref() != Some(b"FJL\x03") {
        return Err(OpenError::damaged(marker, "it does not say fjall 3"));
    }
    TREES.iter().try_for_each(|tree| check_tree(&directory.join("keyspaces").join(tree)))
}

fn check_tree(tree: &Path) -> Result<(), OpenError> {
    let path = tree.join("current");
    let current = std::fs::read(&path).map_err(|error| missing(&path, error))?;
    let parts = current.split_first_chunk::<8>().and_then(|(version, rest)| match rest {
        [checksum @ .., 0] => Some((u64::from_le_bytes(*version), <[u8; 16]>::try_from(checksum).ok()?)),
        _ => None,
    });
    let Some((version, checksum)) = parts else {
        return Err(OpenError::damaged(path, "it is not the name of a manifest"));
    };
    let path = tree.join(format!("v{version}"));
    let manifest = std::fs::read(&path).map_err(|error| missing(&path, error))?;
    if xxh3_128(&manifest) != u128::from_le_bytes(checksum) {
        return Err(OpenError::damaged(path, "the manifest has a wrong checksum"));
    }
    Ok(())
}

fn missing(path: &Path, error: std::io::Error) -> OpenError {
    match error.kind() {
        std::io::ErrorKind::NotFound => OpenError::damaged(path, "the file is missing"),
        _ => OpenError::io(path)(error),
    }
}
