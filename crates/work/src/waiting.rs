//! Items that are due and wait for a run, shared out fairly.
//!
//! Values of the worker's `per` take turns. A value never holds more than a bounded number of places here, so a long queue
//! for one receiver leaves room for the items of all others.
//! An item without a place is found again by a look, once its value has room.

use std::collections::{HashMap, HashSet};

use sortkey_core::{Claim, Due};
use sortkey_value::Item;

use crate::turns::Turns;

/// How many items of one share wait at most, where there are several shares.
const MAX_OF_A_SHARE: usize = 256;

/// How long an item that could not be claimed is left alone: each attempt costs a write.
const REFUSED_MS: i64 = 5_000;

/// How many refused items are remembered before those whose time is over are forgotten.
const MAX_REFUSED: usize = 20_000;

/// An item that waits for a run.
pub(crate) struct Candidate {
    pub(crate) due: Due,
    /// Its lease, if it was written with one.
    pub(crate) claim: Option<Claim>,
}

/// Items that wait for a run.
pub(crate) struct Waiting {
    turns: Turns<Candidate>,
    /// How many runs are under way, and how many there may be.
    running: usize,
    most: usize,
    /// Keys that wait or run.
    known: HashSet<Item>,
    /// Keys that could not be claimed, and the time before which they are not tried: another process has them, or
    /// they were put aside.
    refused: HashMap<Item, i64>,
    /// How many items of a share wait at most.
    places_of_a_share: usize,
    /// Shares of which an item found no place.
    crowded: HashSet<String>,
}

/// The outcome for an item that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It can begin as soon as there is a run for it.
    Begins,
    /// It waits for other items of its share.
    Waits,
    /// It waits or runs already, or it could not be claimed a moment ago.
    Known,
    /// Its share has no place left.
    Crowded,
}

impl Waiting {
    /// A queue for a worker with some runs at a time, of which a share may have some.
    pub(crate) fn new(concurrency: u64, per_share: Option<u64>) -> Waiting {
        let most = usize::try_from(concurrency).unwrap_or(usize::MAX);
        let places = most.saturating_mul(2);
        Waiting {
            turns: Turns::new(per_share.unwrap_or(concurrency)),
            running: 0,
            most,
            known: HashSet::new(),
            refused: HashMap::new(),
            places_of_a_share: match per_share {
                Some(_) => MAX_OF_A_SHARE,
                None => places.max(MAX_OF_A_SHARE),
            },
            crowded: HashSet::new(),
        }
    }

    /// Whether an item of a share that is added now begins at once.
    pub(crate) fn begins(&self, share: &str) -> bool {
        self.running + self.turns.len() < self.most && self.turns.begins(share)
    }

    /// Adds an item, perhaps with its lease.
    pub(crate) fn add(&mut self, due: Due, claim: Option<Claim>, now_ms: i64) -> Added {
        let is_refused = self.refused.get(&due.key).is_some_and(|until_ms| *until_ms > now_ms);
        if is_refused || self.known.contains(&due.key) {
            return Added::Known;
        }
        if self.turns.len_of(&due.share) >= self.places_of_a_share {
            if !self.crowded.contains(&due.share) {
                self.crowded.insert(due.share);
            }
            return Added::Crowded;
        }
        self.known.insert(due.key.clone());
        let share = due.share.clone();
        if self.turns.push(&share, Candidate { due, claim }) { Added::Begins } else { Added::Waits }
    }

    /// The next item to run, if there is room for a run.
    pub(crate) fn next(&mut self) -> Option<Candidate> {
        if self.running >= self.most {
            return None;
        }
        let next = self.turns.next()?;
        self.running += 1;
        Some(next)
    }

    /// Whether so few items can begin that others should be looked for.
    pub(crate) fn wants_more(&self) -> bool {
        self.running < self.most && self.turns.ready() < self.most
    }

    /// Ends a run whose item is not known any more. Its place in its share is lost.
    pub(crate) fn lost(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// How many items wait.
    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    /// Leaves an item that could not be claimed alone for a while.
    pub(crate) fn refuse(&mut self, due: &Due, now_ms: i64) {
        if self.refused.len() >= MAX_REFUSED {
            self.refused.retain(|_, until_ms| *until_ms > now_ms);
        }
        self.refused.insert(due.key.clone(), now_ms + REFUSED_MS);
    }

    /// Ends a run. `went` is whether it succeeded; none if there was no run. Returns whether the share has places again
    /// for items that found none.
    pub(crate) fn over(&mut self, due: &Due, went: Option<bool>) -> bool {
        self.running = self.running.saturating_sub(1);
        self.known.remove(&due.key);
        self.turns.over(&due.share, went);
        self.turns.len_of(&due.share) <= self.places_of_a_share / 4 && self.crowded.remove(&due.share)
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

    #[test]
    fn a_long_queue_of_one_share_leaves_room_for_others() {
        let mut waiting = Waiting::new(100, Some(2));
        let added: Vec<Added> = (0..1_000_000).map(|at| waiting.add(due("dead", at), None, 0)).collect();
        assert_eq!(added[..3], [Added::Begins, Added::Begins, Added::Waits]);
        assert_eq!(added.last(), Some(&Added::Crowded));
        assert_eq!(waiting.add(due("alive", 0), None, 0), Added::Begins);
        assert_eq!(waiting.len(), MAX_OF_A_SHARE + 1);
    }

    #[test]
    fn a_crowded_share_says_once_when_it_has_places_again() {
        let mut waiting = Waiting::new(100, Some(2));
        for at in 0..MAX_OF_A_SHARE + 1 {
            waiting.add(due("a", at), None, 0);
        }
        let mut asked = Vec::new();
        while let Some(next) = waiting.next() {
            if waiting.over(&next.due, Some(true)) {
                asked.push(waiting.len());
            }
        }
        assert_eq!(asked, [MAX_OF_A_SHARE / 4]);
    }

    #[test]
    fn an_item_is_here_once_and_a_refused_one_comes_back_later() {
        let mut waiting = Waiting::new(10, None);
        assert_eq!(waiting.add(due("", 0), None, 0), Added::Begins);
        assert_eq!(waiting.add(due("", 0), None, 0), Added::Known);
        let first = waiting.next().expect("one").due;
        assert_eq!(waiting.add(due("", 0), None, 0), Added::Known, "it runs");
        waiting.over(&first, None);
        waiting.refuse(&first, 0);
        assert_eq!(waiting.add(due("", 0), None, REFUSED_MS - 1), Added::Known);
        assert_eq!(waiting.add(due("", 0), None, REFUSED_MS), Added::Begins);
    }
}
