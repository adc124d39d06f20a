//! Locks on keys: shared or exclusive, granted first come first served, never waited for by a thread.
//!
//! A request takes its locks in ascending order of keys and keeps what it has while it waits for the next one;
//! since all do so in the same order, no two wait for each other.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, VecDeque};

use crate::store::Key;

/// How a key is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Together with other shared holders.
    Shared,
    /// Alone.
    Exclusive,
}

/// A lock that a write asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lock {
    /// The locked key; it need not exist.
    pub key: Key,
    /// How.
    pub mode: Mode,
}

impl Lock {
    /// A lock that is held together with other shared holders.
    pub fn shared(key: impl Into<Key>) -> Lock {
        Lock { key: key.into(), mode: Mode::Shared }
    }

    /// A lock that is held alone.
    pub fn exclusive(key: impl Into<Key>) -> Lock {
        Lock { key: key.into(), mode: Mode::Exclusive }
    }
}

/// Names a request while it holds or waits for locks.
pub(crate) type RequestId = u64;

/// The locks of one request, and how far it got.
pub(crate) struct Request<W> {
    /// Sorted by key, each key once, the stronger mode kept.
    locks: Vec<Lock>,
    granted: usize,
    /// Whether others report a conflict instead of waiting when they try these locks.
    conflicts: bool,
    /// The work that waits; taken when all locks are granted.
    work: Option<W>,
}

/// All locks and all requests that hold or await any.
pub(crate) struct LockTable<W> {
    keys: HashMap<Key, Held>,
    requests: HashMap<RequestId, Request<W>>,
    next_id: RequestId,
}

#[derive(Default)]
struct Held {
    exclusive: bool,
    shared: u32,
    /// Holders and waiters that make a trying request report a conflict.
    conflicting: u32,
    waiting: VecDeque<(RequestId, Mode)>,
}

impl Held {
    fn admits(&self, mode: Mode) -> bool {
        match mode {
            Mode::Shared => !self.exclusive,
            Mode::Exclusive => !self.exclusive && self.shared == 0,
        }
    }

    fn grant(&mut self, mode: Mode) {
        match mode {
            Mode::Shared => self.shared += 1,
            Mode::Exclusive => self.exclusive = true,
        }
    }
}

impl<W> Default for LockTable<W> {
    fn default() -> LockTable<W> {
        LockTable { keys: HashMap::new(), requests: HashMap::new(), next_id: 0 }
    }
}

/// Orders locks by key and merges those of one key into the stronger.
pub(crate) fn normalize(mut locks: Vec<Lock>) -> Vec<Lock> {
    // Descending modes within a key let `dedup` keep the stronger.
    locks.sort_by(|left, right| left.key.cmp(&right.key).then(right.mode.cmp(&left.mode)));
    locks.dedup_by(|later, kept| later.key == kept.key);
    locks
}

