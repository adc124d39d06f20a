//! PutItem, UpdateItem, DeleteItem, GetItem.

use sortkey_api::operations::*;
use sortkey_api::shapes::capacity::ItemCollectionMetrics;
use sortkey_api::shapes::legacy::{ConditionalOperator, ExpectedAttributeValue};
use sortkey_api::shapes::returns::{
    ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use sortkey_api::{ErrorKind, StringMap};
use sortkey_value::{Item, Map};

use crate::model::condition::Condition;
use crate::model::cost::{Cost, Units, read_units};
use crate::model::failure::Failure;
use crate::model::legacy;
use crate::model::path::{Path, project};
use crate::model::placeholders::Placeholders;
use crate::model::size;
use crate::model::table::{Change, ITEM_BYTES, Mutation, Refusal, Table, Write};
use crate::model::update;
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

fn put(session: &mut Session, mutation: &Mutation) {
    let mut placeholders = Placeholders::default();
    let returns_old = session.dice.chance(50);
    let condition = Phrase::random(session, mutation.condition.as_ref(), &mut placeholders);
    let mut input = PutItemInput {
        table_name: session.name_or_arn(&mutation.table).into(),
        item: mutation.item.clone().into(),
        condition_expression: condition.expression,
        expected: condition.expected,
        conditional_operator: condition.operator,
        return_values: returns_old.then_some(ReturnValue::AllOld),
        return_consumed_capacity: session.wanted_capacity(),
        return_item_collection_metrics: session.wanted_metrics(),
        return_values_on_condition_check_failure: shows_item(session),
        ..Default::default()
    };
    input.expression_attribute_names = placeholders.names();
    input.expression_attribute_values = placeholders.values();
    let (result, expected) = {
        let table = session.table(&mutation.table);
        let result = table.evaluate(mutation);
        let shows = input.return_values_on_condition_check_failure.is_some();
        let expected =
            result.clone().map_err(|refusal| failure(refusal, shows)).map(|change| PutItemOutput {
                consumed_capacity: Cost::of_write(table, &change).report(
                    input.return_consumed_capacity.as_ref(),
                    &mutation.table,
                    Units::Unnamed,
                ),
                item_collection_metrics: metrics(
                    table,
                    &change,
                    input.return_item_collection_metrics.as_ref(),
                ),
                attributes: change.before.filter(|_| returns_old).as_ref().map(Item::from_map),
            });
        (result, expected)
    };
    let actual = session.ask::<PutItem>(input);
    session.check(&actual, &expected);
    apply(session, mutation, result);
}

fn delete(session: &mut Session, mutation: &Mutation) {
    let mut placeholders = Placeholders::default();
    let returns_old = session.dice.chance(50);
    let condition = Phrase::random(session, mutation.condition.as_ref(), &mut placeholders);
    let mut input = DeleteItemInput {
        table_name: session.name_or_arn(&mutation.table).into(),
        key: mutation.item.clone().into(),
        condition_expression: condition.expression,
        expected: condition.expected,
        conditional_operator: condition.operator,
        return_values: returns_old.then_some(ReturnValue::AllOld),
        return_consumed_capacity: session.wanted_capacity(),
        return_item_collection_metrics: session.wanted_metrics(),
        return_values_on_condition_check_failure: shows_item(session),
        ..Default::default()
    };
    input.expression_attribute_names = placeholders.names();
    input.expression_attribute_values = placeholders.values();
    let (result, expected) = {
        let table = session.table(&mutation.table);
        let result = table.evaluate(mutation);
        let shows = input.return_values_on_condition_check_failure.is_some();
        let expected =
            result.clone().map_err(|refusal| failure(refusal, shows)).map(|change| DeleteItemOutput {
                consumed_capacity: Cost::of_write(table, &change).report(
                    input.return_consumed_capacity.as_ref(),
                    &mutation.table,
                    Units::Unnamed,
                ),
                item_collection_metrics: metrics(
                    table,
                    &change,
                    input.return_item_collection_metrics.as_ref(),
                ),
                attributes: change.before.filter(|_| returns_old).as_ref().map(Item::from_map),
            });
        (result, expected)
    };
    let actual = session.ask::<DeleteItem>(input);
    session.check(&actual, &expected);
    apply(session, mutation, result);
}

fn update(session: &mut Session, mutation: &Mutation) {
    let Write::Update(update) = &mutation.write else { return };
    let mut placeholders = Placeholders::default();
    let images =
        [None, Some("NONE"), Some("ALL_OLD"), Some("ALL_NEW"), Some("UPDATED_OLD"), Some("UPDATED_NEW")];
    let image = *session.dice.pick(&images);
    // Old and new parameters cannot be mixed.
    let updates =
        if mutation.condition.is_none() && session.dice.chance(30) { legacy::updates(update) } else { None };
    let is_legacy = updates.is_some();
    let mut input = UpdateItemInput {
        table_name: session.name_or_arn(&mutation.table).into(),
        key: mutation.item.clone().into(),
        update_expression: (!is_legacy).then(|| update.text(&mut placeholders)),
        attribute_updates: updates,
        condition_expression: mutation.condition.as_ref().map(|condition| condition.text(&mut placeholders)),
        return_values: image.map(ReturnValue::from),
        return_consumed_capacity: session.wanted_capacity(),
        return_item_collection_metrics: session.wanted_metrics(),
        return_values_on_condition_check_failure: shows_item(session),
        ..Default::default()
    };
    input.expression_attribute_names = placeholders.names();
    input.expression_attribute_values = placeholders.values();
    let (result, expected) = {
        let table = session.table(&mutation.table);
        let result = table.evaluate(mutation).and_then(|change| {
            let after = change.after.as_ref().map_or(0, size::of_item);
            let measured = (after + update.overhead()).saturating_sub(size::of_item(&change.key_item));
            let is_too_large = change.after.is_some() && measured > ITEM_BYTES;
            if is_too_large { Err(Refusal::too_large()) } else { Ok(change) }
        });
        let shows = input.return_values_on_condition_check_failure.is_some();
        let failure = |refusal: Refusal| match is_legacy {
            true => in_legacy_words(failure(refusal, shows)),
            false => failure(refusal, shows),
        };
        let expected = result.clone().map_err(failure).map(|change| UpdateItemOutput {
            consumed_capacity: Cost::of_write(table, &change).report(
                input.return_consumed_capacity.as_ref(),
                &mutation.table,
                Units::Unnamed,
            ),
            item_collection_metrics: metrics(table, &change, input.return_item_collection_metrics.as_ref()),
            attributes: shown_image(image, &change, &update.paths()).as_ref().map(Item::from_map),
        });
        (result, expected)
    };
    let actual = session.ask::<UpdateItem>(input);
    session.check(&actual, &expected);
    apply(session, mutation, result);
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
        ..Default::default()
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

/// What a projection, if there is one, leaves of an item.
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

/// `AttributeUpdates` has its own text for an attribute of the wrong type.
fn in_legacy_words(failure: Failure) -> Failure {
    match failure {
        Failure::Invalid(messages) => {
            let reword = |message: String| match message.as_str() {
                update::WRONG_TYPE => "Type mismatch for attribute to update".to_owned(),
                _ => message,
            };
            Failure::Invalid(messages.into_iter().map(reword).collect())
        }
        other => other,
    }
}

/// A condition, in an expression or in the parameters from before.
#[derive(Default)]
struct Phrase {
    expression: Option<String>,
    expected: Option<StringMap<ExpectedAttributeValue>>,
    operator: Option<ConditionalOperator>,
}

impl Phrase {
    fn random(
        session: &mut Session,
        condition: Option<&Condition>,
        placeholders: &mut Placeholders,
    ) -> Phrase {
        let Some(condition) = condition else { return Phrase::default() };
        match legacy::expected(condition).filter(|_| session.dice.chance(50)) {
            Some((expected, operator)) => Phrase { expected: Some(expected), operator, expression: None },
            None => Phrase { expression: Some(condition.text(placeholders)), ..Default::default() },
        }
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
