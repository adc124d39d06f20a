//! Statements that concern one item.

use sortkey_expression::{Comparator, Condition, Constant, Operand};
use sortkey_value::Item;

use super::KeySchema;
use crate::error::PartiqlError;

/// An item by its key, and what else is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemTarget {
    /// The attributes of the key.
    pub key: Item,
    /// Further conditions.
    pub condition: Option<Condition>,
}

/// The item that an `UPDATE` or `DELETE` means.
pub fn plan_write(condition: Option<&Condition>, key: KeySchema<'_>) -> Result<ItemTarget, PartiqlError> {
    let mut terms = Vec::new();
    flatten(condition, &mut terms);
    let names = [key.partition.0].into_iter().chain(key.sort.map(|(name, _)| name));
    for name in names {
        let mut values = terms.iter().filter_map(|term| equality(term, name, false));
        let first = values.next().ok_or(PartiqlError::IncompleteKey)?;
        if values.any(|other| other != first) {
            return Err(PartiqlError::SeveralKeyValues(name.to_owned()));
        }
    }
    target(terms, key, false).ok_or(PartiqlError::IncompleteKey)
}

/// The item that a `SELECT` of a batch or a transaction means, if it names one. With `in_counts`, `IN` with one
/// member counts as equality.
pub fn plan_item_read(
    condition: Option<&Condition>,
    key: KeySchema<'_>,
    in_counts: bool,
) -> Option<ItemTarget> {
    let mut terms = Vec::new();
    flatten(condition, &mut terms);
    target(terms, key, in_counts)
}

/// Takes the first equality of each key attribute for the key, drops its repetitions, and keeps the rest as a
/// condition.
fn target(terms: Vec<&Condition>, key: KeySchema<'_>, in_counts: bool) -> Option<ItemTarget> {
    let mut attributes = Item::builder();
    let mut rest = terms;
    for name in [Some(key.partition.0), key.sort.map(|(name, _)| name)].into_iter().flatten() {
        let value = rest.iter().find_map(|term| equality(term, name, in_counts))?.clone();
        rest.retain(|term| equality(term, name, in_counts) != Some(&value));
        attributes.name(name);
        attributes.value(value.value());
    }
    let mut rest: Vec<Condition> = rest.into_iter().cloned().collect();
    let condition = match rest.len() {
        0 | 1 => rest.pop(),
        _ => Some(Condition::And(rest)),
    };
    Some(ItemTarget { key: attributes.finish(), condition })
}

/// The terms of a conjunction, however it is grouped.
fn flatten<'c>(condition: Option<&'c Condition>, terms: &mut Vec<&'c Condition>) {
    match condition {
        Some(Condition::And(inner)) => inner.iter().for_each(|term| flatten(Some(term), terms)),
        Some(term) => terms.push(term),
        None => {}
    }
}

/// The value that a term requires an attribute to have.
fn equality<'c>(term: &'c Condition, name: &str, in_counts: bool) -> Option<&'c Constant> {
    let is_attribute = |operand: &Operand| matches!(operand, Operand::Path(path) if !path.is_nested() && path.attribute_name() == name);
    match term {
        Condition::Compare { operator: Comparator::Equal, left, right: Operand::Constant(value) }
            if is_attribute(left) =>
        {
            Some(value)
        }
        Condition::Compare { operator: Comparator::Equal, left: Operand::Constant(value), right }
            if is_attribute(right) =>
        {
            Some(value)
        }
        Condition::In { operand, members } if in_counts && is_attribute(operand) => match &members[..] {
            [Operand::Constant(value)] => Some(value),
            _ => None,
        },
        _ => None,
    }
}
