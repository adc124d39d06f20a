//! The steps of a transform.

use serde_json::Value;

use super::Template;
use crate::pointer::Pointer;

/// One step. Inside `each`, paths begin at the element.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `{"op": "set", "path": P, "value": V}` writes V at P, over what is there.
    Set {
        /// The place.
        path: Pointer,
        /// The value.
        value: Value,
    },
    /// `{"op": "copy", "from": F, "to": T}` writes the value at F at T, over what is there.
    Copy {
        /// The source.
        from: Pointer,
        /// The destination.
        to: Pointer,
    },
    /// `{"op": "move", "from": F, "to": T}` takes the value out of F, as `remove` does, and then writes it at T. T must not be inside F.
    Move {
        /// The source.
        from: Pointer,
        /// The destination.
        to: Pointer,
    },
    /// `{"op": "remove", "path": P}` takes the value at P out of its object or list; later elements of a list move up. The whole document becomes
    /// `null`.
    Remove {
        /// The place.
        path: Pointer,
    },
    /// `{"op": "rename", "path": P, "to": "name"}` gives the member at P another name in its object, over a member of that name. It does nothing to
    /// elements of lists.
    Rename {
        /// The member.
        path: Pointer,
        /// Its new name.
        to: String,
    },
    /// `{"op": "template", "path": P, "template": "…"}` writes a text at P. See [`Template`].
    Template {
        /// The place.
        path: Pointer,
        /// The text.
        template: Template,
    },
    /// `{"op": "map", "path": P, "each": [STEPS]}` applies steps to each element of the list at P, in order, with the element as the document. Anything
    /// but a list is left alone.
    Each {
        /// The list.
        path: Pointer,
        /// The steps for each element.
        steps: Vec<Step>,
    },
    /// `{"op": "map", "path": P, "values": {"a": 1}, "default": D}` replaces the value at P by the one that a table has for it. See [`Lookup`].
    Lookup {
        /// The value.
        path: Pointer,
        /// The table.
        lookup: Lookup,
    },
    /// `{"op": "wrap", "path": P, "key": "name"}` replaces the value V at P by the object `{"name": V}`.
    Wrap {
        /// The value.
        path: Pointer,
        /// The name of the member that it becomes.
        key: String,
    },
    /// `{"op": "header", "name": "X-A", "template": "…"}` sets a header of the request, and `{"op": "header", "name": "X-A", "remove": true}`
    /// removes it. Bytes of the value that are not visible ASCII or spaces are written `%XX`.
    Header {
        /// Its name.
        name: String,
        /// Its value; none removes it.
        template: Option<Template>,
    },
}

/// A table of values. A text is looked up as it is; a number, `true`, `false` and `null` as in JSON. A value that is not in the table becomes the default, if
/// there is one, and stays otherwise. Objects and lists stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// The pairs of old and new values.
    pub values: serde_json::Map<String, Value>,
    /// The value for everything else.
    pub default: Option<Value>,
}

impl Lookup {
    /// The new value; none where it stays.
    pub(super) fn find(&self, value: &Value) -> Option<&Value> {
        let found = match value {
            Value::Object(_) | Value::Array(_) => return None,
            Value::String(text) => self.values.get(text),
            other => self.values.get(&other.to_string()),
        };
        found.or(self.default.as_ref())
    }
}

impl Step {
    /// Whether the step changes the body.
    pub(super) fn changes_body(&self) -> bool {
        !matches!(self, Step::Header { .. })
    }

    /// Whether the step reads or changes the body.
    pub(super) fn needs_body(&self) -> bool {
        match self {
            Step::Header { template, .. } => template.as_ref().is_some_and(Template::reads_body),
            _ => true,
        }
    }
}
