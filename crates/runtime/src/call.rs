//! What goes into a call and what comes out.

use serde_json::{Map, Value as Json};

/// A call of a pattern or an operation.
#[derive(Clone, Debug, Default)]
pub struct Call<'a> {
    /// The pattern or operation: its own name, or `module.name`.
    pub name: &'a str,
    /// Who calls; none only for what is declared `system`.
    pub caller: Option<&'a Caller>,
    /// The arguments by name, in the design's own types.
    pub arguments: Map<String, Json>,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
    /// How many items are wanted, at most the design's own page.
    pub limit: Option<u32>,
}

/// Who calls: the attributes that `caller { }` declares, checked by [`Runtime::caller`](crate::Runtime::caller).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caller(pub(crate) Map<String, Json>);

impl Caller {
    /// The attributes.
    pub fn attributes(&self) -> &Map<String, Json> {
        &self.0
    }
}

/// What a call answers.
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
        /// What to pass for the next page; none if this was the last.
        cursor: Option<String>,
    },
}

/// What a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Consumed {
    /// Requests to the backend.
    pub requests: u64,
    /// Read capacity units.
    pub rcu: f64,
    /// Write capacity units.
    pub wcu: f64,
}
