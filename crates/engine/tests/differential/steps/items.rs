//! PutItem, UpdateItem, DeleteItem, GetItem.

use sortkey_api::ErrorKind;
use sortkey_api::operations::*;
use sortkey_api::shapes::capacity::{ConsumedCapacity, ItemCollectionMetrics};
use sortkey_api::shapes::returns::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use sortkey_value::{Item, Map};

use super::wording::{Phrase, in_legacy_words};
use crate::model::cost::{Cost, Units, read_units};
use crate::model::failure::Failure;
use crate::model::legacy;
use crate::model::path::{Path, project};
use crate::model::placeholders::Placeholders;
use crate::model::size;
use crate::model::table::{Change, ITEM_BYTES, Mutation, Refusal, Table, Write};
use crate::model::update::Update;
use crate::session::Session;
use crate::values;

/// A random write of one item.
pub(super) fn random_mutation(session: &mut Session, table: &str) -> Mutation {
    let Session { dice, model, weight, .. } = session;
    let scene = Session::scene(model, table);
    let key = values::key(dice, &scene.shape.key);
    let (item, write) = match dice.below(10) {
        0..5 => (values::item(dice, scene.shape, model.now_ms, *weight), Write::Put),
        5..8 => (key, Write::Update(scene.update(dice))),
        _ => (key, Write::Delete),
    };
    let condition = dice.chance(30).then(|| scene.condition(dice));
    Mutation { table: table.to_owned(), item, condition, write }
}

/// One of the three single writes.
pub(super) fn write(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let mutation = random_mutation(session, &table);
    match &mutation.write {
        Write::Put => put(session, &mutation),
        Write::Update(_) => update(session, &mutation),
        Write::Delete | Write::Check => delete(session, &mutation),
    }
}

/// The details that a write is asked to return.
struct Wants {
    capacity: Option<ReturnConsumedCapacity>,
    metrics: Option<ReturnItemCollectionMetrics>,
    on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// The details that can be returned about a write.
struct Told {
    change: Change,
    capacity: Option<ConsumedCapacity>,
    metrics: Option<ItemCollectionMetrics>,
}

impl Wants {
    fn random(session: &mut Session) -> Wants {
        Wants {
            capacity: session.wanted_capacity(),
            metrics: session.wanted_metrics(),
            on_failure: shows_item(session),
        }
    }

