//! Filters and transforms as people write them, in JSON: places in the text, objects with known fields.

use std::fmt;

use serde_json::{Map, Value};

/// A place in a configuration, as a JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place(String);

impl Place {
    /// The place of a member or an element within this one.
    pub(crate) fn at(&self, name: impl fmt::Display) -> Place {
        let name = name.to_string().replace('~', "~0").replace('/', "~1");
        Place(format!("{}/{name}", self.0))
    }

    /// The pointer. It is empty for the whole configuration.
    pub fn pointer(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() { "at the top" } else { &self.0 })
    }
}

/// The first member that an object has and may not have. Its name is cut, since it is repeated in a message.
pub(crate) fn unknown(object: &Map<String, Value>, known: &[&str]) -> Option<String> {
    let name = object.keys().find(|name| !known.contains(&name.as_str()))?;
    Some(name.chars().take(64).collect())
}

/// Whether a text is a name of a header: the characters of a token in RFC 9110.
pub(crate) fn is_header_name(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=128).contains(&name.len()) && name.bytes().all(token)
}
