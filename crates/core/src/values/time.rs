//! Points in time as text: ISO-8601 in UTC with a fixed number of characters, so that text sorts as time does.

const DAY_MS: i64 = 86_400_000;

/// `2026-01-31T12:00:00.000Z`
pub fn iso(time_ms: i64) -> String {
    written(time_ms, "YYYY-MM-DDTHH:MM:SS.mmmZ".len())
}

/// `2026-01-31T12:00:00Z`
pub fn iso_seconds(time_ms: i64) -> String {
    let mut text = written(time_ms, "YYYY-MM-DDTHH:MM:SS".len());
    text.push('Z');
    text
}

/// `2026-01-31`
pub(crate) fn date(time_ms: i64) -> String {
    written(time_ms, "YYYY-MM-DD".len())
}

/// `2026-01`
pub(crate) fn month(time_ms: i64) -> String {
    written(time_ms, "YYYY-MM".len())
}

/// The beginning of a time's full text, of so many characters if its year has four digits.
fn written(time_ms: i64, length: usize) -> String {
    let (year, month, day) = civil(time_ms.div_euclid(DAY_MS));
    let (in_day, in_second) = (time_ms.rem_euclid(DAY_MS), time_ms.rem_euclid(1_000));
    let (hours, minutes, seconds) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60);
    // Years before our era and after 9999 are written out.
    let Ok(year @ 0..=9_999) = u16::try_from(year) else {
        let text =
            format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{in_second:03}Z");
        let behind = "YYYY-MM-DDTHH:MM:SS.mmmZ".len() - length;
        return text[..text.len() - behind].to_owned();
    };
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut put = |at: usize, number: i64| {
        text[at] += (number / 10 % 10) as u8;
        text[at + 1] += (number % 10) as u8;
    };
    put(0, i64::from(year) / 100);
    put(2, i64::from(year));
    for (at, number) in [(5, month), (8, day), (11, hours), (14, minutes), (17, seconds), (21, in_second)] {
        put(at, number);
    }
    text[20] += (in_second / 100) as u8;
    // Digits and punctuation.
    String::from_utf8(text[..length].to_vec()).unwrap_or_default()
}

/// Reads a day, or a day with a time and an offset.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    let (day, rest) = match text.split_once(['T', ' ']) {
        Some((day, rest)) => (day, Some(rest)),
        None => (text, None),
    };
    let midnight_ms = parse_day(day)?.checked_mul(DAY_MS)?;
    let Some(rest) = rest else { return Some(midnight_ms) };
    let at = rest.find(['Z', '+', '-'])?;
    let (time, zone) = rest.split_at(at);
    midnight_ms.checked_add(parse_clock(time)?)?.checked_sub(parse_zone(zone)?)
}

/// Days since 1970 of a day that exists.
pub(super) fn parse_day(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let (year, month, day): (i64, i64, i64) = (year.parse().ok()?, two(month)?, two(day)?);
    let days = days_since_1970(year, month, day);
    (civil(days) == (year, month, day)).then_some(days)
}

fn parse_clock(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let (hours, minutes, seconds) =
        (two(parts.next()?)?, two(parts.next()?)?, two(parts.next().unwrap_or("00"))?);
    if parts.next().is_some() || hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{:0<3}", fraction.get(..3).unwrap_or(fraction)).parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis)
}

fn parse_zone(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    Some(sign * (two(hours)? * 60 + two(minutes)?) * 60_000)
}

fn two(text: &str) -> Option<i64> {
    (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar. Years are counted from March, so that
/// the leap day is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, time_ms) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
            ("2026-01-01T00:00:00.000Z", 1_767_225_600_000),
        ] {
            assert_eq!(parse_time(text), Some(time_ms), "{text}");
            assert_eq!(iso(time_ms), text);
        }
        assert_eq!(parse_time("2026-01-01T02:00:00+02:00"), parse_time("2026-01-01"));
        assert_eq!(iso_seconds(1_767_225_600_999), "2026-01-01T00:00:00Z");
        assert_eq!(month(1_767_225_600_000), "2026-01");
        assert_eq!(iso(253_402_300_800_000), "10000-01-01T00:00:00.000Z");
        assert_eq!(iso(-62_198_755_200_000), "-001-01-01T00:00:00.000Z");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "2026-02-30", "2026-1-1", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00", "now"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