    /// The model's result of a write.
    fn tell(&self, table: &Table, result: Result<Change, Refusal>) -> Result<Told, Failure> {
        let change = result.map_err(|refusal| failure(refusal, self.on_failure.is_some()))?;
        let cost = Cost::of_write(table, &change);
        Ok(Told {
            capacity: cost.report(self.capacity.as_ref(), &table.shape.name, Units::Unnamed),
            metrics: metrics(table, &change, self.metrics.as_ref()),
            change,
        })
    }
}

fn put(session: &mut Session, mutation: &Mutation) {
    let wants = Wants::random(session);
    let returns_old = session.dice.chance(50);
    let mut placeholders = Placeholders::default();
    let condition = Phrase::random(session, mutation.condition.as_ref(), &mut placeholders);
    let table = session.table(&mutation.table);
    let result = table.evaluate(mutation);
    let expected = wants.tell(table, result.clone()).map(|told| PutItemOutput {
        attributes: told.change.before.filter(|_| returns_old).as_ref().map(Item::from_map),
        consumed_capacity: told.capacity,
        item_collection_metrics: told.metrics,
    });
    let input = PutItemInput {
        table_name: session.name_or_arn(&mutation.table).into(),
        item: mutation.item.clone().into(),
        condition_expression: condition.expression,
        expected: condition.expected,
        conditional_operator: condition.operator,
        expression_attribute_names: placeholders.names(),
        expression_attribute_values: placeholders.values(),
        return_values: returns_old.then_some(ReturnValue::AllOld),
        return_consumed_capacity: wants.capacity,
        return_item_collection_metrics: wants.metrics,
        return_values_on_condition_check_failure: wants.on_failure,
    };
    let actual = session.ask::<PutItem>(input);
    session.check(&actual, &expected);
    apply(session, mutation, result);
}

fn delete(session: &mut Session, mutation: &Mutation) {
    let wants = Wants::random(session);
    let returns_old = session.dice.chance(50);
    let mut placeholders = Placeholders::default();
    let condition = Phrase::random(session, mutation.condition.as_ref(), &mut placeholders);
    let table = session.table(&mutation.table);
    let result = table.evaluate(mutation);
    let expected = wants.tell(table, result.clone()).map(|told| DeleteItemOutput {
        attributes: told.change.before.filter(|_| returns_old).as_ref().map(Item::from_map),
        consumed_capacity: told.capacity,
        item_collection_metrics: told.metrics,
    });
    let input = DeleteItemInput {
        table_name: session.name_or_arn(&mutation.table).into(),
        key: mutation.item.clone().into(),
        condition_expression: condition.expression,
        expected: condition.expected,
        conditional_operator: condition.operator,
        expression_attribute_names: placeholders.names(),
        expression_attribute_values: placeholders.values(),
        return_values: returns_old.then_some(ReturnValue::AllOld),
        return_consumed_capacity: wants.capacity,
        return_item_collection_metrics: wants.metrics,
        return_values_on_condition_check_failure: wants.on_failure,
    };
    let actual = session.ask::<DeleteItem>(input);
    session.check(&actual, &expected);
    apply(session, mutation, result);
}

fn update(session: &mut Session, mutation: &Mutation) {
    let Write::Update(update) = &mutation.write else { return };
    let wants = Wants::random(session);
    let images =
        [None, Some("NONE"), Some("ALL_OLD"), Some("ALL_NEW"), Some("UPDATED_OLD"), Some("UPDATED_NEW")];
    let image = *session.dice.pick(&images);
    // Old and new parameters cannot be mixed.
    let updates =
        if mutation.condition.is_none() && session.dice.chance(30) { legacy::updates(update) } else { None };
    let table = session.table(&mutation.table);
    let result = table.evaluate(mutation).and_then(|change| measured(update, change));
    let expected = wants.tell(table, result.clone()).map(|told| UpdateItemOutput {
        attributes: shown_image(image, &told.change, &update.paths()).as_ref().map(Item::from_map),
        consumed_capacity: told.capacity,
        item_collection_metrics: told.metrics,
    });
    let expected =
        expected.map_err(|failure| if updates.is_some() { in_legacy_words(failure) } else { failure });
    let mut placeholders = Placeholders::default();
    let mut input = UpdateItemInput {
        table_name: session.name_or_arn(&mutation.table).into(),
        key: mutation.item.clone().into(),
        update_expression: updates.is_none().then(|| update.text(&mut placeholders)),
        attribute_updates: updates,
        condition_expression: mutation.condition.as_ref().map(|condition| condition.text(&mut placeholders)),
        return_values: image.map(ReturnValue::from),
        return_consumed_capacity: wants.capacity,
        return_item_collection_metrics: wants.metrics,
        return_values_on_condition_check_failure: wants.on_failure,
        ..Default::default()
    };
    input.expression_attribute_names = placeholders.names();
    input.expression_attribute_values = placeholders.values();
    let actual = session.ask::<UpdateItem>(input);
    session.check(&actual, &expected);
    apply(session, mutation, result);
}

/// UpdateItem measures an item by more than its attributes.
fn measured(update: &Update, change: Change) -> Result<Change, Refusal> {
    let Some(after) = &change.after else { return Ok(change) };
    let bytes = (size::of_item(after) + update.overhead()).saturating_sub(size::of_item(&change.key_item));
    if bytes > ITEM_BYTES { Err(Refusal::too_large()) } else { Ok(change) }
}

pub(super) fn shown_image(image: Option<&str>, change: &Change, paths: &[Path]) -> Option<Map> {
    let shown = match image? {
        "ALL_OLD" => change.before.clone(),
        "ALL_NEW" => change.after.clone(),
        "UPDATED_OLD" => change.before.as_ref().map(|item| project(item, paths)),
        "UPDATED_NEW" => change.after.as_ref().map(|item| project(item, paths)),
        _ => None,
    };
    shown.filter(|image| !image.is_empty())
}

pub(super) fn get(session: &mut Session) {
    let Some(table) = session.any_table() else { return };
    let Session { dice, model, .. } = session;
    let scene = Session::scene(model, &table);
    let key = values::key(dice, &scene.shape.key);
    let paths = if dice.chance(40) { scene.projection(dice, |_| true) } else { None };
    let consistent = *dice.pick(&[None, Some(false), Some(true)]);
    let is_missing = dice.chance(2);
    let names = paths.as_deref().and_then(legacy::attributes).filter(|_| session.dice.chance(50));
    let mut placeholders = Placeholders::default();
    let input = GetItemInput {
        table_name: if is_missing { "missing".into() } else { session.name_or_arn(&table).into() },
        key: key.clone().into(),
        projection_expression: match names {
            Some(_) => None,
            None => paths.as_deref().map(|paths| projection_text(paths, &mut placeholders)),
        },
        attributes_to_get: names,
        expression_attribute_names: placeholders.names(),
        consistent_read: consistent,
        return_consumed_capacity: session.wanted_capacity(),
    };
    let found = session.table(&table).get(&key);
    let units = read_units(found.map_or(0, size::of_item), consistent == Some(true));
    let expected = if is_missing {
        Err(Failure::Kind(ErrorKind::ResourceNotFoundException))
    } else {
        Ok(GetItemOutput {
            item: found.map(|item| Item::from_map(&shown(item, paths.as_deref()))),
            consumed_capacity: Cost::on_table(units).report(
                input.return_consumed_capacity.as_ref(),
                &table,
                Units::Unnamed,
            ),
        })
    };
    let actual = session.ask::<GetItem>(input);
    session.check(&actual, &expected);
}

/// The part of an item that a projection, if there is one, keeps.
pub(super) fn shown(item: &Map, paths: Option<&[Path]>) -> Map {
    paths.map_or_else(|| item.clone(), |paths| project(item, paths))
}

pub(super) fn projection_text(paths: &[Path], placeholders: &mut Placeholders) -> String {
    paths.iter().map(|path| path.text(placeholders)).collect::<Vec<_>>().join(", ")
}

pub(super) fn shows_item(session: &mut Session) -> Option<ReturnValuesOnConditionCheckFailure> {
    session.dice.chance(40).then_some(ReturnValuesOnConditionCheckFailure::AllOld)
}

pub(super) fn failure(refusal: Refusal, shows: bool) -> Failure {
    match refusal {
        Refusal::Condition { found } => Failure::Condition(found.filter(|_| shows)),
        Refusal::Invalid(messages) => Failure::Invalid(messages),
    }
}

fn apply(session: &mut Session, mutation: &Mutation, result: Result<Change, Refusal>) {
    if let Ok(change) = result {
        session.model.apply(&mutation.table, &change, false);
    }
}

/// Only tables with local indexes have item collections.
pub(super) fn metrics(
    table: &Table,
    change: &Change,
    asked: Option<&ReturnItemCollectionMetrics>,
) -> Option<ItemCollectionMetrics> {
    asked?;
    table.shape.locals().next()?;
    let partition = &table.shape.key.partition[0].name;
    let key = Item::from([(partition.clone(), change.key_item[partition].clone())]);
    Some(ItemCollectionMetrics {
        item_collection_key: Some(key),
        size_estimate_range_gb: Some(vec![0.0, 1.0]),
    })
}
