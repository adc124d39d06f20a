//! How fjall is opened: its settings, and which of its errors mean damage.

use std::io::ErrorKind;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use fjall::config::{CompressionPolicy, HashRatioPolicy, PinningPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions};

use crate::error::OpenError;
use crate::gate::{Hold, Opened};
use crate::options::Options;
use crate::seal::Codec;
use crate::vault::Vault;
use crate::{directory, private};

/// Size at which a memtable becomes a table; at most four memtables are in memory.
const MEMTABLE_BYTES: u64 = 24 * 1024 * 1024;
/// Journals that are kept at most; each must be read when the store is opened.
const JOURNAL_BYTES: u64 = 64 * 1024 * 1024;
/// Tables whose files are kept open.
const OPEN_FILES: usize = 256;
/// Values from this size on are kept apart from the tables and not copied by every compaction. With 3,000 values of 400 KB
/// written three times over, that saves two thirds of what reaches the disk and nine tenths of the slowest commit.
const LARGE_VALUE_BYTES: u32 = 16 * 1024;

/// Opens or creates fjall; errors name the directory `shown`, of which `path` may be a shadow. Options that it was created
/// with are persistent.
pub(crate) fn open_fjall(
    path: &Path,
    shown: &Path,
    options: &Options,
    hold: Hold,
) -> Result<Opened, OpenError> {
    let (path, shown) = (directory::fjall(path), directory::fjall(shown));
    restore_lock_file(&path).map_err(OpenError::io(&shown))?;
    let open = || -> fjall::Result<(Database, Keyspace)> {
        let database = Database::builder(&path)
            .cache_size(options.cache_bytes)
            // Worker 0 never compacts, so memtables do not wait behind a compaction. It puts a request for a compaction back
            // into the queue, over and over, while every other worker is busy. With one other worker, that burns a core
            // during each compaction; with two, the idle one takes the request.
            .worker_threads(3)
            .max_journaling_size(JOURNAL_BYTES)
            .max_cached_files(Some(OPEN_FILES))
            .journal_compression(CompressionType::None)
            .open()?;
        let keyspace = database.keyspace("data", keyspace_options)?;
        Ok((database, keyspace))
    };
    let codec = match &options.data_key {
        None => Codec::Plain,
        Some(key) => {
            let vault = Vault::open(key).map_err(|error| OpenError::damaged(&shown, error.to_string()))?;
            Codec::Encrypted(Box::new(vault))
        }
    };
    // Fjall expects what it wrote, and panics at some of what it did not.
    match catch_unwind(open) {
        Ok(Ok((database, keyspace))) => Ok(Opened { keyspace, database, codec, _hold: hold }),
        Ok(Err(fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)))) => {
            Err(unreadable(shown, source))
        }
        Ok(Err(fjall::Error::Storage(fjall::LsmError::Unrecoverable))) => {
            Err(OpenError::damaged(shown, "a table is missing or damaged"))
        }
        Ok(Err(error)) => Err(OpenError::damaged(shown, error.to_string())),
        Err(_) => Err(OpenError::damaged(shown, "fjall could not make sense of it")),
    }
}

/// Fjall's lock file contains nothing, but fjall does not open a database without one.
fn restore_lock_file(path: &Path) -> std::io::Result<()> {
    let lock = path.join("lock");
    if path.join("version").exists() && !lock.exists() {
        private::file().write(true).create_new(true).open(lock)?;
    }
    Ok(())
}

/// An error of the file system while fjall opens its files; some of them come of the contents.
fn unreadable(path: PathBuf, source: std::io::Error) -> OpenError {
    match source.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
            OpenError::damaged(path, format!("a file is missing or cut off: {source}"))
        }
        _ => OpenError::Io { path, source },
    }
}

fn keyspace_options() -> KeyspaceCreateOptions {
    let large_values = KvSeparationOptions::default()
        .compression(CompressionType::None)
        .separation_threshold(LARGE_VALUE_BYTES)
        // Young files are cleaned as well: a table that is dropped may be young.
        .age_cutoff(1.0);
    KeyspaceCreateOptions::default()
        .max_memtable_size(MEMTABLE_BYTES)
        .with_kv_separation(Some(large_values))
        .data_block_hash_ratio_policy(HashRatioPolicy::all(0.75))
        // Below the first levels fjall would keep them among the blocks that are read, where more data than cache drives
        // them out: reading one item would begin with the whole index of its table. The deepest levels have them in parts.
        .index_block_pinning_policy(PinningPolicy::all(true))
        .filter_block_pinning_policy(PinningPolicy::all(true))
        .data_block_compression_policy(CompressionPolicy::disabled())
}
