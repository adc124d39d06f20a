//! Writes the log.
//!
//! Requests write their lines themselves, one at a time; a thread of its own syncs the file and moves the head.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::{Condvar, Mutex};

use super::{Anchor, AuditError, Decided, Event, head_path, line, read_head, suffixed, verify};
use crate::keyring::write_private;

/// How often the device is synced.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// How much of the end of a log is read to find its last line; no line is longer.
const TAIL_BYTES: u64 = 4 << 20;

/// An audit log that is open for writing. The last clone to go syncs it.
pub struct AuditLog {
    shared: Arc<Shared>,
    syncing: Option<JoinHandle<()>>,
}

struct Shared {
    path: PathBuf,
    rotate_bytes: u64,
    state: Mutex<State>,
    /// Wakes the syncing thread when the log is closed.
    closing: Condvar,
    /// Held for as long as the log is open.
    _lock: File,
}

struct State {
    file: Arc<File>,
    /// The length up to which the file consists of whole lines.
    bytes: u64,
    /// The number of the first line in the file.
    first: u64,
    last: Anchor,
    /// The last line that the head names.
    synced: u64,
    failure: Option<String>,
    is_closing: bool,
}

impl AuditLog {
    /// Opens a log, or begins it. A log that was cut, or whose newest file was changed, is refused.
    pub fn open(path: &Path, rotate_bytes: u64) -> Result<AuditLog, AuditError> {
        let failed = |error| AuditError::File(path.to_owned(), error);
        let lock = private_file(&suffixed(path, ".lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => AuditError::InUse(path.to_owned()),
            std::fs::TryLockError::Error(error) => failed(error),
        })?;
        let mut file = private_file(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
        }
        let found = end(path, &mut file)?;
        let state = State {
            file: Arc::new(file),
            bytes: found.bytes,
            first: found.first,
            synced: found.last.seq,
            last: found.last,
            failure: None,
            is_closing: false,
        };
        let shared = Arc::new(Shared {
            path: path.to_owned(),
            rotate_bytes,
            state: Mutex::new(state),
            closing: Condvar::new(),
            _lock: lock,
        });
        if found.torn_bytes > 0 {
            shared.state.lock().file.set_len(found.bytes).map_err(failed)?;
            let why = format!("{} bytes of a line that was never completed were removed", found.torn_bytes);
            shared.note("AuditLogRecovered", &why)?;
        }
        verify::check_chain(path)?;
        // A log that cannot be written is found out now, and not at the first request.
        shared.note("ServerStarted", "")?;
        shared.sync().map_err(failed)?;
        let thread = std::thread::Builder::new().name("sortkey-audit".to_owned());
        let syncing = thread.spawn({
            let shared = Arc::clone(&shared);
            move || shared.keep_synced()
        });
        Ok(AuditLog { shared, syncing: Some(syncing.map_err(failed)?) })
    }

    /// Records an event. It is with the operating system when this returns.
    pub fn record(&self, event: &Event<'_>) -> Result<(), AuditError> {
        self.shared.record(event)
    }

    /// Why events cannot be recorded now.
    pub fn failure(&self) -> Option<String> {
        self.shared.state.lock().failure.clone()
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        // A failure has been logged by now, and there is no caller left to return it to.
        let _ = self.shared.note("ServerStopped", "");
        self.shared.state.lock().is_closing = true;
        self.shared.closing.notify_all();
        if let Some(syncing) = self.syncing.take() {
            let _ = syncing.join();
        }
    }
}

impl std::fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuditLog").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

impl Shared {
    fn note(&self, operation: &str, why: &str) -> Result<(), AuditError> {
        let event = Event {
            request: "",
            from: None,
            who: None,
            key: None,
            operation,
            resources: &[],
            decision: Decided::Noted,
            why,
        };
        self.record(&event)
    }

