//! Values that a look at their text or number decides.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sortkey_design::model::TimeUnit;
use sortkey_design::program::Type;
use sortkey_value::Number;

use super::words::{Field, form, refuse_or, too_long_or_short};
use super::{Admit, Origin};
use crate::Failure;
use crate::values::{Val, parse_time, to_stored};

/// Milliseconds have thirteen digits, seconds at most eleven until the year 5138.
const LAST_SECOND: i64 = 100_000_000_000;

/// How deep lists and maps may nest in an item.
const MAX_LEVELS: usize = 32;

impl Admit<'_> {
    pub(super) fn any(&self, max: Option<u64>, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let bytes = to_stored(&self.scope.shared.program, &Type::Unknown, &value)
            .map_or(0, |stored| stored.size_bytes() as u64);
        let deep = (depth(&value) > MAX_LEVELS)
            .then(|| format!("nests deeper than {MAX_LEVELS} levels, the most that DynamoDB stores"));
        refuse_or(deep.or_else(|| too_long_or_short(bytes, 0, max, "bytes")), field, value)
    }

    pub(super) fn bytes(&self, max: Option<u64>, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let bytes = match (value, self.origin) {
            (Val::Text(text), Origin::Expression) => text.into_bytes(),
            (Val::Text(text), Origin::Json) => STANDARD
                .decode(text)
                .map_err(|_| Failure::invalid(field.to_string(), format!("`{field}` is not base64")))?,
            (Val::Bytes(bytes), _) => bytes,
            _ => Vec::new(),
        };
        refuse_or(too_long_or_short(bytes.len() as u64, 0, max, "bytes"), field, Val::Bytes(bytes))
    }

    pub(super) fn decimal(
        &self,
        digits: u64,
        scale: u64,
        value: &Val,
        field: Field<'_>,
    ) -> Result<Val, Failure> {
        let number = match value {
            Val::Number(number) => Some(*number),
            Val::Text(text) => Number::parse(text).ok(),
            _ => None,
        };
        let Some(number) = number else {
            return Err(Failure::invalid(field.to_string(), format!("`{field}` is not a decimal number")));
        };
        // Most are whole numbers of a few digits.
        if number.to_i64().is_some_and(|whole| has_at_most(whole, digits.saturating_sub(scale))) {
            return Ok(Val::Number(number));
        }
        let text = number.to_string();
        let (whole, fraction) = text.trim_start_matches('-').split_once('.').unwrap_or((&text, ""));
        let whole = whole.trim_start_matches(['-', '0']).len() as u64;
        let fits = fraction.len() as u64 <= scale && whole + scale <= digits;
        let complaint = (!fits)
            .then(|| format!("is {text}; at most {digits} digits, {scale} behind the point, are allowed"));
        refuse_or(complaint, field, Val::Number(number))
    }

    pub(super) fn time(&self, unit: TimeUnit, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let time_ms = match (&value, unit) {
            (Val::Time(time_ms), _) => Some(*time_ms),
            (Val::Text(text), TimeUnit::Iso | TimeUnit::IsoSeconds | TimeUnit::Unstated) => parse_time(text),
            // More digits are milliseconds that somebody took for seconds.
            (Val::Number(number), TimeUnit::Seconds) => number
                .to_i64()
                .filter(|each| each.abs() < LAST_SECOND)
                .and_then(|each| each.checked_mul(1_000)),
            (Val::Number(number), TimeUnit::Milliseconds) => number.to_i64(),
            (Val::Number(number), TimeUnit::Unstated) => number
                .to_i64()
                .and_then(|each| if each.abs() < LAST_SECOND { each.checked_mul(1_000) } else { Some(each) }),
            _ => None,
        };
        match (time_ms, unit) {
            (None, _) => Err(Failure::invalid(
                field.to_string(),
                format!("`{field}` is {}; {} is expected", value.describe(), form(unit)),
            )),
            (Some(time_ms), TimeUnit::Seconds | TimeUnit::IsoSeconds) => {
                Ok(Val::Time(time_ms.div_euclid(1_000) * 1_000))
            }
            (Some(time_ms), _) => Ok(Val::Time(time_ms)),
        }
    }
}

/// How many lists and objects are inside one another.
fn depth(value: &Val) -> usize {
    match value {
        Val::List(members) | Val::Set(members) => 1 + members.iter().map(depth).max().unwrap_or(0),
        Val::Map(fields) => 1 + fields.iter().map(|(_, each)| depth(each)).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a whole number has no more digits than this.
fn has_at_most(number: i64, digits: u64) -> bool {
    let digits = u32::try_from(digits).unwrap_or(u32::MAX);
    10_u64.checked_pow(digits).is_none_or(|bound| number.unsigned_abs() < bound)
}
