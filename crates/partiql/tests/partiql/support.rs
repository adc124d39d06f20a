//! Short ways to write statements and values.

use sortkey_expression::Condition;
use sortkey_partiql::{Statement, parse};
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

/// The statement that a text means, or the error text.
pub(crate) fn bind(text: &str, parameters: &[AttributeValue]) -> Result<Statement, String> {
    let parsed = parse(text).map_err(|error| error.to_string())?;
    parsed.bind(parameters).map_err(|error| error.to_string())
}

/// A statement without parameters.
pub(crate) fn statement(text: &str) -> Statement {
    bind(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The condition of a `SELECT`.
pub(crate) fn condition(text: &str) -> Condition {
    match statement(&format!("SELECT * FROM t WHERE {text}")) {
        Statement::Select(select) => select.condition.unwrap(),
        other => panic!("{other:?}"),
    }
}
