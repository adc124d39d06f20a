//! The commit path under concurrency, with a store that waits and one that does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::*;
use crate::store::Value;
use crate::{MemoryStore, SystemClock};

/// The memory store with a device that takes its time, and that can be broken. A commit that fails may have reached it.
#[derive(Default)]
struct SlowStore {
    memory: MemoryStore,
    broken: AtomicBool,
    keeps_what_failed: bool,
}

impl Store for SlowStore {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.memory.snapshot()
    }
    fn last_commit(&self) -> (u64, u64) {
        self.memory.last_commit()
    }
    fn commit(&self, commit: Commit) -> Result<Arc<dyn Snapshot>, StorageError> {
        std::thread::sleep(Duration::from_micros(200));
        if self.broken.load(Ordering::SeqCst) {
            if self.keeps_what_failed {
                self.memory.commit(commit)?;
            }
            return Err(StorageError::Failed("unplugged".into()));
        }
        self.memory.commit(commit)
    }
    fn waits(&self) -> bool {
        true
    }
    fn is_well(&self) -> Result<(), StorageError> {
        match self.broken.load(Ordering::SeqCst) {
            true => Err(StorageError::Failed("still unplugged".into())),
            false => Ok(()),
        }
    }
    fn reopen(&self) -> Result<(), StorageError> {
        Ok(())
    }
}

fn committers() -> [Committer; 2] {
    let stores: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new()), Arc::new(SlowStore::default())];
    stores.map(|store| Committer::new(store, Arc::new(SystemClock)))
}

fn number(value: Option<Value>) -> u64 {
    value.map_or(0, |value| u64::from_be_bytes(value[..8].try_into().unwrap()))
}

fn increment(key: &'static [u8]) -> impl FnOnce(&Published) -> Write<u64> + Send + 'static {
    move |view| {
        let next = number(view.snapshot.get(key).unwrap()) + 1;
        let mut batch = Batch::new();
        batch.put(key.into(), next.to_be_bytes().into());
        Write { batch, answer: next }
    }
}

#[test]
fn no_increment_is_lost() {
    for committer in committers() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    // Tickets are taken first and waited for later: nothing blocks in between.
                    let tickets: Vec<_> = (0..50)
                        .map(|_| committer.write(vec![Lock::exclusive(*b"n")], increment(b"n")))
                        .collect();
                    for ticket in tickets {
                        ticket.wait().unwrap();
                    }
                });
            }
        });
        assert_eq!(number(committer.view().snapshot.get(b"n").unwrap()), 400);
        assert!(committer.conflicts(&[(*b"n").into()]).is_empty());
    }
}

#[test]
fn versions_rise_and_logs_carry_them() {
    for committer in committers() {
        let mut last = Stamp::default();
        for round in 0..20u8 {
            let outcome = committer
                .write(vec![], move |_| {
                    let mut batch = Batch::new();
                    batch.log(b"log", &[round], b"record");
                    Write { batch, answer: () }
                })
                .wait()
                .unwrap();
            assert!(outcome.stamp.version > last.version && outcome.stamp.time_ms >= last.time_ms);
            last = outcome.stamp;
            let key = [b"log".as_slice(), &last.version.to_be_bytes(), &[round]].concat();
            let value = committer.view().snapshot.get(&key).unwrap().unwrap();
            assert_eq!(*value, *[&last.time_ms.to_be_bytes(), b"record".as_slice()].concat());
        }
    }
}

#[test]
fn totals_need_no_lock() {
    for committer in committers() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let add = |_: &Published| {
                            let mut batch = Batch::new();
                            batch.count((*b"total").into(), Counts { items: 1, bytes: -2 });
                            Write { batch, answer: () }
                        };
                        committer.write(vec![], add).wait().unwrap();
                    }
                });
            }
        });
        let total = committer.view().snapshot.get(b"total").unwrap().unwrap();
        assert_eq!(Counts::from_value(&total), Counts { items: 200, bytes: -400 });
    }
}

#[test]
fn a_panic_abandons_one_write_and_frees_its_locks() {
    for committer in committers() {
        let explode = |_: &Published| -> Write<()> { panic!("on purpose") };
        let error = committer.write(vec![Lock::exclusive(*b"n")], explode).wait().unwrap_err();
        assert!(matches!(error, StorageError::Abandoned(reason) if reason == "on purpose"));
        let outcome = committer.write(vec![Lock::exclusive(*b"n")], increment(b"n")).wait().unwrap();
        assert_eq!(outcome.answer, 1);
    }
}

#[test]
fn transactions_conflict_and_single_writes_wait() {
    let committer = Committer::new(Arc::new(SlowStore::default()), Arc::new(SystemClock));
    let locks = || vec![Lock::exclusive(*b"n")];
    let first = committer.try_write(locks(), increment(b"n")).unwrap();
    let refused = committer.try_write(locks(), increment(b"n"));
    assert_eq!(refused.err(), Some(Conflict { keys: vec![(*b"n").into()] }));
    let waiting = committer.write(locks(), increment(b"n"));
    assert_eq!(first.wait().unwrap().answer, 1);
    assert_eq!(waiting.wait().unwrap().answer, 2);
    assert_eq!(committer.try_write(locks(), increment(b"n")).unwrap().wait().unwrap().answer, 3);
}

