//! The search for the next time.
//!
//! Slots are visited in the order in which clocks show them. Their times ascend with them: all slots of a gap have the time of its end, and
//! a slot that exists twice has its first one. So the first slot whose time is late enough is the answer.

use jiff::Timestamp;
use jiff::civil::{Date, Time};

use super::field::{FIRST_YEAR, LAST_YEAR};
use super::{Cron, Zone};

impl Cron {
    /// The first time after another one, both in seconds since 1970. A schedule that never runs again, such as the thirtieth of February,
    /// has none; none runs before 1970 or after 2199.
    pub fn next(&self, after_seconds: i64, zone: &Zone) -> Option<i64> {
        let after = Timestamp::from_second(after_seconds.max(-86_400)).ok()?;
        let clock = zone.clock(after);
        let (mut date, mut from) = (clock.date(), clock.time());
        loop {
            if let Some(found) = self.in_day(date, from, after, zone) {
                return Some(found.as_second());
            }
            date = self.next_day(date)?;
            from = Time::midnight();
        }
    }

    /// The first slot of a day, from a time on, that is late enough.
    fn in_day(&self, date: Date, from: Time, after: Timestamp, zone: &Zone) -> Option<Timestamp> {
        if !self.fits(date) {
            return None;
        }
        let (hour, minute, second) = (part(from.hour()), part(from.minute()), part(from.second()));
        for h in self.hours.from(hour) {
            for m in self.minutes.from(if h == hour { minute } else { 0 }) {
                for s in self.seconds.from(if (h, m) == (hour, minute) { second } else { 0 }) {
                    let slot = date.at(short(h), short(m), short(s), 0);
                    match zone.first_time(slot) {
                        Some(time) if time > after => return Some(time),
                        _ => {}
                    }
                }
            }
        }
        None
    }

    fn fits(&self, date: Date) -> bool {
        let by_date = self.days.contains(part(date.day()));
        let by_weekday = self.weekdays.contains(part(date.weekday().to_sunday_zero_offset()));
        let day = if self.either_day { by_date || by_weekday } else { by_date && by_weekday };
        day && self.has_month(date) && self.has_year(date)
    }

    /// The next day that may fit. Months and years that do not are skipped as a whole.
    fn next_day(&self, date: Date) -> Option<Date> {
        let mut date = date.tomorrow().ok()?;
        while !self.has_month(date) || !self.has_year(date) {
            if u32::try_from(date.year()).is_ok_and(|year| year > LAST_YEAR) {
                return None;
            }
            date = if self.has_year(date) {
                date.last_of_month().tomorrow().ok()?
            } else {
                date.last_of_year().tomorrow().ok()?
            };
        }
        Some(date)
    }

    fn has_month(&self, date: Date) -> bool {
        self.months.contains(part(date.month()))
    }

    fn has_year(&self, date: Date) -> bool {
        let year = u32::try_from(date.year()).ok().and_then(|year| year.checked_sub(FIRST_YEAR));
        year.is_some_and(|year| self.years.contains(year))
    }
}

/// A part of a date or time, none of which is negative.
fn part(value: i8) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

/// A value of a field, all of which are below 60.
fn short(value: u32) -> i8 {
    i8::try_from(value).unwrap_or(0)
}
