//! Short ways to write requests.

use std::collections::BTreeMap;

use sortkey_expression::{Condition, ExpressionKind, Placeholders, parse_condition};
use sortkey_value::{AttributeValue, Item, Map, Number};

/// A number.
pub(crate) fn number(text: &str) -> AttributeValue {
    AttributeValue::N(Number::parse(text).unwrap())
}

/// A list.
pub(crate) fn list<const LEN: usize>(members: [AttributeValue; LEN]) -> AttributeValue {
    AttributeValue::L(members.into())
}

/// A map.
pub(crate) fn map<const LEN: usize>(members: [(&str, AttributeValue); LEN]) -> AttributeValue {
    AttributeValue::M(entries(members))
}

/// An item.
pub(crate) fn item<const LEN: usize>(attributes: [(&str, AttributeValue); LEN]) -> Item {
    entries(attributes).into()
}

fn entries<const LEN: usize>(entries: [(&str, AttributeValue); LEN]) -> Map {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// One value of each type.
pub(crate) fn every_type() -> Vec<AttributeValue> {
    vec![
        "text".into(),
        number("1"),
        vec![1u8, 2].into(),
        true.into(),
        AttributeValue::Null,
        list([]),
        map([]),
        AttributeValue::string_set(["a"]),
        AttributeValue::number_set([1]),
        AttributeValue::binary_set([vec![1u8]]),
    ]
}

/// The names and values of a request.
#[derive(Default)]
pub(crate) struct Request {
    pub(crate) names: Option<BTreeMap<String, String>>,
    pub(crate) values: Option<Item>,
}

impl Request {
    pub(crate) fn new() -> Request {
        Request::default()
    }

    pub(crate) fn names(mut self, names: &[(&str, &str)]) -> Request {
        let pairs = names.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned()));
        self.names = Some(pairs.collect());
        self
    }

    pub(crate) fn values<const LEN: usize>(mut self, values: [(&str, AttributeValue); LEN]) -> Request {
        self.values = Some(item(values));
        self
    }

    pub(crate) fn placeholders(&self) -> Placeholders<'_> {
        Placeholders::new(self.names.as_ref(), self.values.as_ref()).unwrap()
    }

    /// The condition that a text means in this request, or the error text.
    pub(crate) fn condition(&self, text: &str) -> Result<Condition, String> {
        let parsed = parse_condition(text, ExpressionKind::Filter).map_err(|error| error.to_string())?;
        parsed.bind(ExpressionKind::Filter, &mut self.placeholders()).map_err(|error| error.to_string())
    }
}
