//! Logs where a slow commit spent its time, to explain the delays that clients see.

use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace};

/// Writers notice a pause of this length.
const SLOW: Duration = Duration::from_millis(100);

/// The steps of one commit.
pub(crate) struct Stopwatch {
    began: Instant,
    /// When fjall had room.
    admitted: Option<Instant>,
    /// When the batch was on the device and applied.
    written: Option<Instant>,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { began: Instant::now(), admitted: None, written: None }
    }

    pub(crate) fn admitted(&mut self) {
        self.admitted = Some(Instant::now());
    }

    pub(crate) fn written(&mut self) {
        self.written = Some(Instant::now());
    }

    /// Ends it, and reports a commit that was slow.
    pub(crate) fn stop(self, keyspace: &Keyspace, changes: usize) {
        let now = Instant::now();
        if now - self.began < SLOW {
            return;
        }
        let admitted = self.admitted.unwrap_or(now);
        let written = self.written.unwrap_or(now);
        tracing::info!(
            changes,
            waited_for_tables_ms = (admitted - self.began).as_millis() as u64,
            journal_ms = (written - admitted).as_millis() as u64,
            after_ms = (now - written).as_millis() as u64,
            memtables = keyspace.sealed_memtable_count(),
            unsorted_tables = keyspace.tree.l0_run_count(),
            "a commit took long"
        );
    }
}
