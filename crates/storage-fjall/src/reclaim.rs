//! Gives disk space back after many removals.
//!
//! A removed key stays on disk until a compaction takes it to the last level, and fjall compacts when there is
//! much to sort, not when there is much to forget. So removals are counted here; when they make up a quarter of
//! all that is stored, everything is written anew without them. Fjall keeps the old tables until a later commit has
//! replaced the newest snapshot, and looks for tables to delete when a memtable is full; here it is made to look then.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fjall::{AbstractTree, PersistMode};
use parking_lot::{Condvar, Mutex};

use crate::gate::{Gate, Opened};
use crate::reserve;

/// Removals after which it pays to look. Not many: a value may have 400 KB.
const LOOK_EVERY: u64 = 100;
/// One removal in so many entries is worth the work.
const SHARE: u64 = 4;
/// The commits after which fjall looks for old tables; the first may be too early, while readers of the old
/// snapshot finish.
const LOOKS: u64 = 3;
/// The work takes at most this share of the time, and there is a pause after it in any case: a busy queue removes
/// a quarter of itself all the time.
const REST: u32 = 10;
const PAUSE: Duration = Duration::from_secs(1);

/// Counts removals, and has a thread that acts on them.
pub(crate) struct Reclaimer {
    shared: Arc<Shared>,
    /// Removals when the thread was woken last.
    looked_at: u64,
    /// Bytes written since the last attempt to set space aside.
    written_bytes: u64,
    reserve_bytes: u64,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    woken: Mutex<bool>,
    changed: Condvar,
    /// Removed keys that still are on disk.
    removals: AtomicU64,
    /// How often fjall is still to look for old tables.
    looks: AtomicU64,
    /// Space is needed: every removal is worth the work.
    is_urgent: AtomicBool,
    is_stopped: AtomicBool,
}

/// The space to be set aside.
struct Reserve {
    path: PathBuf,
    bytes: u64,
}

impl Reserve {
    /// Sets space aside for a store that is larger than that.
    fn set_aside(&self, opened: &Opened) {
        if opened.keyspace.disk_space() < self.bytes {
            return;
        }
        if let Err(error) = reserve::set_aside(&self.path, self.bytes) {
            tracing::warn!(%error, "no space could be set aside for when the disk is full");
        }
    }
}

impl Reclaimer {
    /// Starts the thread.
    pub(crate) fn start(gate: &Arc<Gate>, path: &Path, reserve_bytes: u64) -> std::io::Result<Reclaimer> {
        let removals = gate.pass().map_or(0, |opened| opened.keyspace.tree.tombstone_count());
        let shared = Arc::new(Shared {
            woken: Mutex::new(false),
            changed: Condvar::new(),
            removals: AtomicU64::new(removals),
            looks: AtomicU64::new(0),
            is_urgent: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
        });
        let (gate, theirs) = (Arc::clone(gate), Arc::clone(&shared));
        let reserve = Reserve { path: path.to_owned(), bytes: reserve_bytes };
        let thread = std::thread::Builder::new().name("reclaimer".into());
        let thread = thread.spawn(move || run(&gate, &theirs, &reserve))?;
        Ok(Reclaimer { shared, looked_at: 0, written_bytes: 0, reserve_bytes, thread: Some(thread) })
    }

    /// Notes how many keys a commit removed and how much it wrote, and whether space is needed at once.
    pub(crate) fn count(&mut self, removals: u64, written_bytes: u64, is_urgent: bool) {
        self.shared.is_urgent.store(is_urgent, Ordering::Relaxed);
        self.written_bytes += written_bytes;
        let has_grown = self.reserve_bytes > 0 && self.written_bytes >= self.reserve_bytes;
        if has_grown {
            self.written_bytes = 0;
        }
        let total = self.shared.removals.fetch_add(removals, Ordering::Relaxed) + removals;
        // The total goes back when the thread has done its work.
        self.looked_at = self.looked_at.min(total);
        let is_urgent = is_urgent && removals > 0;
        let looks = self.shared.looks.load(Ordering::Relaxed) > 0;
        if total - self.looked_at >= LOOK_EVERY || looks || has_grown || is_urgent {
            self.looked_at = total;
            *self.shared.woken.lock() = true;
            self.shared.changed.notify_one();
        }
    }

