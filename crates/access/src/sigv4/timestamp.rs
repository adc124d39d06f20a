//! The time of a signature: `20261117T013852Z`, or the date of HTTP where there is no `X-Amz-Date`.

use std::fmt;
use std::time::UNIX_EPOCH;

/// A moment, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
}

impl Timestamp {
    /// Reads `20261117T013852Z`.
    pub(crate) fn basic(text: &[u8]) -> Option<Timestamp> {
        let text: &[u8; 16] = text.try_into().ok()?;
        if text[8] != b'T' || text[15] != b'Z' {
            return None;
        }
        moment(
            number(&text[..4])?,
            number(&text[4..6])?,
            number(&text[6..8])?,
            [number(&text[9..11])?, number(&text[11..13])?, number(&text[13..15])?],
        )
    }

    /// Reads `Mon, 09 Sep 2011 23:36:00 GMT`, and the older forms of the date of HTTP.
    pub(crate) fn http(text: &str) -> Option<Timestamp> {
        let since = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Timestamp { seconds: i64::try_from(since.as_secs()).ok()? })
    }
}

impl Timestamp {
    /// `2026-11-17T01:38:52Z`.
    pub fn extended(self) -> String {
        let basic = self.to_string();
        let part = |from: usize, to: usize| basic.get(from..to).unwrap_or_default();
        let day = [part(0, 4), part(4, 6), part(6, 8)].join("-");
        format!("{day}T{}Z", [part(9, 11), part(11, 13), part(13, 15)].join(":"))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.seconds.div_euclid(86_400));
        let second = self.seconds.rem_euclid(86_400);
        write!(
            f,
            "{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

fn moment(year: i64, month: i64, day: i64, [hour, minute, second]: [i64; 3]) -> Option<Timestamp> {
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    fits.then_some(Timestamp { seconds })
}

/// Days since 1970 of a date, counted in eras of 400 years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_mean_the_same() {
        for (seconds, basic, http) in [
            (0, "19700101T000000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_440_938_160, "20150830T123600Z", "Sun, 30 Aug 2015 12:36:00 GMT"),
            (1_709_164_800, "20240229T000000Z", "Thu, 29 Feb 2024 00:00:00 GMT"),
            (1_315_611_360, "20110909T233600Z", "Fri, 09 Sep 2011 23:36:00 GMT"),
        ] {
            let expected = Timestamp { seconds };
            assert_eq!(Timestamp::basic(basic.as_bytes()), Some(expected));
            assert_eq!(Timestamp::http(http), Some(expected));
            assert_eq!(expected.to_string(), basic);
        }
        for bad in [
            "",
            "20150830T123600",
            "20151330T123600Z",
            "2015-8-30T12:36:0",
            "20150830T253600Z",
            "+0150830T123600Z",
        ] {
            assert_eq!(Timestamp::basic(bad.as_bytes()), None, "{bad}");
        }
        for bad in ["", "Sun, 30 Aug 2015", "Sun, 30 Aug 2015 12:36 GMT", "Sun, 30 Foo 2015 12:36:00 GMT"] {
            assert_eq!(Timestamp::http(bad), None, "{bad}");
        }
    }
}
