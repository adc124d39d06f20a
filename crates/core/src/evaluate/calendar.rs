//! The functions of calendars and clocks: when something that repeats happens next, and which hour it is. They are computed
//! in `sortkey-functions`; here values of the language become its arguments.

use sortkey_design::program::Function;
use sortkey_functions::cron::Zone;
use sortkey_functions::repeat::Repeat;

use crate::values::Val;
use crate::{Failure, FailureKind};

/// `repeat_next(first, every, after[, zone])` or `hour(time[, zone])`.
pub(super) fn function(function: Function, values: &[Val]) -> Result<Val, Failure> {
    let at = |place: usize| values.get(place).unwrap_or(&Val::Absent);
    match function {
        Function::Hour => hour(at(0), at(1)),
        _ => repeat_next(at(0), at(1), at(2), at(3)),
    }
}

fn repeat_next(first: &Val, every: &Val, after: &Val, zone: &Val) -> Result<Val, Failure> {
    let (Val::Time(first_ms), Val::Text(every), Val::Time(after_ms)) = (first, every, after) else {
        return Ok(Val::Absent);
    };
    let repeat = Repeat::parse(every).map_err(|error| invalid(&error))?;
    let next = repeat.next(first_ms.div_euclid(1_000), after_ms.div_euclid(1_000), &named(zone)?);
    Ok(next.map_or(Val::Absent, |seconds| Val::Time(seconds.saturating_mul(1_000))))
}

fn hour(time: &Val, zone: &Val) -> Result<Val, Failure> {
    let Val::Time(time_ms) = time else { return Ok(Val::Absent) };
    let hour = named(zone)?.hour(time_ms.div_euclid(1_000));
    Ok(hour.map_or(Val::Absent, |hour| Val::Text(format!("{hour:02}"))))
}

fn named(zone: &Val) -> Result<Zone, Failure> {
    Zone::parse(zone.as_text().unwrap_or("UTC")).map_err(|error| invalid(&error))
}

fn invalid(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Invalid, error.to_string())
}
