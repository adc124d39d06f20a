//! Decides when to look for due items.
//!
//! A look reads one page. A pass reads pages from the longest due to the end of what is due. If one page holds everything,
//! each pass is one look. A longer queue is passed through in the background; meanwhile, looks from the other end find
//! items that became due a moment ago, so a million items that wait for one receiver hide nothing.
//!
//! A look that finds nothing to begin costs as much as one that does. Fruitless looks become rarer,
//! in proportion to their cost.
//! Items that this process writes need no look at all (`waking.rs`).

/// The shortest time between two looks.
const SHORTEST_MS: i64 = 5;

/// The longest time between two looks while something may have changed.
const LONGEST_MS: i64 = 250;

/// A fruitless look is followed by a pause of so many times its length.
const PAUSE_FACTOR: i64 = 20;

/// How many pages are read from the newest end in one go.
const MAX_NEWEST: usize = 5;

/// One look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// The next page of the pass; none at its beginning.
    Pass(Option<String>),
    /// The next page from the newest end; none at its beginning.
    Newest(Option<String>),
}

/// The result of a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Whether there was something that can begin.
    pub(crate) begins: bool,
    /// Whether there was something that was not known before.
    pub(crate) is_news: bool,
}

/// The looks of one worker.
pub(crate) struct Looks {
    /// The cursor of the pass; none if there is none under way.
    pass: Option<String>,
    /// The cursor of the look from the newest end.
    newest: Option<String>,
    newest_pages: usize,
    /// How long the pages of the look from the newest end took together.
    newest_took_ms: i64,
    /// Whether something may have become due since the last look at the newest, or since the pass began.
    is_asked_for: bool,
    /// Whether items are known to be due that found no place before.
    is_pass_asked_for: bool,
    /// Whether the due items do not fit a page.
    is_long: bool,
    began_ms: i64,
    next_ms: i64,
    /// The time before which the pass does not go on.
    next_pass_ms: i64,
    /// The time before which the newest are not looked at again.
    next_newest_ms: i64,
    pass_pause_ms: i64,
    newest_pause_ms: i64,
}

impl Looks {
    pub(crate) fn new(now_ms: i64) -> Looks {
        Looks {
            pass: None,
            newest: None,
            newest_pages: 0,
            newest_took_ms: 0,
            is_asked_for: true,
            is_pass_asked_for: true,
            is_long: false,
            began_ms: now_ms,
            next_ms: now_ms,
            next_pass_ms: now_ms,
            next_newest_ms: now_ms,
            pass_pause_ms: SHORTEST_MS,
            newest_pause_ms: SHORTEST_MS,
        }
    }

    /// Asks for a look, since something may have become due.
    pub(crate) fn ask(&mut self) {
        self.is_asked_for = true;
    }

    /// Asks for a pass, since there is room again for items that found none.
    pub(crate) fn ask_for_pass(&mut self) {
        self.is_pass_asked_for = true;
    }

    /// How long to wait for the next look, in milliseconds; none if no look is asked for.
    pub(crate) fn wait_ms(&self, now_ms: i64) -> Option<u64> {
        let newest = self.wants_newest().then_some(self.next_newest_ms.max(self.next_ms));
        let wants_pass =
            self.pass.is_some() || self.is_pass_asked_for || (self.is_asked_for && !self.is_long);
        let pass = wants_pass.then_some(self.next_pass_ms.max(self.next_ms));
        let next_ms = newest.into_iter().chain(pass).min()?;
        Some(u64::try_from(next_ms - now_ms).unwrap_or(0))
    }

    /// Begins a look if it is time for one.
    pub(crate) fn begin(&mut self, now_ms: i64) -> Option<Look> {
        if self.wait_ms(now_ms)? > 0 {
            return None;
        }
        self.began_ms = now_ms;
        if self.wants_newest() && self.next_newest_ms <= now_ms {
            if self.newest.is_none() {
                (self.newest_pages, self.newest_took_ms) = (0, 0);
            }
            self.newest_pages += 1;
            self.is_asked_for = false;
            return Some(Look::Newest(self.newest.take()));
        }
        if self.pass.is_none() {
            // Of a long queue, the newest are looked at on their own.
            (self.is_asked_for, self.is_pass_asked_for) = (self.is_asked_for && self.is_long, false);
        }
        Some(Look::Pass(self.pass.take()))
    }

    /// Ends a look.
    pub(crate) fn end(&mut self, look: &Look, cursor: Option<String>, page: Page, now_ms: i64) {
        let took_ms = (now_ms - self.began_ms).max(0);
        self.next_ms = now_ms + SHORTEST_MS;
        match look {
            Look::Pass(from) => {
                self.pass_pause_ms = pause_ms(self.pass_pause_ms, page.begins, took_ms);
                self.next_pass_ms = now_ms + self.pass_pause_ms;
                self.is_long = cursor.is_some() || from.is_some();
                // Items that became due at the end of a long queue during the pass are found from the other end; items
                // that other processes left behind are found by the next pass.
                self.is_pass_asked_for |= cursor.is_none() && from.is_some();
                self.pass = cursor;
            }
            Look::Newest(_) => {
                self.newest = cursor.filter(|_| page.is_news && self.newest_pages < MAX_NEWEST);
                self.newest_took_ms += took_ms;
                if self.newest.is_none() {
                    self.newest_pause_ms = pause_ms(self.newest_pause_ms, page.begins, self.newest_took_ms);
                    self.next_newest_ms = now_ms + self.newest_pause_ms;
                }
            }
        }
    }

