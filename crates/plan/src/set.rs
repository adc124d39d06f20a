//! Sets of attributes of one entity: small, and compared by id.

use std::fmt;

use sortkey_design::program::{AttributeId, Id};

const BITS: usize = 64;

/// A set of attributes of one entity. The first 64 take no room on the heap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AttributeSet {
    low: u64,
    /// The words behind the first; the last one is never zero.
    high: Vec<u64>,
}

impl AttributeSet {
    /// No attribute.
    pub fn new() -> AttributeSet {
        AttributeSet::default()
    }

    /// Adds one.
    pub fn insert(&mut self, id: AttributeId) {
        let (word, bit) = place(id);
        if word == 0 {
            self.low |= bit;
            return;
        }
        if self.high.len() < word {
            self.high.resize(word, 0);
        }
        self.high[word - 1] |= bit;
    }

    /// Whether it is one of them.
    pub fn contains(&self, id: AttributeId) -> bool {
        let (word, bit) = place(id);
        self.word(word) & bit != 0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether some are in both.
    pub fn intersects(&self, other: &AttributeSet) -> bool {
        self.words().zip(other.words()).any(|(left, right)| left & right != 0)
    }

    /// Adds those of another set.
    pub fn join(&mut self, other: &AttributeSet) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        for (left, right) in self.high.iter_mut().zip(&other.high) {
            *left |= right;
        }
    }

    /// Those that are not in another set.
    pub fn without(&self, other: &AttributeSet) -> AttributeSet {
        let word = |at: usize| self.word(at) & !other.word(at);
        let mut high: Vec<u64> = (1..=self.high.len()).map(word).collect();
        while high.last() == Some(&0) {
            high.pop();
        }
        AttributeSet { low: word(0), high }
    }

    /// All of them, in the order of the design.
    pub fn iter(&self) -> impl Iterator<Item = AttributeId> + '_ {
        self.words().enumerate().flat_map(|(at, word)| {
            (0..BITS)
                .filter(move |bit| word & (1 << bit) != 0)
                .map(move |bit| AttributeId::new(at * BITS + bit))
        })
    }

    fn word(&self, at: usize) -> u64 {
        match at {
            0 => self.low,
            at => self.high.get(at - 1).copied().unwrap_or(0),
        }
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().copied())
    }
}

fn place(id: AttributeId) -> (usize, u64) {
    (id.at() / BITS, 1 << (id.at() % BITS))
}

impl Extend<AttributeId> for AttributeSet {
    fn extend<I: IntoIterator<Item = AttributeId>>(&mut self, ids: I) {
        ids.into_iter().for_each(|id| self.insert(id));
    }
}

impl FromIterator<AttributeId> for AttributeSet {
    fn from_iter<I: IntoIterator<Item = AttributeId>>(ids: I) -> AttributeSet {
        let mut set = AttributeSet::new();
        set.extend(ids);
        set
    }
}

impl fmt::Debug for AttributeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(places: &[usize]) -> AttributeSet {
        places.iter().map(|at| AttributeId::new(*at)).collect()
    }

    #[test]
    fn sets_are_equal_however_they_came_about() {
        let all = set(&[1, 63, 64, 200]);
        assert_eq!(all.len(), 4);
        assert_eq!(all.iter().map(Id::at).collect::<Vec<_>>(), [1, 63, 64, 200]);
        assert_eq!(all.without(&set(&[64, 200])), set(&[1, 63]));
        assert!(all.without(&all).is_empty());
        let mut joined = set(&[1, 63]);
        joined.join(&set(&[64, 200]));
        assert_eq!(joined, all);
    }

    #[test]
    fn what_is_in_both() {
        assert!(set(&[3, 70]).intersects(&set(&[70])));
        assert!(!set(&[3, 70]).intersects(&set(&[4, 71, 300])));
        assert!(set(&[70]).contains(AttributeId::new(70)));
        assert!(!set(&[70]).contains(AttributeId::new(6)));
    }
}
