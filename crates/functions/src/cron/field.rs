//! The fields of an expression, and the values that they allow.

use thiserror::Error;

use super::{Cron, CronError};

/// One of the five fields, and the values that it takes.
pub(super) struct Field {
    /// Its name in error messages.
    name: &'static str,
    least: u32,
    most: u32,
    /// The end of `*` and of an open range such as `5/15`.
    last: u32,
    /// Names of values, from the least on.
    names: &'static [&'static str],
    /// Whether it selects days, and `?` therefore has a meaning.
    pub(super) is_day: bool,
    /// The place of its values.
    pub(super) of: fn(&mut Cron) -> &mut Values,
}

/// An error in a part of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FieldProblem {
    /// Not a value of the field.
    #[error("expected a value from {least} to {most}")]
    Value {
        /// The least value.
        least: u32,
        /// The greatest value.
        most: u32,
    },
    /// A range that descends.
    #[error("a range ascends")]
    Range,
    /// A step that is zero, too large or not a number.
    #[error("a step is a number from 1 to {most}")]
    Step {
        /// The greatest step.
        most: u32,
    },
    /// `?` with a step.
    #[error("`?` has no step")]
    QuestionStep,
}

const PLAIN: Field = Field {
    name: "seconds",
    least: 0,
    most: 59,
    last: 59,
    names: &[],
    is_day: false,
    of: |cron| &mut cron.seconds,
};
pub(super) static SECOND: Field = PLAIN;
pub(super) static MINUTE: Field = Field { name: "minutes", of: |cron| &mut cron.minutes, ..PLAIN };
pub(super) static HOUR: Field =
    Field { name: "hours", most: 23, last: 23, of: |cron| &mut cron.hours, ..PLAIN };
pub(super) static DAY: Field = Field {
    name: "days of the month",
    least: 1,
    most: 31,
    last: 31,
    is_day: true,
    of: |cron| &mut cron.days,
    ..PLAIN
};
pub(super) static MONTH: Field = Field {
    name: "months",
    least: 1,
    most: 12,
    last: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    of: |cron| &mut cron.months,
    ..PLAIN
};
pub(super) static WEEKDAY: Field = Field {
    name: "days of the week",
    most: 7,
    last: 6,
    names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    is_day: true,
    of: |cron| &mut cron.weekdays,
    ..PLAIN
};
pub(super) static YEAR: Field = Field {
    name: "years",
    least: FIRST_YEAR,
    most: LAST_YEAR,
    last: LAST_YEAR,
    of: |cron| &mut cron.years,
    ..PLAIN
};

/// The first year of every schedule.
pub(super) const FIRST_YEAR: u32 = 1970;

/// The last year of every schedule.
pub(super) const LAST_YEAR: u32 = 2199;

impl Field {
    /// The values of a list.
    pub(super) fn read(&self, text: &str) -> Result<Values, CronError> {
        let mut values = Values::default();
        for part in text.split(',') {
            let wrong = |problem| CronError::Field { field: self.name, text: part.to_owned(), problem };
            self.add(part, &mut values).map_err(wrong)?;
        }
        Ok(values)
    }

    /// Every value.
    pub(super) fn every(&self) -> Values {
        let mut values = Values::default();
        (self.least..=self.last).for_each(|value| values.insert(self.slot(value)));
        values
    }

    fn add(&self, part: &str, values: &mut Values) -> Result<(), FieldProblem> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (part, None),
        };
        if range == "?" && step.is_some() {
            return Err(FieldProblem::QuestionStep);
        }
        let (low, high) = self.range(range, step.is_some())?;
        let step = step.map_or(Ok(1), |step| self.step(step))?;
        (low..=high).step_by(step).for_each(|value| values.insert(self.slot(value)));
        Ok(())
    }

    fn range(&self, range: &str, has_step: bool) -> Result<(u32, u32), FieldProblem> {
        if matches!(range, "*" | "?") {
            return Ok((self.least, self.last));
        }
        match range.split_once('-') {
            Some((low, high)) => match (self.value(low)?, self.value(high)?) {
                (low, high) if low <= high => Ok((low, high)),
                _ => Err(FieldProblem::Range),
            },
            None => {
                let low = self.value(range)?;
                Ok((low, if has_step { self.last.max(low) } else { low }))
            }
        }
    }

    fn value(&self, text: &str) -> Result<u32, FieldProblem> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let number = match named {
            Some(at) => u32::try_from(at).ok().map(|at| at + self.least),
            None => digits(text),
        };
        let wrong = FieldProblem::Value { least: self.least, most: self.most };
        number.filter(|number| (self.least..=self.most).contains(number)).ok_or(wrong)
    }

    fn step(&self, text: &str) -> Result<usize, FieldProblem> {
        let step = digits(text).filter(|step| (1..=self.most).contains(step));
        step.and_then(|step| usize::try_from(step).ok()).ok_or(FieldProblem::Step { most: self.most })
    }

    /// The bit of a value: years are counted from the first one, and 7 is Sunday, which is 0.
    fn slot(&self, value: u32) -> u32 {
        match value {
            year if self.least == FIRST_YEAR => year - FIRST_YEAR,
            7 if self.most == 7 => 0,
            other => other,
        }
    }
}

fn digits(text: &str) -> Option<u32> {
    let plain = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// A set of numbers below 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Values([u64; 4]);

impl Values {
    pub(super) fn only(value: u32) -> Values {
        let mut values = Values::default();
        values.insert(value);
        values
    }

    fn insert(&mut self, value: u32) {
        if let Some(word) = self.0.get_mut(value as usize / 64) {
            *word |= 1 << (value % 64);
        }
    }

    pub(super) fn contains(&self, value: u32) -> bool {
        self.0.get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    /// The values from one on, ascending.
    pub(super) fn from(self, first: u32) -> impl Iterator<Item = u32> {
        (first..256).filter(move |value| self.contains(*value))
    }
}
