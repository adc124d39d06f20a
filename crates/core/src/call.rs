//! The input and the output of a call.

use std::fmt;
use std::sync::{Arc, Weak};

use serde_json::{Map, Value as Json};

use crate::Arguments;
use crate::prepared::{Lasting, Shared};
use crate::values::Fields;

/// A call of a pattern or an operation.
#[derive(Clone, Debug, Default)]
pub struct Call<'a> {
    /// The pattern or operation: its own name, or `module.name`.
    pub name: &'a str,
    /// The caller; none only for `system` declarations.
    pub caller: Option<&'a Caller>,
    /// The arguments.
    pub arguments: Arguments,
    /// The cursor of the previous page.
    pub cursor: Option<&'a str>,
    /// How many items are wanted, at most the design's own page.
    pub limit: Option<u32>,
    /// The version that the item must have which the operation changes.
    pub version: Option<i64>,
}

/// A caller: the attributes that `caller { }` declares, checked by [`Runtime::caller`](crate::Runtime::caller).
#[derive(Clone, Default)]
pub struct Caller {
    pub(crate) attributes: Map<String, Json>,
    /// The attributes as values, and the runtime that admitted them.
    pub(crate) admitted: Option<(Weak<Lasting<Shared>>, Arc<Fields>)>,
}

impl Caller {
    /// A caller that is checked when a call runs, so that a task can ask its host for what that takes.
    pub fn unchecked(attributes: Map<String, Json>) -> Caller {
        Caller { attributes, admitted: None }
    }

    /// The attributes.
    pub fn attributes(&self) -> &Map<String, Json> {
        &self.attributes
    }
}

/// Callers are equal if their attributes are.
impl PartialEq for Caller {
    fn eq(&self, other: &Caller) -> bool {
        self.attributes == other.attributes
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Caller").field(&self.attributes).finish()
    }
}

/// The answer of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing: an item that is not there, or an operation that returns nothing.
    Nothing,
    /// An item, a record, a number.
    Value(Json),
    /// Items, and where the next page begins.
    Page {
        /// The items, in order.
        items: Vec<Json>,
        /// The cursor of the next page; none if this was the last.
        cursor: Option<String>,
    },
}

impl Answer {
    /// The value of an answer that is one.
    pub fn value(&self) -> Option<&Json> {
        match self {
            Answer::Value(value) => Some(value),
            Answer::Nothing | Answer::Page { .. } => None,
        }
    }

    /// The items of a page; none of any other answer.
    pub fn items(&self) -> &[Json] {
        match self {
            Answer::Page { items, .. } => items,
            Answer::Nothing | Answer::Value(_) => &[],
        }
    }
}

/// The consumption of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Consumed {
    /// Requests to the backend.
    pub requests: u64,
    /// Read capacity units.
    pub rcu: f64,
    /// Write capacity units.
    pub wcu: f64,
}
