//! A fair queue: waiting runs are kept by the value that shares the runs, and values take turns.
//!
//! Every step takes constant time: only values that can begin a run are in the circle of turns.

use std::collections::{HashMap, VecDeque};

/// After so many failures in a row, a value waits behind one probe.
const FAILURES_IN_A_ROW: u32 = 5;

/// The queues of waiting runs, one for each value that shares the runs.
pub(crate) struct Turns<T> {
    shares: HashMap<String, Share<T>>,
    /// The values that can begin a run, the next one first.
    circle: VecDeque<String>,
    waiting: usize,
    /// How many runs one value may have.
    runs_of_a_share: u64,
}

/// The queue of one value.
struct Share<T> {
    queue: VecDeque<T>,
    running: u64,
    failures: u32,
    is_in_circle: bool,
}

impl<T> Default for Share<T> {
    fn default() -> Share<T> {
        Share { queue: VecDeque::new(), running: 0, failures: 0, is_in_circle: false }
    }
}

impl<T> Share<T> {
    /// How many runs it may begin now.
    fn room(&self, most: u64) -> u64 {
        let most = if self.failures >= FAILURES_IN_A_ROW { 1 } else { most };
        most.saturating_sub(self.running)
    }

    /// Whether something that is added now can begin at once.
    fn begins(&self, most: u64) -> bool {
        self.room(most) > self.queue.len() as u64
    }
}

impl<T> Turns<T> {
    /// An empty queue in which one value may have so many runs.
    pub(crate) fn new(runs_of_a_share: u64) -> Turns<T> {
        Turns { shares: HashMap::new(), circle: VecDeque::new(), waiting: 0, runs_of_a_share }
    }

    /// Adds something to the end of its value's queue.
    /// Returns whether it can begin as soon as it is the value's turn.
    pub(crate) fn push(&mut self, share: &str, what: T) -> bool {
        let most = self.runs_of_a_share;
        let found = match self.shares.get_mut(share) {
            Some(found) => found,
            None => self.shares.entry(share.to_owned()).or_default(),
        };
        let begins = found.begins(most);
        found.queue.push_back(what);
        self.waiting += 1;
        self.enter(share);
        begins
    }

    /// The next thing to begin.
    pub(crate) fn next(&mut self) -> Option<T> {
        loop {
            let name = self.circle.pop_front()?;
            let Some(share) = self.shares.get_mut(&name) else { continue };
            share.is_in_circle = false;
            // A run that failed meanwhile may have closed the circuit.
            if share.room(self.runs_of_a_share) == 0 {
                continue;
            }
            let Some(what) = share.queue.pop_front() else { continue };
            share.running += 1;
            self.waiting -= 1;
            self.enter(&name);
            return Some(what);
        }
    }

    /// Ends a run of a value. `went` is whether it succeeded; none if there was no run.
    pub(crate) fn over(&mut self, name: &str, went: Option<bool>) {
        let Some(share) = self.shares.get_mut(name) else { return };
        share.running = share.running.saturating_sub(1);
        match went {
            Some(true) => share.failures = 0,
            Some(false) => share.failures = share.failures.saturating_add(1),
            None => {}
        }
        if share.queue.is_empty() && share.running == 0 && share.failures == 0 {
            self.shares.remove(name);
        } else {
            self.enter(name);
        }
    }

    /// Puts a value into the circle if it can begin a run.
    fn enter(&mut self, name: &str) {
        let Some(share) = self.shares.get_mut(name) else { return };
        if !share.is_in_circle && !share.queue.is_empty() && share.room(self.runs_of_a_share) > 0 {
            share.is_in_circle = true;
            self.circle.push_back(name.to_owned());
        }
    }

    /// How many things wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting
    }

    /// How many things of one value wait.
    pub(crate) fn len_of(&self, name: &str) -> usize {
        self.shares.get(name).map_or(0, |share| share.queue.len())
    }

    /// Whether something of a value that is added now can begin as soon as it is the value's turn.
    pub(crate) fn begins(&self, name: &str) -> bool {
        self.shares.get(name).map_or(self.runs_of_a_share > 0, |share| share.begins(self.runs_of_a_share))
    }

    /// How many values can begin a run.
    pub(crate) fn ready(&self) -> usize {
        self.circle.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs that begin, in order, until none can.
    fn begun(turns: &mut Turns<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| turns.next()).collect()
    }

    #[test]
    fn values_take_turns_and_none_has_more_than_its_runs() {
        let mut turns = Turns::new(2);
        for _ in 0..10 {
            turns.push("a", "a");
        }
        assert!(turns.push("b", "b"));
        assert_eq!(turns.ready(), 2);
        assert_eq!(begun(&mut turns), ["a", "b", "a"]);
        turns.over("a", Some(true));
        assert_eq!(begun(&mut turns), ["a"]);
        assert_eq!((turns.len(), turns.len_of("a"), turns.ready()), (7, 7, 0));
    }

    #[test]
    fn a_value_that_keeps_failing_waits_behind_one_probe() {
        let mut turns = Turns::new(4);
        for _ in 0..20 {
            turns.push("a", "a");
        }
        assert_eq!(begun(&mut turns).len(), 4);
        for _ in 0..4 {
            turns.over("a", Some(false));
        }
        assert_eq!(begun(&mut turns).len(), 4);
        for _ in 0..4 {
            turns.over("a", Some(false));
        }
        assert_eq!(begun(&mut turns).len(), 1, "one probe");
        turns.over("a", Some(true));
        assert_eq!(begun(&mut turns).len(), 4, "the probe came through");
    }

    #[test]
    fn nothing_is_remembered_of_a_value_that_has_nothing_left_to_do() {
        let mut turns = Turns::new(1);
        turns.push("a", "a");
        assert_eq!(begun(&mut turns), ["a"]);
        turns.over("a", Some(true));
        assert!(turns.shares.is_empty() && turns.circle.is_empty());
    }
}
