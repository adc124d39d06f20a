//! When a failed delivery is attempted again.
//!
//! A schedule is a list of delays, one before each attempt. Each is spread by a tenth to either side, so that deliveries that failed together
//! do not return together.

use std::time::{Duration, SystemTime};

use thiserror::Error;

/// The delays before the eight attempts of the default schedule: 0 s, 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 10 h.
pub const DEFAULT_DELAYS_SECONDS: [u32; 8] = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000];

/// The most attempts of a schedule.
pub const MAX_ATTEMPTS: usize = 32;

/// The longest delay, of a schedule's own or asked for by a receiver: a day.
pub const MAX_DELAY_SECONDS: u32 = 86_400;

/// The delays before the attempts of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    delays_seconds: Vec<u32>,
}

/// Delays that are no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a schedule has 1 to {MAX_ATTEMPTS} delays of at most {MAX_DELAY_SECONDS} s")]
pub struct ScheduleError;

/// The answer of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The value of `Retry-After`, if there was one.
    pub retry_after: Option<&'a str>,
}

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule { delays_seconds: DEFAULT_DELAYS_SECONDS.to_vec() }
    }
}

impl Schedule {
    /// A schedule of delays, one before each attempt, the first one included.
    pub fn new(delays_seconds: Vec<u32>) -> Result<Schedule, ScheduleError> {
        let sound = (1..=MAX_ATTEMPTS).contains(&delays_seconds.len())
            && delays_seconds.iter().all(|delay| *delay <= MAX_DELAY_SECONDS);
        if sound { Ok(Schedule { delays_seconds }) } else { Err(ScheduleError) }
    }

    /// How many attempts there are.
    pub fn attempts(&self) -> usize {
        self.delays_seconds.len()
    }

    /// How long to wait before the next attempt, in milliseconds, after so many were made; nothing after the last one.
    ///
    /// `random` spreads the delay: every value of a `u64` is as likely as another.
    pub fn delay_ms(&self, attempts_made: usize, random: u64) -> Option<u64> {
        let delay = u64::from(*self.delays_seconds.get(attempts_made)?) * 1000;
        let tenth = delay / 10;
        // The upper half of a product is the number scaled to the range, without the bias of a remainder.
        let spread = (u128::from(random) * u128::from(2 * tenth + 1)) >> 64;
        Some(delay - tenth + u64::try_from(spread).unwrap_or(tenth))
    }

    /// The delay before the next attempt after an answer: that of the schedule, or longer if a receiver that is overloaded
    /// (429) or unavailable (503) asks for it with `Retry-After`.
    pub fn delay_after_ms(
        &self,
        attempts_made: usize,
        random: u64,
        answer: Answer<'_>,
        now_seconds: i64,
    ) -> Option<u64> {
        let delay = self.delay_ms(attempts_made, random)?;
        let asked = match answer.status {
            429 | 503 => answer.retry_after.and_then(|text| retry_after_seconds(text, now_seconds)),
            _ => None,
        };
        Some(asked.map_or(delay, |seconds| delay.max(u64::from(seconds) * 1000)))
    }
}

/// How many seconds a `Retry-After` asks for, at most a day: a number of seconds, or a date in one of the three forms of HTTP. A date that is past
/// asks for none.
pub fn retry_after_seconds(text: &str, now_seconds: i64) -> Option<u32> {
    let text = text.trim_matches([' ', '\t']);
    let seconds = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are a long time, not a mistake.
        text.parse::<i64>().unwrap_or(i64::MAX)
    } else {
        let date = httpdate::parse_http_date(text).ok()?;
        let date = date.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        i64::try_from(date.as_secs()).unwrap_or(i64::MAX).saturating_sub(now_seconds)
    };
    u32::try_from(seconds.clamp(0, i64::from(MAX_DELAY_SECONDS))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_default_schedule_has_eight_attempts() {
        let schedule = Schedule::default();
        assert_eq!(schedule.attempts(), 8);
        let middle: Vec<_> = (0..9).map(|made| schedule.delay_ms(made, u64::MAX / 2)).collect();
        let seconds = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000];
        let expected: Vec<_> =
            seconds.map(|delay: u64| Some(delay * 1000)).into_iter().chain([None]).collect();
        assert_eq!(middle, expected);
        assert_eq!(schedule.delay_ms(1, 0), Some(4500));
        assert_eq!(schedule.delay_ms(1, u64::MAX), Some(5500));
        assert_eq!(schedule.delay_ms(0, u64::MAX), Some(0));
        assert_eq!(schedule.delay_ms(usize::MAX, 0), None);
    }

    #[test]
    fn schedules_are_bounded() {
        assert!(Schedule::new(vec![0]).is_ok());
        assert!(Schedule::new(vec![86_400; 32]).is_ok());
        for wrong in [vec![], vec![0; 33], vec![86_401]] {
            assert_eq!(Schedule::new(wrong), Err(ScheduleError));
        }
    }

    #[test]
    fn receivers_ask_for_seconds_or_a_date() {
        // 1994-11-06T08:49:37Z, the example of RFC 9110 in its three forms.
        let date = 784_111_777;
        for (text, now, expected) in [
            ("120", 0, Some(120)),
            (" 0 ", 0, Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", date - 60, Some(60)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", date - 60, Some(60)),
            ("Sun Nov  6 08:49:37 1994", date - 60, Some(60)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", date + 60, Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0, Some(86_400)),
            ("86401", 0, Some(86_400)),
            ("99999999999999999999999999", 0, Some(86_400)),
            ("", 0, None),
            ("-1", 0, None),
            ("1.5", 0, None),
            ("soon", 0, None),
            ("Sun, 06 Nov 1994 08:49:37 CET", 0, None),
        ] {
            assert_eq!(retry_after_seconds(text, now), expected, "{text}");
        }
    }

    #[test]
    fn only_overload_may_ask_for_time() {
        let schedule = Schedule::default();
        let delay =
            |status, retry_after| schedule.delay_after_ms(1, u64::MAX / 2, Answer { status, retry_after }, 0);
        assert_eq!(delay(429, Some("60")), Some(60_000));
        assert_eq!(delay(503, Some("60")), Some(60_000));
        assert_eq!(delay(500, Some("60")), Some(5000));
        assert_eq!(delay(200, Some("60")), Some(5000));
        assert_eq!(delay(429, None), Some(5000));
        assert_eq!(delay(429, Some("soon")), Some(5000));
        // A receiver may ask for more time than the schedule gives, never for less.
        assert_eq!(delay(429, Some("1")), Some(5000));
        let last = Answer { status: 429, retry_after: Some("60") };
        assert_eq!(schedule.delay_after_ms(8, 0, last, 0), None);
    }

    proptest! {
        #[test]
        fn delays_are_spread_by_a_tenth(delay in 0..=MAX_DELAY_SECONDS, random: u64) {
            let schedule = Schedule::new(vec![delay]).unwrap();
            let delay = u64::from(delay) * 1000;
            let spread = schedule.delay_ms(0, random).unwrap();
            prop_assert!(spread >= delay - delay / 10 && spread <= delay + delay / 10);
        }
    }
}