    /// Whether to look at the newest end, which is a look of its own if the due items do not fit a page.
    fn wants_newest(&self) -> bool {
        self.is_long && (self.is_asked_for || self.newest.is_some())
    }

    /// Ends a look that failed: the pass begins again.
    pub(crate) fn fail(&mut self, now_ms: i64) {
        (self.pass, self.newest) = (None, None);
        (self.is_asked_for, self.is_pass_asked_for) = (true, true);
        self.next_ms = now_ms + LONGEST_MS;
    }
}

/// The pause after a look: as short as possible if it was of use, else longer than the last one.
fn pause_ms(last_ms: i64, is_useful: bool, took_ms: i64) -> i64 {
    match is_useful {
        true => SHORTEST_MS,
        false => (last_ms * 2).max(took_ms.saturating_mul(PAUSE_FACTOR)).min(LONGEST_MS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGINS: Page = Page { begins: true, is_news: true };
    const VAIN: Page = Page { begins: false, is_news: false };

    #[test]
    fn looks_in_vain_become_rarer_and_useful_ones_do_not() {
        let mut looks = Looks::new(0);
        let first = looks.begin(0).expect("a look");
        assert_eq!(first, Look::Pass(None));
        looks.end(&first, None, BEGINS, 1);
        assert_eq!(looks.wait_ms(100), None, "nobody asked");
        looks.ask();
        let second = looks.begin(6).expect("a look");
        looks.end(&second, None, VAIN, 8);
        looks.ask();
        assert_eq!(looks.wait_ms(8), Some(40));
        let third = looks.begin(48).expect("a look");
        looks.end(&third, None, VAIN, 148);
        looks.ask();
        assert_eq!(looks.wait_ms(148), Some(250));
    }

    #[test]
    fn a_long_queue_is_passed_through_while_the_newest_are_found_from_the_other_end() {
        let mut looks = Looks::new(0);
        let first = looks.begin(0).expect("a look");
        looks.end(&first, Some("second".to_owned()), VAIN, 1);
        assert_eq!(looks.begin(7), None, "the pass waits");
        looks.ask();
        let newest = looks.begin(7).expect("a look");
        assert_eq!(newest, Look::Newest(None));
        looks.end(&newest, Some("older".to_owned()), BEGINS, 8);
        let older = looks.begin(13).expect("a look");
        assert_eq!(older, Look::Newest(Some("older".to_owned())));
        looks.end(&older, Some("much older".to_owned()), VAIN, 14);
        assert_eq!(looks.begin(20), None, "the rest is known");
        assert_eq!(looks.begin(1_000), Some(Look::Pass(Some("second".to_owned()))));
    }

    // Each look at the newest of a long queue read a page, 200 times a second, as long as anything was written.
    #[test]
    fn looks_at_the_newest_in_vain_become_rarer() {
        let mut looks = Looks::new(0);
        let first = looks.begin(0).expect("a look");
        looks.end(&first, Some("second".to_owned()), VAIN, 1);
        let mut times = Vec::new();
        for now_ms in 1..1_000 {
            looks.ask();
            if let Some(look) = looks.begin(now_ms) {
                let cursor = (look != Look::Newest(None)).then(|| "next".to_owned());
                looks.end(&look, cursor, VAIN, now_ms + 1);
                times.extend((look == Look::Newest(None)).then_some(now_ms));
            }
        }
        assert!(times.len() < 12, "{times:?}");
    }

    // The pause went by the last of five pages: items that found no place are news each time.
    #[test]
    fn the_pause_after_several_pages_goes_by_all_of_them() {
        let mut looks = Looks::new(0);
        let first = looks.begin(0).expect("a look");
        looks.end(&first, Some("second".to_owned()), VAIN, 1);
        looks.ask();
        for page in 0..MAX_NEWEST as i64 {
            let at_ms = 7 + page * 7;
            let look = looks.begin(at_ms).expect("a page");
            looks.end(&look, Some("older".to_owned()), Page { begins: false, is_news: true }, at_ms + 2);
        }
        let ended_ms = 7 + (MAX_NEWEST as i64 - 1) * 7 + 2;
        looks.ask();
        looks.next_pass_ms = i64::MAX;
        let took_ms = 2 * MAX_NEWEST as i64;
        assert_eq!(looks.wait_ms(ended_ms), u64::try_from(took_ms * PAUSE_FACTOR).ok());
    }

    #[test]
    fn a_pass_through_a_long_queue_begins_again_and_a_short_one_does_not() {
        let mut looks = Looks::new(0);
        let first = looks.begin(0).expect("a look");
        looks.end(&first, Some("second".to_owned()), BEGINS, 0);
        let second = looks.begin(5).expect("a look");
        assert_eq!(second, Look::Pass(Some("second".to_owned())));
        looks.end(&second, None, BEGINS, 5);
        let again = looks.begin(10).expect("a look");
        assert_eq!(again, Look::Pass(None));
        looks.end(&again, None, VAIN, 10);
        assert_eq!(looks.wait_ms(10), None);
    }
}