    fn record(&self, event: &Event<'_>) -> Result<(), AuditError> {
        let mut state = self.state.lock();
        let written = self.append(&mut state, event);
        let failure = written.as_ref().err().map(ToString::to_string);
        if state.failure != failure {
            match &failure {
                Some(error) => tracing::error!(%error, "the audit log cannot be written"),
                None => tracing::warn!("the audit log can be written again"),
            }
            state.failure = failure;
        }
        written.map_err(|error| AuditError::File(self.path.clone(), error))
    }

    fn append(&self, state: &mut State, event: &Event<'_>) -> io::Result<()> {
        if state.bytes >= self.rotate_bytes {
            self.rotate(state)?;
        }
        let mut text = Vec::with_capacity(640);
        let last = line::append(&mut text, event, &state.last, now_ms());
        let mut file = &*state.file;
        if let Err(error) = file.write_all(&text) {
            // Half a line would hide every later one.
            file.set_len(state.bytes)?;
            file.seek(SeekFrom::End(0))?;
            return Err(error);
        }
        state.bytes += text.len() as u64;
        state.last = last;
        Ok(())
    }

    /// Puts the file aside under the number of its first line, and begins another one.
    fn rotate(&self, state: &mut State) -> io::Result<()> {
        state.file.sync_data()?;
        let aside = suffixed(&self.path, &format!(".{:012}", state.first));
        std::fs::rename(&self.path, aside)?;
        state.file = Arc::new(private_file(&self.path)?);
        state.bytes = 0;
        state.first = state.last.seq + 1;
        Ok(())
    }

    fn keep_synced(&self) {
        loop {
            let is_closing = {
                let mut state = self.state.lock();
                if !state.is_closing {
                    self.closing.wait_for(&mut state, SYNC_EVERY);
                }
                state.is_closing
            };
            if let Err(error) = self.sync() {
                tracing::error!(%error, "the audit log cannot be synced");
            }
            if is_closing {
                return;
            }
        }
    }

    /// Syncs what was written, then moves the head: it never names a line that a power failure could take.
    fn sync(&self) -> io::Result<()> {
        let (file, last) = {
            let state = self.state.lock();
            if state.synced == state.last.seq && head_path(&self.path).exists() {
                return Ok(());
            }
            (Arc::clone(&state.file), state.last.clone())
        };
        file.sync_data()?;
        write_private(&head_path(&self.path), format!("{last}\n").as_bytes())?;
        self.state.lock().synced = last.seq;
        Ok(())
    }
}

/// The state at the end of a log.
struct End {
    last: Anchor,
    first: u64,
    bytes: u64,
    torn_bytes: u64,
}

fn end(path: &Path, file: &mut File) -> Result<End, AuditError> {
    let failed = |error| AuditError::File(path.to_owned(), error);
    let changed = |what: String| AuditError::Changed { path: path.to_owned(), what };
    let head = read_head(path)?;
    let bytes = file.seek(SeekFrom::End(0)).map_err(failed)?;
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL_BYTES))).map_err(failed)?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail).map_err(failed)?;
    let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let torn_bytes = (tail.len() - whole) as u64;
    let mut lines = tail[..whole].split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]);
    let last = match lines.next_back() {
        Some(text) => line::read(text).map_err(|what| changed(format!("its last line: {what}")))?.1,
        // The log was rotated, and nothing came after it; or it is new.
        None => verify::last_of_rotated(path)?.unwrap_or_else(Anchor::beginning),
    };
    if let Some(head) = head.filter(|head| head.seq > last.seq || head.seq == last.seq && *head != last) {
        return Err(changed(format!("it ends with line {}, but line {} was written", last.seq, head.seq)));
    }
    let first = match verify::first_line(path)? {
        Some(first) => first,
        None => last.seq + 1,
    };
    file.seek(SeekFrom::Start(bytes - torn_bytes)).map_err(failed)?;
    Ok(End { last, first, bytes: bytes - torn_bytes, torn_bytes })
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