    /// Ends the thread and waits for it, so that it does not hold the store any longer than its owner. A compaction
    /// cannot be interrupted.
    pub(crate) fn stop(&mut self) {
        {
            let _woken = self.shared.woken.lock();
            self.shared.is_stopped.store(true, Ordering::Relaxed);
        }
        self.shared.changed.notify_one();
        // A panic there was reported when it happened; the space is given back another time.
        self.thread.take().map(JoinHandle::join).and_then(Result::ok);
    }
}

impl Drop for Reclaimer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    /// Waits for removals; `false` on shutdown.
    fn wait(&self) -> bool {
        let mut woken = self.woken.lock();
        while !*woken && !self.is_stopped.load(Ordering::Relaxed) {
            self.changed.wait(&mut woken);
        }
        *woken = false;
        !self.is_stopped.load(Ordering::Relaxed)
    }

    /// Lets some time pass, unless the store is closed.
    fn rest(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut woken = self.woken.lock();
        while !self.is_stopped.load(Ordering::Relaxed) {
            if self.changed.wait_until(&mut woken, until).timed_out() {
                return;
            }
        }
    }
}

fn run(gate: &Gate, shared: &Shared, reserve: &Reserve) {
    if let Ok(opened) = gate.pass() {
        reserve.set_aside(&opened);
    }
    // Removals that a compaction could not forget, because somebody still reads an older snapshot.
    let mut kept = 0;
    while shared.wait() {
        let Ok(opened) = gate.pass() else { return };
        let removals = shared.removals.load(Ordering::Relaxed);
        // Without the active memtable: every commit leaves a version of its record and of some totals there, which
        // are gone when it is written.
        let tree = &opened.keyspace.tree;
        let entries = tree.approximate_len().saturating_sub(tree.active_memtable().len()) as u64;
        let is_urgent = shared.is_urgent.load(Ordering::Relaxed);
        if !is_urgent {
            reserve.set_aside(&opened);
        }
        let new = removals.saturating_sub(kept);
        let is_worth_it = (new * SHARE >= entries && removals >= LOOK_EVERY) || (is_urgent && new > 0);
        let began = Instant::now();
        let worked = if is_worth_it {
            let worked = reclaim(&opened, &shared.is_stopped);
            kept = opened.keyspace.tree.tombstone_count();
            shared.removals.fetch_sub(removals.saturating_sub(kept), Ordering::Relaxed);
            shared.looks.store(LOOKS, Ordering::Relaxed);
            worked
        } else if shared.looks.load(Ordering::Relaxed) > 0 {
            shared.looks.fetch_sub(1, Ordering::Relaxed);
            opened.keyspace.rotate_memtable().map(drop)
        } else {
            Ok(())
        };
        if let Err(error) = worked {
            tracing::warn!(%error, "disk space could not be given back");
        }
        drop(opened);
        if is_worth_it {
            shared.rest(PAUSE.max(began.elapsed() * REST));
        }
    }
}

/// Writes everything anew, without what was removed.
pub(crate) fn reclaim(opened: &Opened, is_stopped: &AtomicBool) -> fjall::Result<()> {
    opened.keyspace.rotate_memtable()?;
    while opened.keyspace.sealed_memtable_count() > 0 {
        if is_stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Fails once fjall has stopped, which nobody should wait for.
        opened.database.persist(PersistMode::Buffer)?;
        std::thread::sleep(Duration::from_millis(1));
    }
    opened.keyspace.major_compact()?;
    // Files of large values are not touched before a compaction has counted what nobody refers to any more.
    if opened.keyspace.fragmented_blob_bytes() * SHARE >= opened.keyspace.disk_space() {
        opened.keyspace.major_compact()?;
    }
    Ok(())
}
