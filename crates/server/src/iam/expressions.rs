//! The attribute names and partition keys that expressions and items concern. A text that cannot be parsed concerns
//! everything, so that it never satisfies a policy.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sortkey_api::SuppliedItem;
use sortkey_expression::{
    Comparator, Condition, ExpressionKind, Operand, Path, Placeholders, parse_condition, parse_projection,
    parse_update,
};
use sortkey_value::{AttributeValue, Item, ValueRef};

use super::context::Concerned;

/// The expressions of a request with their placeholders.
#[derive(Clone, Copy, Default)]
pub(super) struct Expressions<'a> {
    pub(super) names: Option<&'a BTreeMap<String, String>>,
    pub(super) values: Option<&'a SuppliedItem>,
    pub(super) condition: Option<&'a str>,
    pub(super) filter: Option<&'a str>,
    pub(super) key_condition: Option<&'a str>,
    pub(super) projection: Option<&'a str>,
    pub(super) update: Option<&'a str>,
}

impl Expressions<'_> {
    /// The attributes that all expressions name.
    pub(super) fn attributes(&self) -> Concerned {
        let read = || -> Option<Vec<String>> {
            let mut names = Vec::new();
            let conditions = [
                (self.condition, ExpressionKind::Condition),
                (self.filter, ExpressionKind::Filter),
                (self.key_condition, ExpressionKind::KeyCondition),
            ];
            for (text, kind) in conditions {
                if let Some(text) = text {
                    add(&self.bound(text, kind)?.paths(), &mut names);
                }
            }
            if let Some(text) = self.projection {
                let projection = parse_projection(text).ok()?.bind(&mut self.placeholders()?).ok()?;
                add(&projection.paths().iter().collect::<Vec<_>>(), &mut names);
            }
            if let Some(text) = self.update {
                let update = parse_update(text).ok()?.bind(&mut self.placeholders()?).ok()?;
                add(&update.paths(), &mut names);
            }
            Some(names)
        };
        read().map_or(Concerned::Everything, Concerned::These)
    }

    /// The partition keys that a key condition fixes.
    pub(super) fn leading_keys(&self, partition: &str) -> Concerned {
        let bound = self.key_condition.and_then(|text| self.bound(text, ExpressionKind::KeyCondition));
        bound.map_or(Concerned::Everything, |condition| fixed(&condition, partition))
    }

    fn bound(&self, text: &str, kind: ExpressionKind) -> Option<Condition> {
        parse_condition(text, kind).ok()?.bind(kind, &mut self.placeholders()?).ok()
    }

    fn placeholders(&self) -> Option<Placeholders<'_>> {
        Placeholders::new(self.names, self.values.map(SuppliedItem::unchecked)).ok()
    }
}

/// The values that a condition fixes for an attribute; everything if it leaves it open.
pub(super) fn fixed(condition: &Condition, attribute: &str) -> Concerned {
    values(condition, attribute).map_or(Concerned::Everything, Concerned::These)
}

fn values(condition: &Condition, attribute: &str) -> Option<Vec<String>> {
    let is_it = |operand: &Operand| matches!(operand, Operand::Path(path) if path.attribute_name() == attribute && !path.is_nested());
    let constant = |operand: &Operand| match operand {
        Operand::Constant(constant) => text(constant.value()),
        _ => None,
    };
    match condition {
        Condition::Compare { operator: Comparator::Equal, left, right } if is_it(left) => {
            Some(vec![constant(right)?])
        }
        Condition::Compare { operator: Comparator::Equal, left, right } if is_it(right) => {
            Some(vec![constant(left)?])
        }
        Condition::In { operand, members } if is_it(operand) => members.iter().map(constant).collect(),
        Condition::And(terms) => terms.iter().find_map(|term| values(term, attribute)),
        Condition::Or(terms) => {
            let all: Option<Vec<Vec<String>>> = terms.iter().map(|term| values(term, attribute)).collect();
            all.map(|all| all.concat())
        }
        _ => None,
    }
}

/// The partition key of an item or a key; everything if it has none.
pub(super) fn leading_key(item: &Item, partition: Option<&str>) -> Concerned {
    let value = partition.and_then(|name| item.get(name)).and_then(text);
    value.map_or(Concerned::Everything, |value| Concerned::These(vec![value]))
}

/// A key as policies spell it.
fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::S(text) => Some(text.to_owned()),
        ValueRef::N(number) => Some(number.to_string()),
        ValueRef::B(bytes) => Some(STANDARD.encode(bytes)),
        _ => None,
    }
}

/// Like [`text`], for an owned value.
pub(super) fn text_of(value: &AttributeValue) -> Option<String> {
    match value {
        AttributeValue::S(text) => Some(text.clone()),
        AttributeValue::N(number) => Some(number.to_string()),
        AttributeValue::B(bytes) => Some(STANDARD.encode(bytes)),
        _ => None,
    }
}

/// The names of an item's attributes.
pub(super) fn names(item: &Item) -> Concerned {
    Concerned::These(item.iter().map(|(name, _)| name.to_owned()).collect())
}

/// The attributes of paths, without what is inside them.
pub(super) fn add(paths: &[&Path], names: &mut Vec<String>) {
    for path in paths {
        if !names.iter().any(|name| name == path.attribute_name()) {
            names.push(path.attribute_name().to_owned());
        }
    }
}
