//! Times that repeat by the hour, day, week, month or year, from a first time on and by the calendar of a time zone.
//!
//! A time of day stays what clocks show: something that happens daily at two o'clock does so in summer and in winter. If a month
//! has no such day, it happens on the last one; the day of the first time is not forgotten by that. Hours are lengths of time.

use jiff::civil::DateTime;
use jiff::{Span, Timestamp};
use thiserror::Error;

use crate::cron::Zone;

/// How often something repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Every hour.
    Hourly,
    /// At the same time of every day.
    Daily,
    /// On the same day of every week.
    Weekly,
    /// On the same day of every month.
    Monthly,
    /// On the same day of every year.
    Yearly,
}

/// A word that is none of these.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{word}` is not one of hourly, daily, weekly, monthly and yearly")]
pub struct RepeatError {
    /// The word.
    pub word: String,
}

impl Repeat {
    /// The meaning of a word.
    pub fn parse(word: &str) -> Result<Repeat, RepeatError> {
        Ok(match word {
            "hourly" => Repeat::Hourly,
            "daily" => Repeat::Daily,
            "weekly" => Repeat::Weekly,
            "monthly" => Repeat::Monthly,
            "yearly" => Repeat::Yearly,
            _ => return Err(RepeatError { word: word.chars().take(64).collect() }),
        })
    }

    /// The first time of the series that is after another time, all in seconds since 1970. It is never before the series begins.
    pub fn next(self, first_seconds: i64, after_seconds: i64, zone: &Zone) -> Option<i64> {
        if after_seconds < first_seconds {
            return Some(first_seconds);
        }
        if self == Repeat::Hourly {
            let made = (after_seconds - first_seconds) / 3_600 + 1;
            return made.checked_mul(3_600).and_then(|length| first_seconds.checked_add(length));
        }
        let first = zone.clock(Timestamp::from_second(first_seconds).ok()?);
        let after = zone.clock(Timestamp::from_second(after_seconds).ok()?);
        // When clocks go back, local time is up to an hour off: one step too few is harmless, one too many is not.
        let mut steps = (self.steps(first, after) - 1).max(0);
        loop {
            let clock = first.checked_add(self.span(steps)).ok()?;
            let time = zone.first_time(clock)?.as_second();
            if time > after_seconds {
                return Some(time);
            }
            steps += 1;
        }
    }

    /// How many whole steps lie between two readings of a clock.
    fn steps(self, first: DateTime, after: DateTime) -> i64 {
        let days = first.date().duration_until(after.date()).as_hours() / 24;
        let months = (i64::from(after.year()) - i64::from(first.year())) * 12 + i64::from(after.month())
            - i64::from(first.month());
        match self {
            Repeat::Hourly | Repeat::Daily => days,
            Repeat::Weekly => days / 7,
            Repeat::Monthly => months,
            Repeat::Yearly => months / 12,
        }
    }

    fn span(self, steps: i64) -> Span {
        match self {
            Repeat::Hourly => Span::new().hours(steps),
            Repeat::Daily => Span::new().days(steps),
            Repeat::Weekly => Span::new().weeks(steps),
            Repeat::Monthly => Span::new().months(steps),
            Repeat::Yearly => Span::new().years(steps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first five times after the first one.
    fn series(every: &str, first: &str, zone: &str) -> Vec<String> {
        let zone = Zone::parse(zone).expect("a zone");
        let first: Timestamp = first.parse().expect("a time");
        let repeat = Repeat::parse(every).expect("a word");
        let mut after = first.as_second();
        let mut next = || {
            after = repeat.next(first.as_second(), after, &zone).expect("a next time");
            Timestamp::from_second(after).expect("a time").to_string()
        };
        (0..4).map(|_| next()).collect()
    }

    #[test]
    fn a_series_goes_by_the_calendar() {
        for (every, first, zone, expected) in [
            ("hourly", "2026-03-29T00:30:00Z", "Europe/Berlin", "2026-03-29T01:30:00Z 2026-03-29T02:30:00Z"),
            ("daily", "2026-03-28T01:00:00Z", "Europe/Berlin", "2026-03-29T01:00:00Z 2026-03-30T00:00:00Z"),
            ("daily", "2026-10-24T00:30:00Z", "Europe/Berlin", "2026-10-25T00:30:00Z 2026-10-26T01:30:00Z"),
            ("weekly", "2026-01-01T12:00:00Z", "UTC", "2026-01-08T12:00:00Z 2026-01-15T12:00:00Z"),
            ("monthly", "2026-01-31T12:00:00Z", "UTC", "2026-02-28T12:00:00Z 2026-03-31T12:00:00Z"),
            ("yearly", "2024-02-29T00:00:00Z", "UTC", "2025-02-28T00:00:00Z 2026-02-28T00:00:00Z"),
        ] {
            assert_eq!(series(every, first, zone)[..2].join(" "), expected, "{every} from {first} in {zone}");
        }
    }

    #[test]
    fn what_was_missed_is_not_made_up_for() {
        let first = 1_767_225_600;
        for (every, days, expected_days) in [("daily", 10, 11), ("weekly", 10, 14), ("monthly", 10, 31)] {
            let next = Repeat::parse(every).expect("a word").next(first, first + days * 86_400, &Zone::UTC);
            assert_eq!(next, Some(first + expected_days * 86_400), "{every}");
        }
        assert_eq!(Repeat::Daily.next(first, first - 5, &Zone::UTC), Some(first), "it has not begun");
        assert!(Repeat::parse("fortnightly").is_err());
    }

    proptest::proptest! {
        #[test]
        fn the_next_time_is_after_and_none_is_left_out(
            first in 0_i64..2_000_000_000, ahead in 0_i64..400_000_000, word in 0_usize..5, zone in 0_usize..3,
        ) {
            let repeat = [Repeat::Hourly, Repeat::Daily, Repeat::Weekly, Repeat::Monthly, Repeat::Yearly][word];
            let zone = Zone::parse(["UTC", "Europe/Berlin", "Australia/Lord_Howe"][zone]).expect("a zone");
            let after = first + ahead;
            let next = repeat.next(first, after, &zone).expect("a next time");
            let longest = [3_600, 26 * 3_600, 8 * 86_400, 32 * 86_400, 367 * 86_400][word];
            proptest::prop_assert!(next > after && next - after <= longest);
            // Asked a second earlier than it happens, the answer is the same.
            proptest::prop_assert_eq!(repeat.next(first, next - 1, &zone), Some(next));
        }
    }
}
