//! Query: all forms of key conditions, on tables and indexes, in both directions, page by page.

use sortkey_api::StringMap;
use sortkey_api::operations::{Query, QueryInput};
use sortkey_api::shapes::legacy::Condition as Test;
use sortkey_testkit::Random;
use sortkey_value::{AttributeType, AttributeValue, Item, Map};

use super::reading::{Wishes, by_key};
use crate::model::condition::{Comparator, Condition, Operand};
use crate::model::legacy;
use crate::model::path::Path;
use crate::model::placeholders::Placeholders;
use crate::model::table::{KeyValue, key_value};
use crate::session::Session;
use crate::shape::{IndexShape, KeyShape};
use crate::values;

pub(super) fn query(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let index = session.any_index(&table);
    let index = index.as_ref();
    let entries = session.table(&table).entries(index);
    let key = index.map_or(&session.table(&table).shape.key, |index| &index.key).clone();
    let condition = key_condition(&mut session.dice, &key, &entries);
    let mut found = ordered_entries(session, &table, index, &condition);
    let forward = *session.dice.pick(&[None, Some(true), Some(false)]);
    if forward == Some(false) {
        found.reverse();
    }
    let wishes = Wishes::random(session, &table, index);
    let expected = wishes.pages(session.table(&table), index, &found);
    let legacy = legacy::tests(&condition).filter(|_| wishes.can_be_legacy() && session.dice.chance(50));
    let mut start = None;
    for expected in expected {
        // A table without a sort key has one item per partition, behind which there is nothing to ask for.
        if start.is_some() && index.is_none() && key.sort.is_empty() {
            break;
        }
        let mut input = match &legacy {
            Some((tests, _)) => legacy_request(&table, index, tests, &wishes, start.take()),
            None => request(&table, index, &condition, &wishes, start.take()),
        };
        input.scan_index_forward = forward;
        let actual = session.ask::<Query>(input);
        start = expected.last_evaluated_key.clone();
        session.check(&actual, &Ok(expected));
    }
}

/// The entries that a key condition selects, in order.
pub(super) fn ordered_entries(
    session: &mut Session,
    table: &str,
    index: Option<&IndexShape>,
    condition: &Condition,
) -> Vec<Map> {
    let model = session.table(table);
    let key = index.map_or(&model.shape.key, |index| &index.key).clone();
    let entries = model.entries(index).into_iter();
    let mut found: Vec<Map> = entries.filter(|entry| condition.holds(Some(entry))).collect();
    found.sort_by_key(|entry| sort_values(&key, entry));
    if found.windows(2).any(|pair| sort_values(&key, &pair[0]) == sort_values(&key, &pair[1])) {
        found = order_of_equals(session, table, index, &key, condition, &found);
    }
    found
}

/// Entries with equal sort keys come in an order that is the engine's own; asks for it.
fn order_of_equals(
    session: &mut Session,
    table: &str,
    index: Option<&IndexShape>,
    key: &KeyShape,
    condition: &Condition,
    expected: &[Map],
) -> Vec<Map> {
    let mut found: Vec<Map> = Vec::new();
    let mut start = None;
    loop {
        let page = session.ask::<Query>(request(table, index, condition, &Wishes::plain(), start));
        let page = page.unwrap_or_else(|error| session.differ(&error, &"a page"));
        found.extend(page.items.unwrap_or_default().iter().map(Item::to_map));
        start = page.last_evaluated_key;
        if start.is_none() {
            break;
        }
    }
    let model = session.table(table);
    session.check_equal(&by_key(model, &found), &by_key(model, expected));
    let sort_keys =
        |entries: &[Map]| -> Vec<_> { entries.iter().map(|entry| sort_values(key, entry)).collect() };
    session.check_equal(&sort_keys(&found), &sort_keys(expected));
    found
}

fn request(
    table: &str,
    index: Option<&IndexShape>,
    condition: &Condition,
    wishes: &Wishes,
    start: Option<Item>,
) -> QueryInput {
    let mut placeholders = Placeholders::default();
    let mut input = QueryInput {
        table_name: table.into(),
        index_name: index.map(|index| index.name.clone()),
        key_condition_expression: Some(condition.text(&mut placeholders)),
        filter_expression: wishes.filter.as_ref().map(|filter| filter.text(&mut placeholders)),
        projection_expression: wishes.projection_text(&mut placeholders),
        select: wishes.select.clone(),
        limit: wishes.limit.map(|limit| limit as i32),
        consistent_read: wishes.consistent,
        exclusive_start_key: start.map(Into::into),
        return_consumed_capacity: wishes.capacity.clone(),
        ..Default::default()
    };
    input.expression_attribute_names = placeholders.names();
    input.expression_attribute_values = placeholders.values();
    input
}