impl<W> LockTable<W> {
    /// Those of the keys that a conflicting request holds or waits for.
    pub(crate) fn conflicts<'a>(&self, locks: impl IntoIterator<Item = &'a Lock>) -> Vec<Key> {
        let conflicting = |lock: &&Lock| {
            lock.mode == Mode::Exclusive && self.keys.get(&lock.key).is_some_and(|held| held.conflicting > 0)
        };
        locks.into_iter().filter(conflicting).map(|lock| lock.key.clone()).collect()
    }

    /// Registers a request with normalized locks. Its work comes back at once if every lock was free.
    pub(crate) fn acquire(&mut self, locks: Vec<Lock>, conflicts: bool, work: W) -> (RequestId, Option<W>) {
        let id = self.next_id;
        self.next_id += 1;
        if conflicts {
            for lock in &locks {
                self.keys.entry(lock.key.clone()).or_default().conflicting += 1;
            }
        }
        self.requests.insert(id, Request { locks, granted: 0, conflicts, work: Some(work) });
        (id, self.advance(id))
    }

    /// Gives back all locks of a finished request; returns the requests that now have all of theirs.
    pub(crate) fn release(&mut self, id: RequestId) -> Vec<(RequestId, W)> {
        let Some(request) = self.requests.remove(&id) else {
            return Vec::new();
        };
        let mut ready = Vec::new();
        for lock in request.locks {
            let Slot::Occupied(mut slot) = self.keys.entry(lock.key.clone()) else {
                continue;
            };
            let held = slot.get_mut();
            match lock.mode {
                Mode::Shared => held.shared -= 1,
                Mode::Exclusive => held.exclusive = false,
            }
            held.conflicting -= u32::from(request.conflicts);
            let mut woken = Vec::new();
            while let Some(&(waiter, mode)) = held.waiting.front() {
                if !held.admits(mode) {
                    break;
                }
                held.grant(mode);
                held.waiting.pop_front();
                woken.push(waiter);
            }
            if held.shared == 0 && !held.exclusive && held.conflicting == 0 && held.waiting.is_empty() {
                slot.remove();
            }
            for waiter in woken {
                if let Some(request) = self.requests.get_mut(&waiter) {
                    request.granted += 1;
                }
                ready.extend(self.advance(waiter).map(|work| (waiter, work)));
            }
        }
        ready
    }

    /// Takes lock after lock until one must be waited for; gives the work when none is left.
    fn advance(&mut self, id: RequestId) -> Option<W> {
        let request = self.requests.get_mut(&id)?;
        while let Some(lock) = request.locks.get(request.granted) {
            let held = self.keys.entry(lock.key.clone()).or_default();
            if !held.waiting.is_empty() || !held.admits(lock.mode) {
                held.waiting.push_back((id, lock.mode));
                return None;
            }
            held.grant(lock.mode);
            request.granted += 1;
        }
        request.work.take()
    }

    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.requests.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lock(key: u8, mode: Mode) -> Lock {
        Lock { key: [key].into(), mode }
    }

    #[test]
    fn the_stronger_mode_of_a_key_is_kept() {
        use Mode::{Exclusive, Shared};
        let locks = normalize(vec![lock(2, Shared), lock(1, Shared), lock(2, Exclusive), lock(1, Shared)]);
        assert_eq!(locks, [lock(1, Shared), lock(2, Exclusive)]);
    }

    #[test]
    fn an_exclusive_waiter_is_not_overtaken_by_readers() {
        let mut table = LockTable::default();
        let (first, ready) = table.acquire(vec![lock(1, Mode::Shared)], false, "reader");
        assert!(ready.is_some());
        let (writer, ready) = table.acquire(vec![lock(1, Mode::Exclusive)], false, "writer");
        assert!(ready.is_none());
        let (late, ready) = table.acquire(vec![lock(1, Mode::Shared)], false, "late reader");
        assert!(ready.is_none());
        assert_eq!(table.release(first), [(writer, "writer")]);
        assert_eq!(table.release(writer), [(late, "late reader")]);
        assert_eq!(table.release(late), []);
        assert!(table.is_empty());
    }

    #[test]
    fn only_conflicting_requests_are_reported() {
        let mut table = LockTable::default();
        let (single, _) = table.acquire(vec![lock(1, Mode::Exclusive)], false, ());
        let (transaction, _) = table.acquire(vec![lock(2, Mode::Exclusive)], true, ());
        let wanted = [lock(1, Mode::Exclusive), lock(2, Mode::Exclusive)];
        assert_eq!(table.conflicts(&wanted), [wanted[1].key.clone()]);
        table.release(single);
        table.release(transaction);
        assert!(table.conflicts(&wanted).is_empty());
        assert!(table.is_empty());
    }

    proptest! {
        /// For any requests in any order, each gets all its locks in the end, and conflicting holders never
        /// overlap.
        #[test]
        fn everybody_is_served(
            requests in proptest::collection::vec(
                proptest::collection::vec((0u8..4, prop_oneof![Just(Mode::Shared), Just(Mode::Exclusive)]), 1..4),
                1..20,
            ),
            releases in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let mut table = LockTable::default();
            let mut holding: Vec<(RequestId, Vec<Lock>)> = Vec::new();
            let mut served = 0;
            let total = requests.len();
            let mut releases = releases.into_iter();
            let mut pending = requests.into_iter();
            loop {
                let next = pending.next();
                if next.is_none() && holding.is_empty() {
                    break;
                }
                let mut ready = Vec::new();
                if let Some(request) = next {
                    let locks = normalize(request.into_iter().map(|(key, mode)| lock(key, mode)).collect());
                    let (id, work) = table.acquire(locks.clone(), false, locks);
                    ready.extend(work.map(|locks| (id, locks)));
                } else {
                    let at = releases.next().map_or(0, |index| index.index(holding.len()));
                    let (id, _) = holding.swap_remove(at);
                    ready = table.release(id);
                }
                for (id, locks) in ready {
                    for (_, held) in &holding {
                        for (a, b) in held.iter().flat_map(|a| locks.iter().map(move |b| (a, b))) {
                            prop_assert!(a.key != b.key || (a.mode, b.mode) == (Mode::Shared, Mode::Shared));
                        }
                    }
                    holding.push((id, locks));
                    served += 1;
                }
            }
            prop_assert_eq!(served, total);
            prop_assert!(table.is_empty());
        }
    }
}
