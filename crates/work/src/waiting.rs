//! Items that wait for a run, shared out fairly.
//!
//! Values of the worker's `per` take turns. A value never holds more than a bounded number of places here, so a long queue for
//! one receiver leaves room for the items of all others; what found no place is found again by a later look.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Bound;

use sortkey_core::Due;
use sortkey_value::Item;

/// How many items of one share wait at most, where there are several shares.
const MAX_OF_A_SHARE: usize = 256;

/// How long an item is left alone that could not be claimed: each attempt costs a write.
const REFUSED_MS: i64 = 5_000;

/// How many refused items are remembered before those whose time is over are forgotten.
const MAX_REFUSED: usize = 20_000;

/// After so many failures in a row, the items of a share wait behind one probe.
const FAILURES_IN_A_ROW: u32 = 5;

/// Items that wait for a run, by the value that shares the worker's runs.
pub(crate) struct Waiting {
    shares: BTreeMap<String, Share>,
    /// The share that was served last, so that all have their turn.
    last: String,
    /// Keys that wait or run.
    known: HashSet<Item>,
    /// Keys that could not be claimed, and until when nobody tries: another process has them, or they were put aside.
    refused: HashMap<Item, i64>,
    /// How many runs a share may have.
    runs_of_a_share: u64,
    /// How many items of a share wait at most.
    places_of_a_share: usize,
}

/// The items of one value.
#[derive(Default)]
struct Share {
    queue: VecDeque<Due>,
    running: u64,
    failures: u32,
}

impl Share {
    /// How many runs it may begin now.
    fn room(&self, most: u64) -> u64 {
        let most = if self.failures >= FAILURES_IN_A_ROW { 1 } else { most };
        most.saturating_sub(self.running)
    }

    fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.running == 0 && self.failures == 0
    }
}

impl Waiting {
    /// A queue for a worker with some runs at a time, of which a share may have some.
    pub(crate) fn new(concurrency: u64, per_share: Option<u64>) -> Waiting {
        let places = usize::try_from(concurrency).unwrap_or(usize::MAX).saturating_mul(2);
        Waiting {
            shares: BTreeMap::new(),
            last: String::new(),
            known: HashSet::new(),
            refused: HashMap::new(),
            runs_of_a_share: per_share.unwrap_or(concurrency),
            places_of_a_share: match per_share {
                Some(_) => MAX_OF_A_SHARE,
                None => places.max(MAX_OF_A_SHARE),
            },
        }
    }

    /// Adds an item. Whether it is new here and can begin soon.
    pub(crate) fn add(&mut self, due: Due, now_ms: i64) -> bool {
        let is_refused = self.refused.get(&due.key).is_some_and(|until_ms| *until_ms > now_ms);
        if is_refused || self.known.contains(&due.key) {
            return false;
        }
        let share = self.shares.entry(due.share.clone()).or_default();
        if share.queue.len() >= self.places_of_a_share {
            return false;
        }
        let begins = share.room(self.runs_of_a_share) > share.queue.len() as u64;
        self.known.insert(due.key.clone());
        share.queue.push_back(due);
        begins
    }

    /// The next item whose share has a run left, taking turns.
    pub(crate) fn next(&mut self) -> Option<Due> {
        let most = self.runs_of_a_share;
        let fits = |share: &Share| !share.queue.is_empty() && share.room(most) > 0;
        let behind = (Bound::Excluded(self.last.as_str()), Bound::Unbounded);
        let after = self.shares.range::<str, _>(behind).chain(self.shares.iter());
        let name = after.into_iter().find(|(_, share)| fits(share))?.0.clone();
        let share = self.shares.get_mut(&name)?;
        let due = share.queue.pop_front()?;
        share.running += 1;
        self.last = name;
        Some(due)
    }

    /// How many items could begin if there were runs for all.
    pub(crate) fn ready(&self) -> usize {
        let most = self.runs_of_a_share;
        let ready =
            |share: &Share| share.queue.len().min(usize::try_from(share.room(most)).unwrap_or(usize::MAX));
        self.shares.values().map(ready).sum()
    }