#[test]
fn after_a_failed_commit_nothing_is_acknowledged_until_the_store_has_healed() {
    for keeps_what_failed in [false, true] {
        let store = Arc::new(SlowStore { keeps_what_failed, ..SlowStore::default() });
        let committer = Committer::new(Arc::clone(&store) as Arc<dyn Store>, Arc::new(SystemClock));
        let write = || committer.write(vec![Lock::exclusive(*b"n")], increment(b"n")).wait();
        write().unwrap();
        store.broken.store(true, Ordering::SeqCst);
        assert!(matches!(write(), Err(StorageError::Failed(_))));
        assert!(matches!(write(), Err(StorageError::ReadOnly(_))));
        assert!(committer.failure().is_some_and(|reason| reason.contains("unplugged")));
        assert_eq!(number(committer.view().snapshot.get(b"n").unwrap()), 1);
        store.broken.store(false, Ordering::SeqCst);
        while committer.failure().is_some() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let expected = if keeps_what_failed { 3 } else { 2 };
        assert_eq!(write().unwrap().answer, expected, "the one that failed happened or did not");
    }
}

/// A write that waits for its lock while the store heals is prepared on what was found then.
#[test]
fn no_write_is_prepared_on_one_state_and_committed_on_another() {
    let store = Arc::new(SlowStore { keeps_what_failed: true, ..SlowStore::default() });
    let committer = Committer::new(Arc::clone(&store) as Arc<dyn Store>, Arc::new(SystemClock));
    let mut acknowledged = 0;
    for _ in 0..5 {
        store.broken.store(true, Ordering::SeqCst);
        let _ = committer.write(vec![Lock::exclusive(*b"n")], increment(b"n")).wait();
        store.broken.store(false, Ordering::SeqCst);
        let before = number(store.memory.snapshot().get(b"n").unwrap());
        // These come while the store is refused, being opened, and open again.
        let mut healed = false;
        while !healed {
            let tickets: Vec<_> =
                (0..8).map(|_| committer.write(vec![Lock::exclusive(*b"n")], increment(b"n"))).collect();
            for outcome in tickets.into_iter().filter_map(|ticket| ticket.wait().ok()) {
                acknowledged += 1;
                healed = true;
                assert!(outcome.answer > before, "nothing that is there is overwritten");
            }
        }
        let after = number(committer.view().snapshot.get(b"n").unwrap());
        assert!(after > before);
    }
    // Every acknowledged increment counts, and the five that failed were there after all.
    assert_eq!(number(committer.view().snapshot.get(b"n").unwrap()), acknowledged + 5);
}

#[test]
fn older_states_are_retained_on_request() {
    struct Hand(AtomicU64);
    impl Clock for Hand {
        fn now_ms(&self) -> u64 {
            self.0.load(Ordering::SeqCst)
        }
    }
    let hand = Arc::new(Hand(AtomicU64::new(1_000)));
    let committer = Committer::new(Arc::new(MemoryStore::new()), Arc::clone(&hand) as Arc<dyn Clock>);
    committer.retain(500);
    for time in [1_000, 1_200, 1_400, 1_600, 1_800] {
        hand.0.store(time, Ordering::SeqCst);
        committer.write(vec![], increment(b"n")).wait().unwrap();
    }
    let seen = |time| number(committer.view_at(time).snapshot.get(b"n").unwrap());
    assert_eq!([1_300, 1_400, 1_599, 1_800, 9_999].map(seen), [2, 3, 3, 5, 5]);
}

#[test]
fn a_closed_committer_has_kept_its_promises() {
    for committer in committers() {
        let tickets: Vec<_> =
            (0..20).map(|_| committer.write(vec![Lock::exclusive(*b"n")], increment(b"n"))).collect();
        drop(committer);
        let answers: Vec<u64> = tickets.into_iter().map(|ticket| ticket.wait().unwrap().answer).collect();
        assert_eq!(answers, (1..=20).collect::<Vec<_>>());
    }
}

#[test]
fn a_closed_committer_refuses() {
    for committer in committers() {
        let before = committer.write(vec![Lock::exclusive(*b"n")], increment(b"n"));
        committer.close();
        assert_eq!(before.wait().unwrap().answer, 1);
        let after = committer.write(vec![Lock::exclusive(*b"n")], increment(b"n")).wait();
        assert!(matches!(after, Err(StorageError::Closed)));
    }
}

/// A write that waits for a lock is prepared by the thread that commits. If it held the last reference to the committer,
/// that thread waited for its own end, and the write was given up.
#[test]
fn a_write_can_be_the_last_to_know_its_committer() {
    let committer = Arc::new(Committer::new(Arc::new(SlowStore::default()), Arc::new(SystemClock)));
    let locks = || vec![Lock::exclusive(*b"n")];
    let first = committer.write(locks(), increment(b"n"));
    let owner = Arc::clone(&committer);
    let second = committer.write(locks(), move |view| {
        let write = increment(b"n")(view);
        drop(owner);
        write
    });
    drop(committer);
    assert_eq!(first.wait().unwrap().answer, 1);
    assert_eq!(second.wait().unwrap().answer, 2);
}