/// A request in the parameters from before expressions.
fn legacy_request(
    table: &str,
    index: Option<&IndexShape>,
    tests: &StringMap<Test>,
    wishes: &Wishes,
    start: Option<Item>,
) -> QueryInput {
    let filter = wishes.filter.as_ref().and_then(legacy::tests);
    QueryInput {
        table_name: table.into(),
        index_name: index.map(|index| index.name.clone()),
        key_conditions: Some(tests.clone()),
        conditional_operator: filter.as_ref().and_then(|(_, operator)| operator.clone()),
        query_filter: filter.map(|(tests, _)| tests),
        attributes_to_get: wishes.paths.as_deref().and_then(legacy::attributes),
        select: wishes.select.clone(),
        limit: wishes.limit.map(|limit| limit as i32),
        consistent_read: wishes.consistent,
        exclusive_start_key: start.map(Into::into),
        return_consumed_capacity: wishes.capacity.clone(),
        ..Default::default()
    }
}

fn sort_values(key: &KeyShape, entry: &Map) -> Vec<KeyValue> {
    key.sort.iter().map(|attribute| key_value(&entry[&attribute.name])).collect()
}

/// Equality on the partition, on some sort attributes, and perhaps a range on the next.
pub(super) fn key_condition(dice: &mut Random, key: &KeyShape, entries: &[Map]) -> Condition {
    let sample = (!entries.is_empty() && dice.chance(85)).then(|| dice.pick(entries).clone());
    let value = |dice: &mut Random, name: &str, kind: AttributeType| match &sample {
        Some(entry) if dice.chance(90) => entry[name].clone(),
        _ => values::key_value(dice, kind),
    };
    let mut terms = Vec::new();
    for attribute in &key.partition {
        let value = value(dice, &attribute.name, attribute.kind);
        terms.push(equality(dice, &attribute.name, value));
    }
    let equal = dice.below(key.sort.len() + 1);
    for attribute in &key.sort[..equal] {
        let value = value(dice, &attribute.name, attribute.kind);
        terms.push(equality(dice, &attribute.name, value));
    }
    if let Some(attribute) = key.sort.get(equal).filter(|_| dice.chance(60)) {
        let value = value(dice, &attribute.name, attribute.kind);
        terms.push(range(dice, &attribute.name, value));
    }
    if terms.len() == 1 { terms.remove(0) } else { Condition::And(terms) }
}

fn equality(dice: &mut Random, name: &str, value: AttributeValue) -> Condition {
    let (path, value) = (Operand::Path(Path::attribute(name)), Operand::Value(value));
    match dice.chance(80) {
        true => Condition::Compare(path, Comparator::Equal, value),
        false => Condition::Compare(value, Comparator::Equal, path),
    }
}

fn range(dice: &mut Random, name: &str, value: AttributeValue) -> Condition {
    let path = Path::attribute(name);
    match dice.below(8) {
        0 | 1 if value.attribute_type() != AttributeType::N => {
            Condition::BeginsWith(path, prefix(dice, value))
        }
        2 | 3 => {
            let other = values::key_value(dice, value.attribute_type());
            match key_value(&other) < key_value(&value) {
                true => Condition::Between(path, other, value),
                false => Condition::Between(path, value, other),
            }
        }
        at => {
            let comparator =
                [Comparator::Less, Comparator::LessOrEqual, Comparator::Greater, Comparator::GreaterOrEqual]
                    [at % 4];
            let (path, value) = (Operand::Path(path), Operand::Value(value));
            match dice.chance(80) {
                true => Condition::Compare(path, comparator, value),
                false => Condition::Compare(value, comparator, path),
            }
        }
    }
}

/// The beginning of a text or of bytes, or all of it; never nothing.
fn prefix(dice: &mut Random, value: AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::S(text) if dice.chance(50) => {
            AttributeValue::S(text.chars().next().map(String::from).unwrap_or(text))
        }
        AttributeValue::B(bytes) if dice.chance(50) => AttributeValue::B(bytes[..1].to_vec()),
        value => value,
    }
}
