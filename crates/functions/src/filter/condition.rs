//! One condition of a filter.

use std::cmp::Ordering;

use regex_lite::Regex;
use serde_json::Value;

use super::{MAX_MATCHED_BYTES, Subject};
use crate::json;
use crate::pointer::Pointer;

/// A place and what must hold there.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) place: Source,
    pub(super) check: Check,
}

/// The source of a condition's value.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Body(Pointer),
    Header(String),
}

/// The condition.
#[derive(Clone, Debug)]
pub(super) enum Check {
    Exists,
    Absent,
    Equal(Value),
    NotEqual(Value),
    Ordered(Order, Value),
    In(Vec<Value>),
    Contains(Value),
    StartsWith(String),
    EndsWith(String),
    Matches(Regex),
}

/// How a value is ordered beside another one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Condition {
    pub(super) fn holds(&self, subject: Subject<'_>) -> bool {
        match &self.place {
            Source::Body(pointer) => self.check.holds(subject.body.and_then(|body| pointer.find(body))),
            Source::Header(name) => {
                self.check.holds(subject.headers.joined(name).map(Value::String).as_ref())
            }
        }
    }
}

impl Check {
    fn holds(&self, value: Option<&Value>) -> bool {
        let Some(value) = value else { return matches!(self, Check::Absent) };
        match self {
            Check::Exists => true,
            Check::Absent => false,
            Check::Equal(expected) => json::is_equal(value, expected),
            Check::NotEqual(expected) => !json::is_equal(value, expected),
            Check::Ordered(order, other) => {
                json::compare(value, other).is_some_and(|found| order.allows(found))
            }
            Check::In(list) => list.iter().any(|expected| json::is_equal(value, expected)),
            Check::Contains(part) => match (value, part) {
                (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
                (Value::Array(elements), part) => {
                    elements.iter().any(|element| json::is_equal(element, part))
                }
                _ => false,
            },
            Check::StartsWith(part) => value.as_str().is_some_and(|text| text.starts_with(part.as_str())),
            Check::EndsWith(part) => value.as_str().is_some_and(|text| text.ends_with(part.as_str())),
            Check::Matches(regex) => {
                value.as_str().is_some_and(|text| text.len() <= MAX_MATCHED_BYTES && regex.is_match(text))
            }
        }
    }
}

impl Order {
    fn allows(self, found: Ordering) -> bool {
        match self {
            Order::Less => found.is_lt(),
            Order::LessOrEqual => found.is_le(),
            Order::Greater => found.is_gt(),
            Order::GreaterOrEqual => found.is_ge(),
        }
    }
}
