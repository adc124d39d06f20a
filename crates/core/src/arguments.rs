//! The arguments of a call, by name.

use serde_json::{Map, Value as Json};

use crate::values::{Fields, Val, exact, from_json, untyped};
use crate::{Failure, FailureKind};

/// The arguments of a call by name, in the design's own types. Types have not been looked at: the call does that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(pub(crate) Fields);

impl Arguments {
    /// Reads a JSON object without loss: a duplicate name and a number that would be rounded are refused.
    pub fn read(text: &[u8]) -> Result<Arguments, Failure> {
        match exact::read(text, "the body")? {
            Val::Map(fields) => Ok(Arguments(fields)),
            _ => Err(Failure::new(FailureKind::Invalid, "the body is a JSON object of arguments by name")),
        }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name)
    }

    /// The value of one that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Val::as_text)
    }

    /// Sets one.
    pub fn insert(&mut self, name: &str, value: Json) -> Result<(), Failure> {
        let value = from_json(value).ok_or_else(|| exact::beyond(name))?;
        self.0.insert(name, value);
        Ok(())
    }

    /// Takes one out that is an object, as arguments of their own: no number of it is rounded.
    pub fn take_object(&mut self, name: &str) -> Option<Arguments> {
        match self.0.remove(name)? {
            Val::Map(fields) => Some(Arguments(fields)),
            _ => None,
        }
    }

    /// Takes one out.
    pub fn take(&mut self, name: &str) -> Option<Json> {
        self.0.remove(name).map(|value| untyped(&value))
    }
}

/// Fails if a number cannot be kept.
impl TryFrom<Map<String, Json>> for Arguments {
    type Error = Failure;

    fn try_from(given: Map<String, Json>) -> Result<Arguments, Failure> {
        let mut arguments = Arguments(Fields::with_capacity(given.len()));
        for (name, json) in given {
            arguments.insert(&name, json)?;
        }
        Ok(arguments)
    }
}

/// The value of a JSON text as [`Arguments::read`] reads it; `what` is what the text is called when it is none.
pub fn read_json(text: &[u8], what: &str) -> Result<Json, Failure> {
    exact::read(text, what)
}
