//! Values as a design means them: between JSON on one side and DynamoDB's attribute values on the other.
//!
//! A time is a time whatever its stored unit, text inside `json(...)` is the value it encodes, and a missing value
//! is [`Val::Absent`], never null. Types turn values into either outer form and back.

mod admit;
pub(crate) mod exact;
mod fields;
mod json;
mod known;
mod numbers;
mod print;
mod stored;
mod time;

pub use admit::{Admit, Origin};
pub(crate) use admit::{lacking, normalize};
pub use fields::Fields;
pub use json::to_json;
pub(crate) use json::{from_json, json_object, untyped};
pub(crate) use known::{Known, Lookup, Values};
pub(crate) use numbers::{arithmetic, quotient};
pub(crate) use print::{ObjectPrinter, print_json, print_stored, print_text, print_value};
pub(crate) use stored::{from_stored, generic, store, to_stored};
pub(crate) use time::{date, month, parse_time};
pub use time::{iso, iso_seconds};

use std::cmp::Ordering;
use std::sync::Arc;

use sortkey_design::program::EntityId;
use sortkey_value::Number;

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Val {
    /// Nothing.
    #[default]
    Absent,
    /// An explicit null, where the design allows one or free-form content has one.
    Null,
    /// True or false.
    Bool(bool),
    /// A number; durations are milliseconds, sizes are bytes.
    Number(Number),
    /// Text, a word of an enum, an id, a day or a month.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A point in time, in milliseconds since 1970.
    Time(i64),
    /// Values in order.
    List(Vec<Val>),
    /// A set, in the order of its members.
    Set(Vec<Val>),
    /// Values by name.
    Map(Fields),
    /// An item of an entity.
    Item(Box<Record>),
    /// An encrypted value as it is stored; it is opened only when somebody asks for it.
    Sealed(Vec<u8>),
}

/// An item with its entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub(crate) entity: EntityId,
    pub(crate) fields: Fields,
    /// Secrets that were generated just now and are shown this once.
    pub(crate) shown: Vec<Arc<str>>,
}

impl Val {
    pub(crate) fn text(text: impl Into<String>) -> Val {
        Val::Text(text.into())
    }

    pub(crate) fn integer(number: i64) -> Val {
        Val::Number(Number::from(number))
    }

    pub(crate) fn item(entity: EntityId, fields: Fields) -> Val {
        Val::Item(Box::new(Record { entity, fields, shown: Vec::new() }))
    }

    /// Whether there is nothing.
    pub fn is_absent(&self) -> bool {
        matches!(self, Val::Absent)
    }

    /// Whether a condition with this value holds. `Entity(key)` is a condition, too: it holds if that item is live.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Val::Bool(true) | Val::Item(_))
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Val::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_integer(&self) -> Option<i64> {
        match self {
            Val::Number(number) => number.to_i64(),
            _ => None,
        }
    }

    /// The attributes of a map or an item.
    pub fn fields(&self) -> Option<&Fields> {
        match self {
            Val::Map(fields) => Some(fields),
            Val::Item(record) => Some(&record.fields),
            _ => None,
        }
    }

    /// The members of a list or a set.
    pub(crate) fn members(&self) -> Option<&[Val]> {
        match self {
            Val::List(members) | Val::Set(members) => Some(members),
            _ => None,
        }
    }

    /// Equality as designs mean it: an item equals a map with the same attributes, a set a list with the same members.
    pub fn same(&self, other: &Val) -> bool {
        if let (Some(left), Some(right)) = (self.fields(), other.fields()) {
            return left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| value.same(other)));
        }
        match (self, other) {
            (Val::Set(set), Val::List(list)) | (Val::List(list), Val::Set(set)) => {
                set.len() == list.len() && list.iter().all(|each| set.contains(each))
            }
            (Val::List(left), Val::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.same(right))
            }
            _ => self == other,
        }
    }

    /// The order of two values of one kind; none where there is no order.
    pub(crate) fn order(&self, other: &Val) -> Option<Ordering> {
        match (self, other) {
            (Val::Number(left), Val::Number(right)) => Some(left.cmp(right)),
            (Val::Text(left), Val::Text(right)) => Some(left.cmp(right)),
            (Val::Time(left), Val::Time(right)) => Some(left.cmp(right)),
            (Val::Bytes(left), Val::Bytes(right)) => Some(left.cmp(right)),
            (Val::Bool(left), Val::Bool(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }

    /// The name of the value's kind in messages.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Val::Absent => "nothing",
            Val::Null => "null",
            Val::Bool(_) => "a Boolean",
            Val::Number(_) => "a number",
            Val::Text(_) => "text",
            Val::Bytes(_) | Val::Sealed(_) => "bytes",
            Val::Time(_) => "a time",
            Val::List(_) => "a list",
            Val::Set(_) => "a set",
            Val::Map(_) => "an object",
            Val::Item(_) => "an item",
        }
    }
}
