//! Slows writers down while fjall falls behind with its tables.
//!
//! Fjall does so by itself, inside a commit, in steps of 100 milliseconds, and waits for ever if the thread that
//! writes tables has died of a full disk. Waiting here first, in small steps and with an eye on that thread, keeps
//! fjall's own wait from ever beginning.

use std::time::{Duration, Instant};

use fjall::{AbstractTree, Database, Keyspace, PersistMode};

/// Memtables that wait to be written; fjall stops writers at four.
const SEALED_MEMTABLES: usize = 3;
/// Unsorted tables; fjall slows writers down from twenty on and stops them at thirty.
const UNSORTED_TABLES: usize = 20;
const STEP: Duration = Duration::from_millis(1);
/// A panic of a fjall thread is not reported; only a time-out detects it. No healthy step takes this long.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Waits until fjall can take another commit. Fails if it has stopped.
pub(crate) fn wait(database: &Database, keyspace: &Keyspace) -> fjall::Result<()> {
    let mut began = None;
    while keyspace.sealed_memtable_count() >= SEALED_MEMTABLES
        || keyspace.tree.l0_run_count() >= UNSORTED_TABLES
    {
        // Writes nothing: every commit has been handed over. It fails once fjall has stopped.
        database.persist(PersistMode::Buffer)?;
        if began.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            return Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into());
        }
        std::thread::sleep(STEP);
    }
    Ok(())
}
