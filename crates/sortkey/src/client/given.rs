//! The arguments of a call, put together by generated code.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::Edit;

/// Arguments by the names under which they travel.
#[derive(Clone, Debug, Default)]
pub struct Given(pub(super) Map<String, Json>);

impl Given {
    /// No arguments.
    pub fn new() -> Given {
        Given::default()
    }

    /// The fields of a record.
    pub fn of(record: &impl Serialize) -> Given {
        match json(record) {
            Json::Object(fields) => Given(fields),
            _ => Given::default(),
        }
    }

    /// With an argument.
    pub fn set(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Given {
        self.0.insert(name.to_owned(), json(value));
        self
    }

    /// With an argument that may be left out.
    pub fn maybe(self, name: &str, value: Option<&(impl Serialize + ?Sized)>) -> Given {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    /// With a change of an attribute.
    pub fn edit<T: Serialize>(self, name: &str, value: &Edit<T>) -> Given {
        if value.is_keep() { self } else { self.set(name, value) }
    }
}

/// A value of a client's types as JSON, which each of them has.
fn json(value: &(impl Serialize + ?Sized)) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}
