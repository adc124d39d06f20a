//! The durable store.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fjall::PersistMode;
use parking_lot::Mutex;
use sortkey_storage::{Change, Commit, DataKey, Snapshot, StorageError, Store};

use crate::directory::{self, Found};
use crate::error::OpenError;
use crate::format::{self, State};
use crate::gate::{Gate, Hold, Opened};
use crate::key_file::KeyFile;
use crate::lock::ReadLock;
use crate::opening::open_fjall;
use crate::options::{Durability, Options};
use crate::progress::{Progress, Reached};
use crate::reclaim::{self, Reclaimer};
use crate::record::{Record, Running};
use crate::scrub::{Damage, Scrubber};
use crate::seal::{self, KEY_BYTES, RECORD_KEY};
use crate::session::{self, Session};
use crate::shadow::Shadow;
use crate::slow::Stopwatch;
use crate::snapshot::FjallSnapshot;
use crate::{flow, journal, probe, reserve};

/// How long a store that is reopened waits for iterators that nobody moves.
const REOPEN_PATIENCE: Duration = Duration::from_secs(2);

/// A store in a directory.
pub struct FjallStore {
    /// Taken by the one commit that is under way.
    writer: Mutex<Writer>,
    newest: Mutex<Arc<FjallSnapshot>>,
    path: PathBuf,
    options: Options,
    /// Findings at opening that need an operator's attention.
    notices: Mutex<Vec<String>>,
    /// The disk is full and the reserve given up: only deletes are taken.
    is_short: AtomicBool,
    /// When it was last tried to set space aside again.
    tried_at: Mutex<Option<Instant>>,
}

struct Writer {
    /// The newest commit.
    record: Record,
    /// The state that commits need; `None` if the store was closed for recovery and could not be opened
    /// again.
    open: Option<Open>,
    /// The way to a store that could only be opened for reading, and why.
    reading: Option<(Arc<Gate>, String)>,
    /// Why no commit can succeed before the store is opened anew.
    failed: Option<StorageError>,
}

/// Dropped in this order: fjall is closed when nobody works with it any more.
struct Open {
    reclaimer: Reclaimer,
    progress: Progress,
    /// Of a store whose commits are not synced.
    session: Option<Session>,
    scrubber: Option<Scrubber>,
    gate: Arc<Gate>,
}

/// A store that is closed in peace has everything on the device.
impl Drop for Open {
    fn drop(&mut self) {
        let Some(session) = self.session.take() else { return };
        let synced =
            self.gate.pass().and_then(|opened| opened.database.persist(PersistMode::SyncAll).map_err(failed));
        let ended = match synced {
            Ok(()) => session.end().map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "the last commits may not be on the device");
        }
    }
}

