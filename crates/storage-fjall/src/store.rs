//! The durable store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fjall::config::{CompressionPolicy, HashRatioPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions, PersistMode};
use parking_lot::Mutex;
use sortkey_storage::{Change, Commit, Snapshot, StorageError, Store};

use crate::directory::{self, Found};
use crate::error::OpenError;
use crate::format::{self, State};
use crate::lock::DirectoryLock;
use crate::options::{Durability, Options};
use crate::progress::{Progress, Reached};
use crate::reclaim::{self, Reclaimer};
use crate::record::{Record, Running};
use crate::seal::{self, KEY_BYTES, RECORD_KEY};
use crate::snapshot::FjallSnapshot;
use crate::{flow, journal};

/// What is written between two tables; at most four of them are in memory.
const MEMTABLE_BYTES: u64 = 24 * 1024 * 1024;
/// Journals that are kept at most; each must be read when the store is opened.
const JOURNAL_BYTES: u64 = 64 * 1024 * 1024;
/// Tables whose files are kept open.
const OPEN_FILES: usize = 256;
/// Values from this size on are kept apart from the tables and not copied by every compaction. With 3,000 values of 400 KB
/// written three times over, that saves two thirds of what reaches the disk and nine tenths of the slowest commit.
const LARGE_VALUE_BYTES: u32 = 16 * 1024;
/// How long a store that is reopened waits for those who still read the old one.
const REOPEN_PATIENCE: Duration = Duration::from_secs(10);

/// A store in a directory.
pub struct FjallStore {
    /// Taken by the one commit that is under way.
    writer: Mutex<Writer>,
    newest: Mutex<Arc<FjallSnapshot>>,
    path: PathBuf,
    options: Options,
    opened: Arc<Opened>,
}

/// What must be closed together. Fields are dropped in this order: fjall first, then the right to the directory.
pub(crate) struct Opened {
    pub(crate) keyspace: Keyspace,
    pub(crate) database: Database,
    _lock: DirectoryLock,
}

struct Writer {
    /// The newest commit.
    record: Record,
    progress: Progress,
    reclaimer: Reclaimer,
    /// Why no commit can succeed any more.
    failed: Option<StorageError>,
}

impl FjallStore {
    /// Opens the store in a directory, or creates it there. One store at a time can have a directory.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Arc<FjallStore>, OpenError> {
        FjallStore::open_within(path.as_ref(), options, Duration::ZERO)
    }

    /// Whether a directory contains a store, or something that claims to be one.
    pub fn exists(path: impl AsRef<Path>) -> bool {
        !matches!(format::read(path.as_ref()), Ok(None))
    }

    /// Closes the store and opens it again: the only way to write on after a commit failed. All others who hold the
    /// store must let go of it, and of its snapshots, within ten seconds.
    pub fn reopen(self: Arc<FjallStore>) -> Result<Arc<FjallStore>, OpenError> {
        let (path, options) = (self.path.clone(), self.options.clone());
        drop(self);
        FjallStore::open_within(&path, options, REOPEN_PATIENCE)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the store occupies on disk, journals included.
    pub fn disk_bytes(&self) -> Result<u64, StorageError> {
        self.opened.database.disk_space().map_err(failed)
    }

    /// Gives back what removed keys occupy, now. It happens by itself when it is worth the work.
    pub fn reclaim(&self) -> Result<(), StorageError> {
        reclaim::reclaim(&self.opened, &AtomicBool::new(false)).map_err(failed)
    }

    fn open_within(path: &Path, options: Options, patience: Duration) -> Result<Arc<FjallStore>, OpenError> {
        let (lock, found) = directory::take(path, patience)?;
        let (opened, progress, record) = match found {
            Found::New => {
                let opened = open_fjall(path, &options, lock)?;
                let progress = Progress::create(path)?;
                directory::sync_new(path)?;
                format::write(path, State::Ready)?;
                (opened, progress, Record::default())
            }
            Found::Existing(reading, progress) => {
                journal::cut(&reading)?;
                if progress.reached().is_suspect {
                    journal::rewrite(&reading)?;
                }
                let opened = open_fjall(path, &options, lock)?;
                let record = last_record(path, &opened)?;
                check_record(path, &record, reading.last.as_ref(), &progress.reached())?;
                (opened, progress, record)
            }
        };
        let reclaimer = Reclaimer::start(&opened).map_err(OpenError::io(path))?;
        let newest = Mutex::new(Arc::new(FjallSnapshot::now(&opened)));
        let writer = Mutex::new(Writer { record, progress, reclaimer, failed: None });
        Ok(Arc::new(FjallStore { writer, newest, path: path.to_owned(), options, opened }))
    }

    fn commit_within(&self, writer: &mut Writer, commit: Commit) -> Result<Arc<FjallSnapshot>, StorageError> {
        flow::wait(&self.opened.database, &self.opened.keyspace).map_err(failed)?;
        let mut running = Running::after(writer.record.running);
        let keyspace = &self.opened.keyspace;
        let mut batch =
            fjall::OwnedWriteBatch::with_capacity(self.opened.database.clone(), commit.changes.len() + 1)
                .durability(Some(match self.options.durability {
                    Durability::Fsync => PersistMode::SyncData,
                    Durability::Os => PersistMode::Buffer,
                }));
        let mut removals = 0;
        for change in &commit.changes {
            let (Change::Put(key, _) | Change::Delete(key)) = change;
            if key.len() > KEY_BYTES {
                return Err(StorageError::Failed(format!("a key has {} bytes", key.len())));
            }
            let stored_key = seal::entry_key(key);
            match change {
                Change::Put(key, value) => {
                    let sealed = seal::seal(key, value);
                    running.add(seal::seal_of(&sealed));
                    batch.insert(keyspace, stored_key, sealed);
                }
                Change::Delete(_) => {
                    running.add(seal::seal_of_removal(&stored_key));
                    batch.remove(keyspace, stored_key);
                    removals += 1;
                }
            }
        }
        let record = Record {
            version: commit.version,
            previous: writer.record.version,
            time_ms: commit.time_ms,
            floor: self.newest.lock().sequence(),
            running: running.finish(),
            durability: self.options.durability,
        };
        batch.insert(keyspace, RECORD_KEY, record.to_bytes());
        // A panic in fjall is a failure like any other: what reached the device is unknown.
        match catch_unwind(AssertUnwindSafe(|| batch.commit())) {
            Ok(committed) => committed.map_err(failed)?,
            Err(_) => return Err(StorageError::Failed("fjall panicked".into())),
        }
        let snapshot = Arc::new(FjallSnapshot::now(&self.opened));
        let written = writer.progress.advance(record, snapshot.sequence());
        written.map_err(|error| StorageError::Failed(format!("PROGRESS: {error}")))?;
        writer.record = record;
        writer.reclaimer.count(removals);
        Ok(snapshot)
    }
}

