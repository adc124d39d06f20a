//! BatchWriteItem and BatchGetItem.

use std::collections::BTreeSet;

use sortkey_api::StringMap;
use sortkey_api::operations::*;
use sortkey_api::shapes::batch::{DeleteRequest, KeysAndAttributes, PutRequest, WriteRequest};
use sortkey_api::shapes::capacity::ItemCollectionMetrics;
use sortkey_value::{Item, Map};

use super::items::{metrics, projection_text, shown};
use crate::model::cost::{Cost, Costs, Units, read_units};
use crate::model::failure::Failure;
use crate::model::placeholders::Placeholders;
use crate::model::size;
use crate::model::table::{Mutation, Refusal, Write, key_of};
use crate::session::Session;
use crate::values;

const DUPLICATES: &str = "Provided list of item keys contains duplicates";

pub(super) fn write(session: &mut Session) {
    let mut writes: Vec<Mutation> = Vec::new();
    let mut request_items: StringMap<Vec<WriteRequest>> = StringMap::new();
    for table in some_tables(session) {
        let count = 1 + session.dice.below(8);
        let of_table: Vec<Mutation> = (0..count).map(|_| random_write(session, &table)).collect();
        let of_table = without_duplicates(session, of_table, |mutation| &mutation.item);
        request_items.insert(table, of_table.iter().map(request).collect());
        writes.extend(of_table);
    }
    let (asked, asked_metrics) = (session.wanted_capacity(), session.wanted_metrics());
    let mut costs = Costs::default();
    let mut collections: StringMap<Vec<ItemCollectionMetrics>> = StringMap::new();
    let mut changes = Vec::new();
    let mut faults = Vec::new();
    for mutation in &writes {
        let table = session.table(&mutation.table);
        match table.evaluate(mutation) {
            Ok(change) => {
                costs.add(&mutation.table, &Cost::of_write(table, &change));
                if let Some(metric) = metrics(table, &change, asked_metrics.as_ref()) {
                    add_metric(&mut collections, &mutation.table, metric);
                }
                changes.push((mutation.table.clone(), change));
            }
            Err(Refusal::Invalid(messages)) => faults.extend(messages),
            Err(Refusal::Condition { .. }) => {}
        }
    }
    if has_duplicates(session, writes.iter().map(|mutation| (mutation.table.as_str(), &mutation.item))) {
        faults.push(DUPLICATES.to_owned());
    }
    let expected = match faults.is_empty() {
        false => Err(Failure::Invalid(faults)),
        true => Ok(BatchWriteItemOutput {
            unprocessed_items: Some(StringMap::new()),
            item_collection_metrics: (!collections.is_empty()).then_some(collections),
            consumed_capacity: costs.report(asked.as_ref(), Units::Unnamed),
        }),
    };
    let actual = session.ask::<BatchWriteItem>(BatchWriteItemInput {
        request_items,
        return_consumed_capacity: asked,
        return_item_collection_metrics: asked_metrics,
    });
    session.check(&actual, &expected);
    if expected.is_ok() {
        for (table, change) in changes {
            session.model.apply(&table, &change, false);
        }
    }
}

/// The size of a collection is reported once.
pub(super) fn add_metric(
    collections: &mut StringMap<Vec<ItemCollectionMetrics>>,
    table: &str,
    metric: ItemCollectionMetrics,
) {
    let mut known = collections.get(table).cloned().unwrap_or_default();
    if !known.contains(&metric) {
        known.push(metric);
    }
    collections.insert(table, known);
}

fn random_write(session: &mut Session, table: &str) -> Mutation {
    let Session { dice, model, weight, .. } = session;
    let shape = &model.tables[table].shape;
    let (item, write) = match dice.chance(70) {
        true => (values::item(dice, shape, model.now_ms, *weight), Write::Put),
        false => (values::key(dice, &shape.key), Write::Delete),
    };
    Mutation { table: table.to_owned(), item, condition: None, write }
}

