//! Runs that changes start, for one worker: those of one item in order, those of different items in parallel.
//!
//! Items take turns by the value of the worker's `per`, or by their partition: a burst of changes of one partition lets the
//! changes of others pass. A run that failed pauses with the later changes of its item, and holds up nothing else.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use sortkey_design::program::WorkerId;
use sortkey_value::Item;

use super::happened::Happened;
use super::places::Mark;
use crate::turns::Turns;

/// A change that starts a run.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) worker: WorkerId,
    pub(super) happened: Arc<Happened>,
    /// The record.
    pub(super) mark: Mark,
    /// The value whose items share the worker's runs.
    pub(super) share: Arc<str>,
    /// How often it was tried, the next time included.
    pub(super) attempt: u64,
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Went {
    /// It is done, or put aside.
    Done,
    /// It failed and is tried again.
    Again,
}

/// The runs of one worker.
pub(super) struct Lanes {
    turns: Turns<Item>,
    /// The changes of every item that are not done, the first one of which may be running.
    lanes: HashMap<Item, VecDeque<Job>>,
    /// Items whose first change failed, by when it is tried again.
    paused: BTreeSet<(i64, u64)>,
    asleep: HashMap<u64, Item>,
    pauses: u64,
    running: usize,
    most: usize,
}

impl Lanes {
    /// No runs yet, at most so many at a time, and of one share.
    pub(super) fn new(concurrency: u64, per_share: Option<u64>) -> Lanes {
        Lanes {
            turns: Turns::new(per_share.unwrap_or(concurrency)),
            lanes: HashMap::new(),
            paused: BTreeSet::new(),
            asleep: HashMap::new(),
            pauses: 0,
            running: 0,
            most: usize::try_from(concurrency).unwrap_or(usize::MAX).max(1),
        }
    }

    /// Adds a change.
    pub(super) fn push(&mut self, job: Job) {
        let lane = self.lanes.entry(job.happened.key.clone()).or_default();
        if lane.is_empty() {
            self.turns.push(&job.share, job.happened.key.clone());
        }
        lane.push_back(job);
    }

    /// The next change to run.
    pub(super) fn next(&mut self, now_ms: i64) -> Option<Job> {
        while let Some((at_ms, pause)) = self.paused.first().copied().filter(|(at_ms, _)| *at_ms <= now_ms) {
            self.paused.remove(&(at_ms, pause));
            if let Some(key) = self.asleep.remove(&pause)
                && let Some(job) = self.lanes.get(&key).and_then(VecDeque::front)
            {
                self.turns.push(&job.share, key);
            }
        }
        if self.running >= self.most {
            return None;
        }
        let key = self.turns.next()?;
        let job = self.lanes.get(&key)?.front()?.clone();
        self.running += 1;
        Some(job)
    }

    /// Ends a run; one that failed is tried again at `again_ms`.
    pub(super) fn over(&mut self, job: &Job, went: Went, again_ms: i64) {
        self.running = self.running.saturating_sub(1);
        self.turns.over(&job.share, Some(went == Went::Done));
        let key = &job.happened.key;
        let Some(lane) = self.lanes.get_mut(key) else { return };
        match went {
            Went::Done => {
                lane.pop_front();
                match lane.front() {
                    Some(next) => drop(self.turns.push(&next.share, key.clone())),
                    None => drop(self.lanes.remove(key)),
                }
            }
            Went::Again => {
                if let Some(first) = lane.front_mut() {
                    first.attempt += 1;
                }
                self.pauses += 1;
                self.paused.insert((again_ms, self.pauses));
                self.asleep.insert(self.pauses, key.clone());
            }
        }
    }

    /// How many items have changes that are not done.
    pub(super) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// How many items wait for a run.
    pub(super) fn waiting(&self) -> usize {
        self.turns.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::places::Places;
    use sortkey_design::model::Change;
    use sortkey_design::program::Id as _;

    fn job(share: &str, key: &str, at: &str) -> Job {
        let key = Item::from([("k", key)]);
        let happened =
            Happened { change: Change::Create, image: key.clone(), key, at: at.to_owned(), at_ms: 0 };
        let mark = Places::default().begin("s", at.to_owned(), 1);
        Job { worker: WorkerId::new(0), happened: Arc::new(happened), mark, share: share.into(), attempt: 1 }
    }

    /// The runs that begin, by their places in the stream, until none can.
    fn begun(lanes: &mut Lanes, now_ms: i64) -> Vec<Job> {
        std::iter::from_fn(|| lanes.next(now_ms)).collect()
    }

    fn places(jobs: &[Job]) -> Vec<&str> {
        jobs.iter().map(|job| job.happened.at.as_str()).collect()
    }

    #[test]
    fn changes_of_one_item_run_in_order_and_others_beside_them() {
        let mut lanes = Lanes::new(10, None);
        for (key, at) in [("a", "1"), ("a", "2"), ("b", "3"), ("a", "4")] {
            lanes.push(job("p", key, at));
        }
        let first = begun(&mut lanes, 0);
        assert_eq!(places(&first), ["1", "3"]);
        lanes.over(&first[0], Went::Done, 0);
        let second = begun(&mut lanes, 0);
        assert_eq!(places(&second), ["2"]);
        lanes.over(&second[0], Went::Done, 0);
        assert_eq!(places(&begun(&mut lanes, 0)), ["4"]);
    }

    #[test]
    fn a_burst_of_one_partition_lets_others_pass() {
        let mut lanes = Lanes::new(3, None);
        for at in 0..100 {
            lanes.push(job("burst", &format!("b{at}"), &format!("{at}")));
        }
        lanes.push(job("other", "o", "100"));
        assert_eq!(places(&begun(&mut lanes, 0)), ["0", "100", "1"]);
    }

    #[test]
    fn a_run_that_fails_pauses_with_its_item_and_holds_up_no_other() {
        let mut lanes = Lanes::new(1, None);
        for (key, at) in [("a", "1"), ("a", "2"), ("b", "3")] {
            lanes.push(job(key, key, at));
        }
        let first = begun(&mut lanes, 0);
        lanes.over(&first[0], Went::Again, 200);
        let second = begun(&mut lanes, 0);
        assert_eq!(places(&second), ["3"]);
        lanes.over(&second[0], Went::Done, 0);
        assert!(begun(&mut lanes, 199).is_empty());
        let again = begun(&mut lanes, 200);
        assert_eq!((places(&again), again[0].attempt), (vec!["1"], 2));
        lanes.over(&again[0], Went::Done, 0);
        assert_eq!(places(&begun(&mut lanes, 200)), ["2"]);
        assert_eq!(lanes.len(), 1);
    }
}