impl Store for FjallStore {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::clone(&*self.newest.lock()) as Arc<dyn Snapshot>
    }

    fn last_commit(&self) -> (u64, u64) {
        let record = self.writer.lock().record;
        (record.version, record.time_ms)
    }

    fn commit(&self, commit: Commit) -> Result<Arc<dyn Snapshot>, StorageError> {
        let mut writer = self.writer.lock();
        if let Some(error) = &writer.failed {
            return Err(error.clone());
        }
        let committed = self.commit_within(&mut writer, commit);
        match committed {
            Ok(snapshot) => {
                *self.newest.lock() = Arc::clone(&snapshot);
                Ok(snapshot)
            }
            Err(error) => {
                writer.failed = Some(error.clone());
                if let Err(warning) = writer.progress.suspect() {
                    tracing::warn!(%warning, "a failed commit could not be noted");
                }
                Err(error)
            }
        }
    }

    fn waits(&self) -> bool {
        true
    }
}

/// Opens fjall, or creates it. What it was told when it was created, it remembers.
fn open_fjall(path: &Path, options: &Options, lock: DirectoryLock) -> Result<Arc<Opened>, OpenError> {
    let path = directory::fjall(path);
    let open = || -> fjall::Result<(Database, Keyspace)> {
        let database = Database::builder(&path)
            .cache_size(options.cache_bytes)
            // Two at least: one of them never compacts, so that memtables do not wait behind a compaction.
            .worker_threads(2)
            .max_journaling_size(JOURNAL_BYTES)
            .max_cached_files(Some(OPEN_FILES))
            .journal_compression(CompressionType::None)
            .open()?;
        let keyspace = database.keyspace("data", keyspace_options)?;
        Ok((database, keyspace))
    };
    // Fjall expects what it wrote, and panics at some of what it did not.
    match catch_unwind(open) {
        Ok(Ok((database, keyspace))) => Ok(Arc::new(Opened { keyspace, database, _lock: lock })),
        Ok(Err(fjall::Error::Io(source))) => Err(OpenError::Io { path, source }),
        Ok(Err(error)) => Err(OpenError::damaged(path, error.to_string())),
        Err(_) => Err(OpenError::damaged(path, "fjall could not make sense of it")),
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
        .data_block_compression_policy(CompressionPolicy::disabled())
}

/// The newest commit that fjall knows.
fn last_record(path: &Path, opened: &Arc<Opened>) -> Result<Record, OpenError> {
    let stored = FjallSnapshot::now(opened).get_stored(&RECORD_KEY);
    let stored = stored.map_err(|error| OpenError::damaged(path, error.to_string()))?;
    let Some(stored) = stored else { return Ok(Record::default()) };
    Record::from_bytes(&stored).ok_or_else(|| OpenError::damaged(path, "the commit record is not readable"))
}

/// Refuses a store that lacks commits which were acknowledged, or which its journal contains.
fn check_record(
    path: &Path,
    record: &Record,
    in_journal: Option<&Record>,
    reached: &Reached,
) -> Result<(), OpenError> {
    if let Some(in_journal) = in_journal.filter(|in_journal| *in_journal != record) {
        return Err(OpenError::damaged(
            path,
            format!("the journal ends with commit {}, the data with {}", in_journal.version, record.version),
        ));
    }
    if record.version == reached.record.version && *record != reached.record {
        let reason = format!("commit {} is not the one that was acknowledged", record.version);
        return Err(OpenError::damaged(path, reason));
    }
    if record.version >= reached.record.version {
        return Ok(());
    }
    let missing = format!(
        "it ends with commit {}, but commit {} was acknowledged",
        record.version, reached.record.version
    );
    match reached.record.durability {
        Durability::Fsync => Err(OpenError::damaged(path, missing)),
        Durability::Os => {
            tracing::warn!(path = %path.display(), "{missing}; it had not been written through to the device");
            Ok(())
        }
    }
}

/// What fjall reports, in the words of the seam.
pub(crate) fn failed(error: fjall::Error) -> StorageError {
    let text = error.to_string();
    match error {
        fjall::Error::Storage(fjall::LsmError::Io(_)) | fjall::Error::Io(_) | fjall::Error::Poisoned => {
            StorageError::Failed(text)
        }
        _ => StorageError::Damaged(text),
    }
}