fn request(mutation: &Mutation) -> WriteRequest {
    let item = mutation.item.clone();
    match mutation.write {
        Write::Put => {
            WriteRequest { put_request: Some(PutRequest { item: item.into() }), delete_request: None }
        }
        _ => WriteRequest { put_request: None, delete_request: Some(DeleteRequest { key: item.into() }) },
    }
}

pub(super) fn get(session: &mut Session) {
    let mut request_items: StringMap<KeysAndAttributes> = StringMap::new();
    let mut responses: StringMap<Vec<Item>> = StringMap::new();
    let mut costs = Costs::default();
    let mut named: Vec<(String, Map)> = Vec::new();
    for table in some_tables(session) {
        let Session { dice, model, .. } = &mut *session;
        let scene = Session::scene(model, &table);
        let keys: Vec<Map> = (0..1 + dice.below(12)).map(|_| values::key(dice, &scene.shape.key)).collect();
        let paths = if dice.chance(30) { scene.projection(dice, |_| true) } else { None };
        let consistent = *dice.pick(&[None, Some(true)]);
        let keys = without_duplicates_in(session, &table, keys);
        let mut placeholders = Placeholders::default();
        let request = KeysAndAttributes {
            keys: keys.iter().cloned().map(Into::into).collect(),
            projection_expression: paths.as_deref().map(|paths| projection_text(paths, &mut placeholders)),
            expression_attribute_names: placeholders.names(),
            consistent_read: consistent,
            ..Default::default()
        };
        request_items.insert(table.clone(), request);
        let found: Vec<Option<&Map>> = keys.iter().map(|key| session.table(&table).get(key)).collect();
        for item in &found {
            let units = read_units(item.map_or(0, size::of_item), consistent == Some(true));
            costs.add(&table, &Cost::on_table(units));
        }
        let items = found.into_iter().flatten();
        let items = items.map(|item| Item::from_map(&shown(item, paths.as_deref()))).collect();
        responses.insert(table.clone(), items);
        named.extend(keys.into_iter().map(|key| (table.clone(), key)));
    }
    let asked = session.wanted_capacity();
    let expected = match has_duplicates(session, named.iter().map(|(table, key)| (table.as_str(), key))) {
        true => Err(Failure::Invalid(vec![DUPLICATES.to_owned()])),
        false => Ok(BatchGetItemOutput {
            responses: Some(responses),
            unprocessed_keys: Some(StringMap::new()),
            consumed_capacity: costs.report(asked.as_ref(), Units::Unnamed),
        }),
    };
    let actual =
        session.ask::<BatchGetItem>(BatchGetItemInput { request_items, return_consumed_capacity: asked });
    session.check(&actual, &expected);
}

fn some_tables(session: &mut Session) -> Vec<String> {
    let names: Vec<String> = session.model.tables.keys().cloned().collect();
    let count = 1 + session.dice.below(2);
    session.dice.some(&names, count)
}

/// Lets through one thing per key, except now and then.
fn without_duplicates(
    session: &mut Session,
    all: Vec<Mutation>,
    item: fn(&Mutation) -> &Map,
) -> Vec<Mutation> {
    if session.dice.chance(3) {
        return all;
    }
    let mut seen = BTreeSet::new();
    let key = |mutation: &Mutation| key_of(&session.table(&mutation.table).shape.key, item(mutation));
    all.into_iter().filter(|mutation| seen.insert(key(mutation))).collect()
}

fn without_duplicates_in(session: &mut Session, table: &str, keys: Vec<Map>) -> Vec<Map> {
    if session.dice.chance(3) {
        return keys;
    }
    let mut seen = BTreeSet::new();
    let shape = &session.table(table).shape;
    keys.into_iter().filter(|key| seen.insert(key_of(&shape.key, key))).collect()
}

pub(super) fn has_duplicates<'m>(session: &Session, items: impl Iterator<Item = (&'m str, &'m Map)>) -> bool {
    let mut seen = BTreeSet::new();
    items
        .into_iter()
        .any(|(table, item)| !seen.insert((table, key_of(&session.table(table).shape.key, item))))
}
