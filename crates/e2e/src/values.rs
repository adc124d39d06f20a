//! Short words for attribute values.

use std::collections::HashMap;
use std::fmt::Display;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

/// An item, or the key of one.
pub type Item = HashMap<String, AttributeValue>;

/// An item of these attributes.
pub fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A string.
pub fn s(text: impl Display) -> AttributeValue {
    AttributeValue::S(text.to_string())
}

/// A number.
pub fn n(number: impl Display) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// A binary value.
pub fn b(bytes: &[u8]) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}