impl FjallStore {
    /// Opens the store in a directory, or creates it there. One store at a time can have a directory.
    ///
    /// A directory that cannot be written is opened for reading: commits are refused with the reason, until the store
    /// is [reopened](Store::reopen) with success. If the disk is full and space was set aside, that space is used and
    /// deletes are taken.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Arc<FjallStore>, OpenError> {
        let path = path.as_ref();
        let mut notices = Vec::new();
        let error = match open(path, &options, Duration::ZERO, false, &mut notices) {
            Ok(opened) => return Ok(FjallStore::new(path, options, opened, notices, false)),
            Err(error) => error,
        };
        let Some(obstacle) = obstacle(path, &error) else { return Err(error) };
        if reserve::is_full(&obstacle) && reserve::give_up(path).unwrap_or(false) {
            let again = open(path, &options, Duration::ZERO, false, &mut notices);
            if let Ok(opened) = again {
                return Ok(FjallStore::new(path, options, opened, notices, true));
            }
        }
        let reason = format!("{} cannot be written: {obstacle}", path.display());
        let opened = open_for_reading(path, &options, reason)?;
        Ok(FjallStore::new(path, options, opened, notices, false))
    }

    /// Opens the store in a directory for reading, and changes nothing there.
    pub fn open_read_only(path: impl AsRef<Path>, options: Options) -> Result<Arc<FjallStore>, OpenError> {
        let path = path.as_ref();
        let opened = open_for_reading(path, &options, "it was opened for reading".into())?;
        Ok(FjallStore::new(path, options, opened, Vec::new(), false))
    }

    fn new(
        path: &Path,
        options: Options,
        (writer, newest): (Writer, Arc<FjallSnapshot>),
        notices: Vec<String>,
        is_short: bool,
    ) -> Arc<FjallStore> {
        notices.iter().for_each(|notice| tracing::warn!(path = %path.display(), "{notice}"));
        Arc::new(FjallStore {
            writer: Mutex::new(writer),
            newest: Mutex::new(newest),
            path: path.to_owned(),
            options,
            notices: Mutex::new(notices),
            is_short: AtomicBool::new(is_short),
            tried_at: Mutex::new(None),
        })
    }

    /// Whether a directory contains a store, or something that claims to be one.
    pub fn exists(path: impl AsRef<Path>) -> bool {
        !matches!(format::read(path.as_ref()), Ok(None))
    }

    /// The sealed data key of the store in a directory; none if it is not encrypted, or if there is no store.
    pub fn sealed_key(path: impl AsRef<Path>) -> Result<Option<String>, OpenError> {
        let path = path.as_ref();
        match format::read(path)? {
            Some(State::Ready) if format::is_encrypted(path)? => Ok(Some(KeyFile::read(path)?.sealed)),
            _ => Ok(None),
        }
    }

    /// Replaces the sealed form of a store's data key, after its keyring was rotated. The store may be open.
    pub fn reseal_key(path: impl AsRef<Path>, key: &DataKey) -> Result<(), OpenError> {
        let path = path.as_ref();
        let before = KeyFile::read(path)?;
        let after = KeyFile::of(key);
        match before.check_value == after.check_value {
            true => after.write(path),
            false => Err(OpenError::WrongKey { path: path.to_owned() }),
        }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The space that the store occupies on disk, journals included.
    pub fn disk_bytes(&self) -> Result<u64, StorageError> {
        let newest = Arc::clone(&self.newest.lock());
        newest.gate().pass()?.database.disk_space().map_err(failed)
    }

    /// Gives back what removed keys occupy, now. It happens by itself when it is worth the work.
    pub fn reclaim(&self) -> Result<(), StorageError> {
        let newest = Arc::clone(&self.newest.lock());
        let opened = newest.gate().pass()?;
        reclaim::reclaim(&opened, &AtomicBool::new(false)).map_err(failed)
    }

    fn commit_within(&self, writer: &mut Writer, commit: Commit) -> Result<Arc<FjallSnapshot>, StorageError> {
        let open = writer.open.as_mut().ok_or(StorageError::Reopening)?;
        let opened = open.gate.pass()?;
        let mut stopwatch = Stopwatch::start();
        flow::wait(&opened.database, &opened.keyspace).map_err(failed)?;
        stopwatch.admitted();
        let mut running = Running::after(writer.record.running);
        let keyspace = &opened.keyspace;
        let mut batch =
            fjall::OwnedWriteBatch::with_capacity(opened.database.clone(), commit.changes.len() + 1)
                .durability(Some(match self.options.durability {
                    Durability::Fsync => PersistMode::SyncData,
                    Durability::Os => PersistMode::Buffer,
                }));
        let (mut removals, mut batch_bytes) = (0, 0);
        for change in &commit.changes {
            let (Change::Put(key, _) | Change::Delete(key)) = change;
            if key.len() > KEY_BYTES {
                return Err(StorageError::Failed(format!("a key has {} bytes", key.len())));
            }
            let stored_key = seal::entry_key(key);
            match change {
                Change::Put(key, value) => {
                    let sealed = opened.codec.seal(key, value)?;
                    running.add(seal::seal_of(&sealed));
                    batch_bytes += sealed.len() as u64;
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
        stopwatch.written();
        let snapshot = Arc::new(FjallSnapshot::now(&open.gate, &opened));
        let written = open.progress.advance(record, snapshot.sequence());
        written.map_err(|error| StorageError::Failed(format!("PROGRESS: {error}")))?;
        open.reclaimer.count(removals, batch_bytes, self.is_short.load(Ordering::Relaxed));
        stopwatch.stop(keyspace, commit.changes.len());
        writer.record = record;
        Ok(snapshot)
    }

    /// Sets space aside again, if there is some; looks at most once a second.
    fn set_aside_again(&self) {
        let mut tried_at = self.tried_at.lock();
        if tried_at.is_some_and(|at| at.elapsed() < Duration::from_secs(1)) {
            return;
        }
        *tried_at = Some(Instant::now());
        let has_space = probe::probe(&self.path, self.options.reserve_bytes)
            .and_then(|()| reserve::set_aside(&self.path, self.options.reserve_bytes));
        if has_space.is_ok() {
            tracing::warn!(path = %self.path.display(), "there is space on the disk again");
            self.is_short.store(false, Ordering::Relaxed);
        }
    }

    /// Closes what is open, unless somebody does not stop reading.
    fn close(&self, writer: &mut Writer) -> Result<(), StorageError> {
        if let Some((gate, _)) = &writer.reading {
            if !gate.shut(REOPEN_PATIENCE) {
                return Err(StorageError::Failed("somebody still reads the store".into()));
            }
            writer.reading = None;
        }
        let Some(open) = &mut writer.open else { return Ok(()) };
        open.reclaimer.stop();
        if !open.gate.shut(REOPEN_PATIENCE) {
            return Err(StorageError::Failed("somebody still reads the store".into()));
        }
        writer.open = None;
        Ok(())
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
        if let Some((_, reason)) = &writer.reading {
            return Err(StorageError::ReadOnly(reason.clone()));
        }
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
                let noted = writer.open.as_mut().map(|open| open.progress.suspect());
                if let Some(Err(warning)) = noted {
                    tracing::warn!(%warning, "a failed commit could not be noted");
                }
                Err(error)
            }
        }
    }

    fn waits(&self) -> bool {
        true
    }

    fn admits(&self, changes: &[Change]) -> Result<(), StorageError> {
        if !self.is_short.load(Ordering::Relaxed) || reserve::admits(changes).is_ok() {
            return Ok(());
        }
        self.set_aside_again();
        if self.is_short.load(Ordering::Relaxed) { reserve::admits(changes) } else { Ok(()) }
    }

    fn read_only(&self) -> Option<String> {
        self.writer.lock().reading.as_ref().map(|(_, reason)| reason.clone())
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = self.notices.lock().clone();
        if self.is_short.load(Ordering::Relaxed) {
            notices.push(reserve::NO_SPACE.to_owned());
        }
        // A commit under way must not make anybody wait who only asks.
        let damages = self
            .writer
            .try_lock()
            .and_then(|writer| Some(writer.open.as_ref()?.scrubber.as_ref()?.damages()));
        let damaged = |damage: Damage| {
            let advice = match damage.path.extension().is_some_and(|extension| extension == "jnl") {
                true => "make a backup before the server stops, while what it contains is still in memory",
                false => "restore a backup",
            };
            format!("{} is damaged: {}; {advice}", damage.path.display(), damage.reason)
        };
        notices.extend(damages.into_iter().flatten().map(damaged));
        notices
    }

    fn is_well(&self) -> Result<(), StorageError> {
        let Err(error) = probe::probe(&self.path, 0) else { return Ok(()) };
        // Without space for the journals they are written over themselves; the store is not closed if even that is not sure
        // to succeed, so that reads go on.
        let has_spare = reserve::is_full(&error)
            && reserve::give_up(&self.path).unwrap_or(false)
            && probe::probe_spare(&self.path).is_ok();
        if !has_spare {
            return Err(StorageError::Failed(error.to_string()));
        }
        tracing::warn!(path = %self.path.display(), "{}", reserve::NO_SPACE);
        self.is_short.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn reopen(&self) -> Result<(), StorageError> {
        let mut writer = self.writer.lock();
        self.close(&mut writer)?;
        let mut notices = Vec::new();
        let has_failed = writer.failed.is_some();
        let opened = open(&self.path, &self.options, REOPEN_PATIENCE, has_failed, &mut notices);
        let (new_writer, newest) = opened.map_err(|error| StorageError::Failed(error.to_string()))?;
        self.notices.lock().extend(notices);
        *self.newest.lock() = newest;
        *writer = new_writer;
        Ok(())
    }
}

/// Opens or creates a directory, and returns the parts of a store. `has_failed` means that a commit failed; PROGRESS
/// may lack that note, since it is on the disk that had just failed.
fn open(
    path: &Path,
    options: &Options,
    patience: Duration,
    has_failed: bool,
    notices: &mut Vec<String>,
) -> Result<(Writer, Arc<FjallSnapshot>), OpenError> {
    let (lock, found) = directory::take(path, patience)?;
    if matches!(found, Found::Existing(..)) {
        check_key(path, options)?;
    }
    let was_cut_off = session::was_cut_off(path).map_err(OpenError::io(path))?;
    let (opened, progress, record) = match found {
        Found::New => {
            let opened = open_fjall(path, path, options, Hold::Write(lock))?;
            let progress = Progress::create(path)?;
            if let Some(key) = &options.data_key {
                KeyFile::of(key).write(path)?;
            }
            directory::sync_new(path)?;
            format::write(path, State::Ready, options.data_key.is_some())?;
            (opened, progress, Record::default())
        }
        Found::Existing(reading, progress) => {
            journal::cut(&reading)?;
            if has_failed || progress.reached().is_suspect {
                journal::rewrite(&reading)?;
            }
            let opened = open_fjall(path, path, options, Hold::Write(lock))?;
            let record = last_record(path, &opened)?;
            let lost = check_record(path, &record, reading.last.as_ref(), &progress.reached())?;
            notices.extend(lost);
            (opened, progress, record)
        }
    };
    let gate = Arc::new(Gate::new(opened));
    let newest = {
        let opened = gate.pass().map_err(|error| OpenError::damaged(path, error.to_string()))?;
        Arc::new(FjallSnapshot::now(&gate, &opened))
    };
    if was_cut_off {
        notices.push(cut_off(&record));
    }
    let session = match options.durability {
        Durability::Os => Some(Session::begin(path).map_err(OpenError::io(path))?),
        Durability::Fsync => {
            session::forget(path).map_err(OpenError::io(path))?;
            None
        }
    };
    let reclaimer = Reclaimer::start(&gate, path, options.reserve_bytes).map_err(OpenError::io(path))?;
    let scrubber = options.scrub_interval.map(|interval| Scrubber::start(path, interval));
    let scrubber = scrubber.transpose().map_err(OpenError::io(path))?;
    let open = Some(Open { reclaimer, progress, session, scrubber, gate });
    Ok((Writer { record, open, reading: None, failed: None }, newest))
}

/// Whether the key fits what is there. Nothing has been written yet.
fn check_key(path: &Path, options: &Options) -> Result<(), OpenError> {
    match (format::is_encrypted(path)?, &options.data_key) {
        (false, None) => Ok(()),
        (false, Some(_)) => Err(OpenError::NotEncrypted { path: path.to_owned() }),
        (true, None) => Err(OpenError::KeyNeeded { path: path.to_owned() }),
        (true, Some(key)) if KeyFile::read(path)?.check_value == key.check_value() => Ok(()),
        (true, Some(_)) => Err(OpenError::WrongKey { path: path.to_owned() }),
    }
}

/// The notice after the machine went down while commits were not synced.
fn cut_off(record: &Record) -> String {
    let newest = match record.version {
        0 => "there are none left".to_owned(),
        version => format!("the newest that is left is commit {version}"),
    };
    format!(
        "the machine went down while this database was open with durability os: writes that were answered before may be \
         missing; {newest}. Durability fsync keeps every answered write"
    )
}

/// Opens a directory without writing to it.
fn open_for_reading(
    path: &Path,
    options: &Options,
    reason: String,
) -> Result<(Writer, Arc<FjallSnapshot>), OpenError> {
    let lock = ReadLock::acquire(path)?;
    let reading = directory::look(path)?;
    check_key(path, options)?;
    let shadow = Shadow::of(path, &reading).map_err(OpenError::io(path))?;
    let shadow_path = shadow.path().to_owned();
    let opened = open_fjall(&shadow_path, path, options, Hold::Read(shadow, lock))?;
    let record = last_record(path, &opened)?;
    check_record(path, &record, reading.last.as_ref(), &Progress::reached_in(path)?)?;
    let gate = Arc::new(Gate::new(opened));
    let newest = {
        let opened = gate.pass().map_err(|error| OpenError::damaged(path, error.to_string()))?;
        Arc::new(FjallSnapshot::now(&gate, &opened))
    };
    Ok((Writer { record, open: None, reading: Some((gate, reason)), failed: None }, newest))
}

/// Why a directory with a database cannot be written, if that is what an error comes of.
fn obstacle(path: &Path, error: &OpenError) -> Option<std::io::Error> {
    if !matches!(format::read(path), Ok(Some(State::Ready))) || matches!(error, OpenError::InUse { .. }) {
        return None;
    }
    // Fjall's error often lacks the cause; an attempt to write shows it.
    let error = probe::probe(path, 0).err()?;
    let is_known = matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied);
    (is_known || reserve::is_full(&error)).then_some(error)
}

/// The newest commit in fjall.
fn last_record(path: &Path, opened: &Opened) -> Result<Record, OpenError> {
    let stored = opened.keyspace.get(RECORD_KEY);
    let stored = stored.map_err(|error| OpenError::damaged(path, error.to_string()))?;
    let Some(stored) = stored else { return Ok(Record::default()) };
    Record::from_bytes(&stored).ok_or_else(|| OpenError::damaged(path, "the commit record is not readable"))
}

/// Refuses a store that lacks acknowledged commits, or commits that its journal contains. The loss of commits that were
/// never synced is only reported.
fn check_record(
    path: &Path,
    record: &Record,
    in_journal: Option<&Record>,
    reached: &Reached,
) -> Result<Option<String>, OpenError> {
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
        return Ok(None);
    }
    let missing = format!(
        "it ends with commit {}, but commit {} was acknowledged",
        record.version, reached.record.version
    );
    match reached.record.durability {
        Durability::Fsync => Err(OpenError::damaged(path, missing)),
        Durability::Os => Ok(Some(format!("{missing}; it had not been written through to the device"))),
    }
}

/// Maps an error of fjall to one of the store interface.
pub(crate) fn failed(error: fjall::Error) -> StorageError {
    let text = error.to_string();
    match error {
        fjall::Error::Poisoned => {
            StorageError::Failed("a table could not be written in the background".into())
        }
        fjall::Error::Storage(fjall::LsmError::Io(error)) | fjall::Error::Io(error) => {
            StorageError::Failed(error.to_string())
        }
        _ => StorageError::Damaged(text),
    }
}