    /// How many items wait.
    pub(crate) fn len(&self) -> usize {
        self.shares.values().map(|share| share.queue.len()).sum()
    }

    /// Leaves an item alone for a while that could not be claimed.
    pub(crate) fn refuse(&mut self, due: &Due, now_ms: i64) {
        if self.refused.len() >= MAX_REFUSED {
            self.refused.retain(|_, until_ms| *until_ms > now_ms);
        }
        self.refused.insert(due.key.clone(), now_ms + REFUSED_MS);
    }

    /// A run is over. `went` says whether it went well; none if there was no run.
    pub(crate) fn over(&mut self, due: &Due, went: Option<bool>) {
        self.known.remove(&due.key);
        let Some(share) = self.shares.get_mut(&due.share) else { return };
        share.running = share.running.saturating_sub(1);
        match went {
            Some(true) => share.failures = 0,
            Some(false) => share.failures = share.failures.saturating_add(1),
            None => {}
        }
        if share.is_idle() {
            self.shares.remove(&due.share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_value::{AttributeValue, Map};

    fn due(share: &str, at: usize) -> Due {
        let key: Map = [("k".to_owned(), AttributeValue::S(format!("{share}{at}")))].into_iter().collect();
        Due { key: key.into(), share: share.to_owned(), since_ms: 0 }
    }

    /// What begins, in order, until nothing can.
    fn begun(waiting: &mut Waiting) -> Vec<String> {
        std::iter::from_fn(|| waiting.next()).map(|due| due.share).collect()
    }

    #[test]
    fn shares_take_turns_and_none_has_more_than_its_runs() {
        let mut waiting = Waiting::new(100, Some(2));
        for at in 0..10 {
            waiting.add(due("a", at), 0);
        }
        waiting.add(due("b", 0), 0);
        assert_eq!(waiting.ready(), 3);
        assert_eq!(begun(&mut waiting), ["a", "b", "a"]);
        waiting.over(&due("a", 0), Some(true));
        assert_eq!(begun(&mut waiting), ["a"]);
    }

    #[test]
    fn a_long_queue_of_one_share_leaves_room_for_others() {
        let mut waiting = Waiting::new(100, Some(2));
        for at in 0..1_000_000 {
            waiting.add(due("dead", at), 0);
        }
        assert!(waiting.add(due("alive", 0), 0));
        assert_eq!(waiting.len(), MAX_OF_A_SHARE + 1);
    }

    #[test]
    fn a_share_that_keeps_failing_waits_behind_one_probe() {
        let mut waiting = Waiting::new(100, Some(4));
        for at in 0..20 {
            waiting.add(due("a", at), 0);
        }
        assert_eq!(begun(&mut waiting).len(), 4);
        for at in 0..4 {
            waiting.over(&due("a", at), Some(false));
        }
        assert_eq!(begun(&mut waiting).len(), 4);
        waiting.over(&due("a", 4), Some(false));
        for at in 5..8 {
            waiting.over(&due("a", at), Some(false));
        }
        assert_eq!(begun(&mut waiting).len(), 1, "one probe");
        waiting.over(&due("a", 8), Some(true));
        assert_eq!(begun(&mut waiting).len(), 4, "the probe came through");
    }

    #[test]
    fn an_item_is_here_once_and_a_refused_one_comes_back_later() {
        let mut waiting = Waiting::new(10, None);
        assert!(waiting.add(due("", 0), 0));
        assert!(!waiting.add(due("", 0), 0));
        let first = waiting.next().expect("one");
        assert!(!waiting.add(due("", 0), 0), "it runs");
        waiting.over(&first, None);
        waiting.refuse(&first, 0);
        assert!(!waiting.add(due("", 0), REFUSED_MS - 1));
        assert!(waiting.add(due("", 0), REFUSED_MS));
    }
}
