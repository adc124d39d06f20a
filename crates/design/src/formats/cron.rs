//! Cron expressions: five fields, minute, hour, day, month and weekday.
//!
//! A field is a list of `*`, `?`, values and ranges, each with an optional step. Months and weekdays may be named. Values
//! are in the range of their field, ranges ascend, and steps are at least one. An expression whose days are in none of its
//! months would never match, and is refused.

/// The range of values of a field.
#[derive(Clone, Copy)]
struct Field {
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

const MINUTE: Field = Field { least: 0, most: 59, names: &[] };
const HOUR: Field = Field { least: 0, most: 23, names: &[] };
const DAY: Field = Field { least: 1, most: 31, names: &[] };
const MONTH: Field = Field {
    least: 1,
    most: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
};
/// Sunday is 0 and 7.
const WEEKDAY: Field = Field { least: 0, most: 7, names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] };

/// Whether a text is a cron expression.
pub fn is_cron(text: &str) -> bool {
    let parts: Vec<&str> = text.split_ascii_whitespace().collect();
    let fields = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];
    parts.len() == fields.len()
        && parts.iter().zip(fields).all(|(part, field)| field.accepts(part))
        && comes_true(&parts)
}

/// Whether some month has one of the days. If both days and weekdays are restricted, either may match.
fn comes_true(parts: &[&str]) -> bool {
    let &[_, _, day, month, weekday] = parts else { return false };
    if !weekday.starts_with(['*', '?']) && !day.starts_with(['*', '?']) {
        return true;
    }
    let longest = |month: u32| match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let earliest = (DAY.least..=DAY.most).find(|each| DAY.has(day, *each));
    (MONTH.least..=MONTH.most)
        .filter(|each| MONTH.has(month, *each))
        .any(|each| earliest.is_some_and(|day| day <= longest(each)))
}

impl Field {
    fn accepts(self, part: &str) -> bool {
        part.split(',').all(|each| self.accepts_one(each))
    }

    fn accepts_one(self, part: &str) -> bool {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (part, None),
        };
        let good_step =
            step.is_none_or(|step| digits(step).is_some_and(|step| step >= 1 && step <= self.most));
        let good_range = match range {
            "*" => true,
            "?" => step.is_none(),
            _ => match range.split_once('-') {
                Some((low, high)) => {
                    self.value(low).zip(self.value(high)).is_some_and(|(low, high)| low <= high)
                }
                None => self.value(range).is_some(),
            },
        };
        good_step && good_range
    }

    /// Whether a value is among those of a part that it accepts.
    fn has(self, part: &str, value: u32) -> bool {
        part.split(',').any(|each| {
            let (range, step) = each.split_once('/').unwrap_or((each, "1"));
            let (low, high) = match range.split_once('-') {
                _ if matches!(range, "*" | "?") => (Some(self.least), Some(self.most)),
                Some((low, high)) => (self.value(low), self.value(high)),
                // A value with a step goes on to the end.
                None if each.contains('/') => (self.value(range), Some(self.most)),
                None => (self.value(range), self.value(range)),
            };
            let (Some(low), Some(high), Some(step)) = (low, high, digits(step)) else { return false };
            (low..=high).contains(&value) && step > 0 && (value - low).is_multiple_of(step)
        })
    }

    fn value(self, text: &str) -> Option<u32> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let number = match named {
            Some(at) => u32::try_from(at).ok()? + self.least,
            None => digits(text)?,
        };
        (self.least..=self.most).contains(&number).then_some(number)
    }
}

fn digits(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    // F-22: `cron` accepted `a b c d e`, `99 99 99 99 99` and `*/0 * * * *`.
    #[test]
    fn cron_expressions_have_values_in_range() {
        for good in [
            "* * * * *",
            "0 */5 * * *",
            "0 0 ? * MON-FRI",
            "15,45 8-18/2 1,15 JAN,jul 0",
            "0 0 * * 7",
            "0 0 29 2 *",
            "0 0 31 1-3 *",
            "0 0 31 2 MON",
            "0 0 */30 2 *",
        ] {
            assert!(is_cron(good), "{good}");
        }
        for bad in [
            "a b c d e",
            "99 99 99 99 99",
            "*/0 * * * *",
            "* * *",
            "a;b * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "1- * * * *",
            "*/99 * * * *",
            "? * * * * * *",
            "",
            "-1 * * * *",
            "1,,2 * * * *",
            // Six fields were taken for seconds, or for years.
            "* * * * * *",
            "0 0 12 * * ?",
            "0 12 * * ? 2026",
            // No month has such a day.
            "0 0 31 2 *",
            "0 0 30,31 FEB ?",
            "0 0 31 4,6,9,11 *",
            "0 0 31 2 */2",
        ] {
            assert!(!is_cron(bad), "{bad}");
        }
    }
}
