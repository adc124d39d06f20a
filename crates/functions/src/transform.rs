//! Transforms: an ordered list of steps that rewrite a webhook's body and headers.
//!
//! ```json
//! [
//!   {"op": "move", "from": "/data/object", "to": "/invoice"},
//!   {"op": "map", "path": "/invoice/lines", "each": [{"op": "remove", "path": "/internal"}]},
//!   {"op": "template", "path": "/text", "template": "{/invoice/number} for {/invoice/customer/name}"},
//!   {"op": "header", "name": "X-Kind", "template": "{/type}"}
//! ]
//! ```
//!
//! Each step sees the result of the ones before it. [`Step`] describes each kind. Two rules hold for all of them:
//! - A place that is read and is not there makes the step do nothing. Bodies differ, and a missing optional field is no mistake.
//! - A place that is written is made if it can be: missing objects on the way are created; a list takes an index that it has, or `-` or its
//!   length to append. Anything else (a member of a text, an index beyond the end) is an error, since silence would lose data.
//!
//! The body is written as compact JSON with the names of objects in order. Steps that change headers only leave the body as it came, byte by byte,
//! JSON or not.

mod document;
mod error;
mod read;
mod run;
mod step;
mod template;

pub use error::{ApplyError, ApplyProblem, TransformError, TransformProblem};
pub use step::{Lookup, Step};
pub use template::Template;

use serde_json::Value;

use crate::{Headers, Place};

/// The largest transform, as compact JSON.
pub const MAX_TRANSFORM_BYTES: usize = 64 * 1024;

/// The most steps, those inside `each` included.
pub const MAX_STEPS: usize = 100;

/// The deepest nesting of `each`.
pub const MAX_EACH_DEPTH: usize = 4;

/// The largest body that is made.
pub const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// The largest body that is read.
pub const MAX_INPUT_BYTES: usize = 1024 * 1024;

/// The deepest nesting that is made, which other readers of JSON still read.
pub const MAX_OUTPUT_DEPTH: usize = 127;

/// The longest value of a header that is made.
pub const MAX_HEADER_BYTES: usize = 4096;

/// A transform, ready to be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    steps: Vec<Step>,
}

/// The result of a transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transformed {
    /// The body.
    pub body: Vec<u8>,
    /// The headers to set, or to remove where there is no value, in order. Each name is there once, in the case in which it was written last.
    pub headers: Vec<(String, Option<String>)>,
}

impl Transform {
    /// Reads a transform from text.
    pub fn parse(text: &str) -> Result<Transform, TransformError> {
        let at_top = |problem| TransformError { place: Place::default(), problem };
        if text.len() > MAX_TRANSFORM_BYTES {
            return Err(at_top(TransformProblem::TooLarge));
        }
        let not_json = |error: serde_json::Error| {
            at_top(TransformProblem::NotJson { line: error.line(), column: error.column() })
        };
        Transform::read(&serde_json::from_str(text).map_err(not_json)?)
    }

    /// Reads a transform from JSON that was read before.
    pub fn read(value: &Value) -> Result<Transform, TransformError> {
        read::steps(value).map(|steps| Transform { steps })
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Applies the steps to a body. The headers are those that templates may name.
    pub fn apply(&self, body: &[u8], headers: Headers<'_>) -> Result<Transformed, ApplyError> {
        run::apply(&self.steps, body, headers)
    }
}
