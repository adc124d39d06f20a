//! Reports two items with one value, in the design's words.

use sortkey_design::NOT_UNIQUE;
use sortkey_diagnostics::Diagnostic;
use sortkey_value::{AttributeValue, Map};

use super::clause::Clause;

/// Two live items of an entity with one unique value.
pub(super) struct Duplicate<'a> {
    pub(super) clause: &'a Clause<'a>,
    pub(super) keys: [Map; 2],
}

impl Duplicate<'_> {
    /// A diagnostic with the clause, the items and the way out.
    /// The value itself may be secret and is not shown.
    pub(super) fn explained(&self) -> Diagnostic {
        let (clause, [one, other]) = (self.clause, &self.keys);
        let names: Vec<&str> = clause.unique.names.iter().map(|name| name.text.as_str()).collect();
        let title = format!("two items of {} have the same {}", clause.info.name, names.join(" and "));
        NOT_UNIQUE
            .at(clause.unique.span, title)
            .label("only one may have it from now on")
            .note(format!("One is ({}), the other ({}).", written(one), written(other)))
            .note("Change or delete one of them under the design as it was, then start again. No item was changed.")
    }
}

/// A key as a person reads it: `userId "ada", at 17`.
fn written(key: &Map) -> String {
    let value = |value: &AttributeValue| match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.to_string(),
        AttributeValue::B(bytes) => format!("bytes {}", sortkey_core::internals::hex(bytes)),
        other => format!("{other:?}"),
    };
    let parts: Vec<String> = key.iter().map(|(name, part)| format!("{name} {}", value(part))).collect();
    parts.join(", ")
}
