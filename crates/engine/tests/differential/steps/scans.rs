//! Scan: whole tables and indexes, segments, page by page.
//!
//! The order of partitions is the engine's own. A plain scan shows it; everything else must agree with it.

use sortkey_api::operations::{Scan, ScanInput};
use sortkey_value::{Item, Map};

use super::reading::{Wishes, as_query, by_key};
use crate::model::legacy;
use crate::model::placeholders::Placeholders;
use crate::model::table::{Key, KeyValue, key_value};
use crate::session::Session;
use crate::shape::IndexShape;

pub(super) fn scan(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let index = session.any_index(&table);
    let ordered = check(session, &table, index.as_ref());
    compare(session, &table, index.as_ref(), None, &ordered);
}

/// Segments cut the order into pieces.
pub(super) fn scan_segments(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let index = session.any_index(&table);
    let ordered = check(session, &table, index.as_ref());
    let total = 2 + session.dice.below(4);
    let segments: Vec<Vec<Map>> =
        (0..total).map(|segment| all(session, &table, index.as_ref(), Some((segment, total)))).collect();
    session.check_equal(&segments.concat(), &ordered);
    let segment = session.dice.below(segments.len());
    compare(session, &table, index.as_ref(), Some((segment as i32, total)), &segments[segment]);
}

/// Scans everything, checks that it is what the model contains, and gives the order.
pub(super) fn check(session: &mut Session, table: &str, index: Option<&IndexShape>) -> Vec<Map> {
    let found = all(session, table, index, None);
    let model = session.table(table);
    session.check_equal(&by_key(model, &found), &by_key(model, &model.entries(index)));
    let key = index.map_or(&model.shape.key, |index| &index.key);
    let values = |entry: &Map, names: &[crate::shape::KeyAttribute]| -> Key {
        names.iter().map(|attribute| key_value(&entry[&attribute.name])).collect::<Vec<KeyValue>>()
    };
    let mut ended: Vec<Key> = Vec::new();
    for pair in found.windows(2) {
        let (one, two) = (values(&pair[0], &key.partition), values(&pair[1], &key.partition));
        if one == two {
            let in_order = values(&pair[0], &key.sort) <= values(&pair[1], &key.sort);
            session.check_equal(&(in_order, pair), &(true, pair));
        } else {
            // A partition comes in one piece.
            session.check_equal(&(ended.contains(&two), pair), &(false, pair));
            ended.push(one);
        }
    }
    found
}

/// A scan with random options.
fn compare(
    session: &mut Session,
    table: &str,
    index: Option<&IndexShape>,
    segment: Option<(i32, i32)>,
    ordered: &[Map],
) {
    let wishes = Wishes::random(session, table, index);
    let expected = wishes.pages(session.table(table), index, ordered);
    let is_legacy = wishes.can_be_legacy() && session.dice.chance(50);
    let mut start = None;
    for expected in expected {
        let mut input = request(table, index, segment, &wishes, start);
        if is_legacy {
            rephrase(&mut input, &wishes);
        }
        let actual = session.ask::<Scan>(input).map(as_query);
        start = expected.last_evaluated_key.clone();
        session.check(&actual, &Ok(expected));
    }
}

/// Says the same in the parameters from before expressions.
fn rephrase(input: &mut ScanInput, wishes: &Wishes) {
    let filter = wishes.filter.as_ref().and_then(legacy::tests);
    input.conditional_operator = filter.as_ref().and_then(|(_, operator)| operator.clone());
    input.scan_filter = filter.map(|(tests, _)| tests);
    input.attributes_to_get = wishes.paths.as_deref().and_then(legacy::attributes);
    input.filter_expression = None;
    input.projection_expression = None;
    input.expression_attribute_names = None;
    input.expression_attribute_values = None;
}

fn all(
    session: &mut Session,
    table: &str,
    index: Option<&IndexShape>,
    segment: Option<(i32, i32)>,
) -> Vec<Map> {
    let mut found = Vec::new();
    let mut start = None;
    loop {
        let page = session.ask::<Scan>(request(table, index, segment, &Wishes::plain(), start));
        let page = page.unwrap_or_else(|error| session.differ(&error, &"a page"));
        found.extend(page.items.unwrap_or_default().iter().map(Item::to_map));
        start = page.last_evaluated_key;
        if start.is_none() {
            return found;
        }
    }
}

fn request(
    table: &str,
    index: Option<&IndexShape>,
    segment: Option<(i32, i32)>,
    wishes: &Wishes,
    start: Option<Item>,
) -> ScanInput {
    let mut placeholders = Placeholders::default();
    let mut input = ScanInput {
        table_name: table.into(),
        index_name: index.map(|index| index.name.clone()),
        segment: segment.map(|(segment, _)| segment),
        total_segments: segment.map(|(_, total)| total),
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
