//! Schedules are accepted exactly where the format `cron` of designs accepts them.
//!
//! The reference below is the validator of the compiler, which will call [`Cron::parse`] itself. The one difference are nicknames such as
//! `@hourly`, which it refuses.

use proptest::prelude::*;
use sortkey_functions::cron::Cron;

struct Field {
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

const MONTHS: &[&str] = &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: &[&str] = &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const FIELDS: [Field; 7] = [
    Field { least: 0, most: 59, names: &[] },
    Field { least: 0, most: 59, names: &[] },
    Field { least: 0, most: 23, names: &[] },
    Field { least: 1, most: 31, names: &[] },
    Field { least: 1, most: 12, names: MONTHS },
    Field { least: 0, most: 7, names: WEEKDAYS },
    Field { least: 1970, most: 2199, names: &[] },
];

fn is_cron(text: &str) -> bool {
    let parts: Vec<&str> = text.split_ascii_whitespace().collect();
    let fits = |fields: &[Field]| {
        parts.len() == fields.len()
            && parts.iter().zip(fields).all(|(part, field)| part.split(',').all(|each| field.accepts(each)))
    };
    fits(&FIELDS[1..6]) || fits(&FIELDS[..6]) || fits(&FIELDS[1..])
}

impl Field {
    fn accepts(&self, part: &str) -> bool {
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

    fn value(&self, text: &str) -> Option<u32> {
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

fn part() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "*", "?", "0", "1", "5", "7", "8", "12", "13", "23", "24", "31", "32", "59", "60", "00", "1970",
        "2199", "2200", "mon", "FRI", "Sun", "JAN", "dec", "x", "",
    ]);
    let separator = proptest::sample::select(vec!["", "", "", "-", "/", ",", "*"]);
    proptest::collection::vec((word, separator), 1..4).prop_map(|words| {
        let mut text: String = words.iter().map(|(word, separator)| format!("{word}{separator}")).collect();
        // Most parts should be right, so that whole expressions are.
        if text.ends_with(['-', '/', ',']) {
            text.pop();
        }
        text
    })
}

fn expression() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        3 => Just("*".to_owned()),
        2 => Just("?".to_owned()),
        3 => (1_u32..8).prop_map(|value| value.to_string()),
        1 => (1_u32..8, 1_u32..8).prop_map(|(one, step)| format!("{one}/{step}")),
        2 => part(),
    ];
    proptest::collection::vec(simple, 4..8).prop_map(|parts| parts.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn designs_and_workers_accept_the_same_schedules(text in expression()) {
        prop_assert_eq!(Cron::parse(&text).is_ok(), is_cron(&text), "`{}`", text);
    }
}
