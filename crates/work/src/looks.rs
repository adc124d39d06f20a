//! When due items are looked for.
//!
//! A look reads one page. Pages follow each other to the end of what is due, then they begin again with the longest due. While
//! enough items wait, there is no look. A look that finds nothing to begin costs as much as one that does, so looks in vain
//! become rarer, in proportion to what they cost: a queue of a million items that all wait for one receiver is looked through
//! in the background, and new items are passed on by the process that writes them (`waking.rs`).

/// The shortest time between two looks.
const SHORTEST_MS: i64 = 5;

/// The longest time between two looks while something may have changed.
const LONGEST_MS: i64 = 250;

/// A look in vain is followed by a pause of so many times its length.
const PAUSE_FACTOR: i64 = 20;

/// The looks of one worker.
pub(crate) struct Looks {
    /// Where the next page begins; none at the beginning.
    cursor: Option<String>,
    /// Whether something may have become due since the last pass began.
    is_asked_for: bool,
    began_ms: i64,
    next_ms: i64,
    pause_ms: i64,
}

impl Looks {
    pub(crate) fn new(now_ms: i64) -> Looks {
        Looks { cursor: None, is_asked_for: true, began_ms: now_ms, next_ms: now_ms, pause_ms: SHORTEST_MS }
    }

    /// Something may have become due.
    pub(crate) fn ask(&mut self) {
        self.is_asked_for = true;
    }

    /// Whether it is time for a look.
    pub(crate) fn is_time(&self, now_ms: i64) -> bool {
        (self.is_asked_for || self.cursor.is_some()) && now_ms >= self.next_ms
    }

    /// How long nothing but a look could be done, in milliseconds; none if no look is asked for.
    pub(crate) fn wait_ms(&self, now_ms: i64) -> Option<u64> {
        let is_open = self.is_asked_for || self.cursor.is_some();
        is_open.then(|| u64::try_from(self.next_ms - now_ms).unwrap_or(0))
    }

    /// A look begins. Where its page begins.
    pub(crate) fn begin(&mut self, now_ms: i64) -> Option<String> {
        if self.cursor.is_none() {
            self.is_asked_for = false;
        }
        self.began_ms = now_ms;
        self.cursor.take()
    }

    /// A look is over, and found items that can begin or not.
    pub(crate) fn end(&mut self, cursor: Option<String>, was_useful: bool, now_ms: i64) {
        self.cursor = cursor;
        let took_ms = (now_ms - self.began_ms).max(0);
        self.pause_ms = match was_useful {
            true => SHORTEST_MS,
            false => (self.pause_ms * 2).max(took_ms.saturating_mul(PAUSE_FACTOR)).min(LONGEST_MS),
        };
        self.next_ms = now_ms + self.pause_ms;
    }

    /// A look failed: it begins again from the beginning.
    pub(crate) fn fail(&mut self, now_ms: i64) {
        self.cursor = None;
        self.is_asked_for = true;
        self.next_ms = now_ms + LONGEST_MS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_in_vain_become_rarer_and_useful_ones_do_not() {
        let mut looks = Looks::new(0);
        assert!(looks.is_time(0));
        assert_eq!(looks.begin(0), None);
        looks.end(None, true, 1);
        assert!(!looks.is_time(100), "nobody asked");
        looks.ask();
        assert!(looks.is_time(6));
        looks.begin(6);
        looks.end(None, false, 8);
        looks.ask();
        assert_eq!(looks.wait_ms(8), Some(40));
        looks.begin(48);
        looks.end(None, false, 148);
        looks.ask();
        assert_eq!(looks.wait_ms(148), Some(250));
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let mut looks = Looks::new(0);
        looks.begin(0);
        looks.end(Some("second".to_owned()), true, 0);
        assert!(looks.is_time(5));
        assert_eq!(looks.begin(5).as_deref(), Some("second"));
        looks.end(None, true, 5);
        assert_eq!(looks.wait_ms(5), None);
    }
}
