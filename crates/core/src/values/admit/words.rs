//! Messages about refused values and their fields.

use std::fmt;

use sortkey_design::model::TimeUnit;
use sortkey_design::program::Type;

use crate::Failure;
use crate::values::Val;

/// The path of a field, formatted only for a message.
#[derive(Clone, Copy)]
pub(super) enum Field<'a> {
    Name(&'a str),
    Member(&'a Field<'a>, &'a str),
    Element(&'a Field<'a>, usize),
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Name(name) => f.write_str(name),
            Field::Member(whole, name) => write!(f, "{whole}.{name}"),
            Field::Element(whole, at) => write!(f, "{whole}[{at}]"),
        }
    }
}

/// Something required is not there.
pub(crate) fn lacking(field: &str, is_set: bool) -> Failure {
    let why = if is_set { ", with at least one member: DynamoDB has no empty sets" } else { "" };
    Failure::invalid(field, format!("`{field}` is required{why}"))
}

pub(super) fn form(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Iso | TimeUnit::IsoSeconds => "a time in ISO-8601",
        TimeUnit::Seconds => "a time in seconds since 1970",
        TimeUnit::Milliseconds => "a time in milliseconds since 1970",
        TimeUnit::Unstated => "a time in ISO-8601, seconds or milliseconds",
    }
}

pub(super) fn expected(ty: &Type) -> String {
    match ty {
        Type::Int { .. } | Type::Decimal { .. } => "a number".to_owned(),
        Type::Bool => "true or false".to_owned(),
        Type::List { .. } | Type::Set { .. } => "a list".to_owned(),
        Type::Map { .. } | Type::Object(_) | Type::Input { .. } => "an object".to_owned(),
        Type::Bytes { .. } => "base64 text".to_owned(),
        Type::Date | Type::Month => "a day or month".to_owned(),
        Type::Enum(words) => format!("one of {}", words.join(", ")),
        _ => "text".to_owned(),
    }
}

pub(super) fn refuse_or(complaint: Option<String>, field: Field<'_>, value: Val) -> Result<Val, Failure> {
    match complaint {
        None => Ok(value),
        Some(complaint) => Err(Failure::invalid(field.to_string(), format!("`{field}` {complaint}"))),
    }
}

pub(super) fn too_long_or_short(length: u64, min: u64, max: Option<u64>, unit: &str) -> Option<String> {
    let fits = length >= min && max.is_none_or(|max| length <= max);
    (!fits).then(|| match max {
        Some(max) if max == min => format!("has {length} {unit}; {max} are expected"),
        Some(max) if min == 0 => format!("has {length} {unit}; at most {max} are allowed"),
        Some(max) => format!("has {length} {unit}; {min} to {max} are allowed"),
        None => format!("has {length} {unit}; at least {min} are expected"),
    })
}

pub(super) fn range(min: Option<i64>, max: Option<i64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("{min} or more"),
        (None, Some(max)) => format!("{max} or less"),
        (None, None) => "any integer".to_owned(),
    }
}
