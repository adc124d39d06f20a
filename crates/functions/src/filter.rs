//! Filters: whether a webhook is wanted, decided by its body and its headers.
//!
//! ```json
//! [
//!   {"path": "/type", "op": "in", "value": ["invoice.paid", "invoice.voided"]},
//!   {"any": [{"path": "/data/total", "op": "ge", "value": 100}, {"header": "X-Priority", "op": "exists"}]},
//!   {"not": {"path": "/data/test", "op": "eq", "value": true}}
//! ]
//! ```
//!
//! A list is a group of which all must hold. `all`, `any` and `not` are groups within it; an empty `all` holds, an empty `any` does not.
//! A condition is about a place in the body (a JSON Pointer) or about a header, whose values are joined by `, `:
//!
//! | `op` | holds if the value there |
//! |---|---|
//! | `eq`, `ne` | is, or is not, equal to `value`; numbers by value (`1` is `1.0`), objects and arrays deeply |
//! | `lt`, `le`, `gt`, `ge` | is a number or a text like `value`, and before or after it; texts are compared by code point |
//! | `in` | is equal to an element of `value` |
//! | `contains` | is a text that contains the text `value`, or an array with an element equal to `value` |
//! | `starts_with`, `ends_with` | is a text that does |
//! | `matches` | is a text of at most 4 KB in which the regular expression `value` is found |
//! | `exists`, `absent` | is there (also as `null`), or is not |
//!
//! A filter is total: where a place is missing, or the value there is of another type, the condition does not hold, whatever its operator
//! except `absent`. `{"not": {"op": "eq", …}}` holds where the place is missing, `{"op": "ne", …}` does not.

mod condition;
mod read;

pub use read::{FilterError, FilterProblem};

use serde_json::Value;

use crate::Headers;
use crate::config::Place;
use condition::Condition;

/// The largest filter, as compact JSON.
pub const MAX_FILTER_BYTES: usize = 64 * 1024;

/// The deepest nesting of groups.
pub const MAX_FILTER_DEPTH: usize = 8;

/// The most conditions.
pub const MAX_CONDITIONS: usize = 100;

/// The most conditions with regular expressions.
pub const MAX_PATTERNS: usize = 10;

/// The longest regular expression.
pub const MAX_PATTERN_BYTES: usize = 256;

/// The longest text that a regular expression is searched in.
pub const MAX_MATCHED_BYTES: usize = 4096;

/// A filter, ready to be asked.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
}

#[derive(Clone, Debug)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Condition(Condition),
}

/// The subject of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The body, if it is JSON. Without one, every place is missing.
    pub body: Option<&'a Value>,
    /// The headers.
    pub headers: Headers<'a>,
}

impl Filter {
    /// Reads a filter from text.
    pub fn parse(text: &str) -> Result<Filter, FilterError> {
        if text.len() > MAX_FILTER_BYTES {
            return Err(FilterError { place: Place::default(), problem: FilterProblem::TooLarge });
        }
        let value = serde_json::from_str(text).map_err(|error| FilterError {
            place: Place::default(),
            problem: FilterProblem::NotJson { line: error.line(), column: error.column() },
        })?;
        Filter::read(&value)
    }

    /// Reads a filter from JSON that was read before.
    pub fn read(value: &Value) -> Result<Filter, FilterError> {
        read::filter(value).map(|root| Filter { root })
    }

    /// Whether a webhook is wanted.
    pub fn holds(&self, subject: Subject<'_>) -> bool {
        self.root.holds(subject)
    }
}

impl Node {
    fn holds(&self, subject: Subject<'_>) -> bool {
        match self {
            Node::All(nodes) => nodes.iter().all(|node| node.holds(subject)),
            Node::Any(nodes) => nodes.iter().any(|node| node.holds(subject)),
            Node::Not(node) => !node.holds(subject),
            Node::Condition(condition) => condition.holds(subject),
        }
    }
}
