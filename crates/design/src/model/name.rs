//! A name and the place where it is written.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sortkey_diagnostics::Span;
use std::borrow::Cow;

/// A name as written. In JSON it is just its text.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// The text, backticks taken off.
    pub text: String,
    /// Its place in the text.
    pub span: Span,
}

impl Name {
    /// A name at a place.
    pub fn new(text: impl Into<String>, span: Span) -> Name {
        Name { text: text.into(), span }
    }

    /// Whether it is that text.
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// Two names are equal if their texts are; their places do not matter.
impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        Ok(Name { text: String::deserialize(deserializer)?, span: Span::default() })
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
