//! Cron expressions: when a schedule runs next, in a time zone.
//!
//! An expression has five fields (minute, hour, day of the month, month, day of the week), or six with seconds in front or
//! years behind. A field is a list of `*`, `?`, values and ranges, each with an optional step; `5/15` is every fifteenth
//! from 5 on. Months and weekdays may be named, and Sunday is 0 and 7. `@hourly`, `@daily`, `@midnight`, `@weekly`,
//! `@monthly`, `@yearly` and `@annually` are abbreviations; `cron` in a design does not accept these yet.
//!
//! Six fields are read with seconds in front if they can be, except that a `?` belongs to a day: `0 12 * * ? *` is noon, every day
//! of every year, as in AWS, and `0 0 12 * * ?` is noon as well, as in Quartz.
//!
//! As in Vixie cron, a day fits if its date or its weekday fits where both fields are restricted. A field that begins with `*` or `?` is
//! not restricted; then both must fit.
//!
//! When clocks change, a slot that does not exist runs once, right after the gap, together with all other slots in it; a slot that exists
//! twice runs the first time. Without a zone, schedules are in UTC and neither happens.

mod field;
mod next;
mod zone;

pub use field::FieldProblem;
pub use zone::{Zone, ZoneError};

use thiserror::Error;

use field::{DAY, Field, HOUR, MINUTE, MONTH, SECOND, Values, WEEKDAY, YEAR};

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    seconds: Values,
    minutes: Values,
    hours: Values,
    days: Values,
    months: Values,
    weekdays: Values,
    years: Values,
    /// Whether a day fits by its date or by its weekday, instead of by both.
    either_day: bool,
}

/// Why a text is not a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CronError {
    /// Another number of fields.
    #[error("a schedule has five fields, or six with seconds or years; this has {given}")]
    FieldCount {
        /// How many there are.
        given: usize,
    },
    /// A word after `@` that means nothing here.
    #[error("`{text}` is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually")]
    Nickname {
        /// The word.
        text: String,
    },
    /// A field that cannot be read.
    #[error("`{text}` in the field of {field}: {problem}")]
    Field {
        /// The name of the field: `minutes`.
        field: &'static str,
        /// The part of the field that is wrong.
        text: String,
        /// Its problem.
        problem: FieldProblem,
    },
}

/// The fields of an expression, in order.
type Form = [&'static Field];

const PLAIN: &Form = &[&MINUTE, &HOUR, &DAY, &MONTH, &WEEKDAY];
const WITH_SECONDS: &Form = &[&SECOND, &MINUTE, &HOUR, &DAY, &MONTH, &WEEKDAY];
const WITH_YEARS: &Form = &[&MINUTE, &HOUR, &DAY, &MONTH, &WEEKDAY, &YEAR];

impl Cron {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Cron, CronError> {
        let text = match text.trim_ascii().strip_prefix('@') {
            Some(nickname) => meaning(nickname)?,
            None => text,
        };
        let parts: Vec<&str> = text.split_ascii_whitespace().collect();
        match parts.len() {
            5 => Cron::read(PLAIN, &parts),
            6 => {
                let readings = [WITH_SECONDS, WITH_YEARS].map(|form| (form, Cron::read(form, &parts)));
                let best = readings.iter().find(|(form, read)| read.is_ok() && is_natural(form, &parts));
                let best = best.or_else(|| readings.iter().find(|(_, read)| read.is_ok()));
                // Four digits at the end are a year, so the mistake is elsewhere.
                let has_year = parts
                    .last()
                    .is_some_and(|last| last.contains(|c: char| c.is_ascii_digit()) && last.len() >= 4);
                best.unwrap_or(&readings[usize::from(has_year)]).1.clone()
            }
            given => Err(CronError::FieldCount { given }),
        }
    }

    fn read(form: &Form, parts: &[&str]) -> Result<Cron, CronError> {
        let mut cron = Cron {
            seconds: Values::only(0),
            minutes: Values::default(),
            hours: Values::default(),
            days: Values::default(),
            months: Values::default(),
            weekdays: Values::default(),
            years: YEAR.every(),
            either_day: false,
        };
        let mut restricted_days = 0;
        for (field, part) in form.iter().zip(parts) {
            let values = field.read(part)?;
            *(field.of)(&mut cron) = values;
            restricted_days += u8::from(field.is_day && !part.starts_with(['*', '?']));
        }
        cron.either_day = restricted_days == 2;
        Ok(cron)
    }
}

/// Whether `?` is only where it has a meaning.
fn is_natural(form: &Form, parts: &[&str]) -> bool {
    form.iter().zip(parts).all(|(field, part)| field.is_day || !part.contains('?'))
}

fn meaning(nickname: &str) -> Result<&'static str, CronError> {
    const NICKNAMES: [(&str, &str); 7] = [
        ("hourly", "0 * * * *"),
        ("daily", "0 0 * * *"),
        ("midnight", "0 0 * * *"),
        ("weekly", "0 0 * * 0"),
        ("monthly", "0 0 1 * *"),
        ("yearly", "0 0 1 1 *"),
        ("annually", "0 0 1 1 *"),
    ];
    let found = NICKNAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(nickname));
    found.map(|(_, text)| *text).ok_or_else(|| CronError::Nickname { text: format!("@{nickname}") })
}
