//! TransactWriteItems and TransactGetItems.

use sortkey_api::operations::*;
use sortkey_api::shapes::capacity::ItemCollectionMetrics;
use sortkey_api::shapes::transaction::{
    ConditionCheck, Delete, Get, ItemResponse, Put, TransactGetItem, TransactWriteItem, Update,
};
use sortkey_api::{ErrorKind, StringMap};
use sortkey_value::{Item, Map};

use super::batches::{add_metric, has_duplicates};
use super::items::{metrics, projection_text, random_mutation, shown, shows_item};
use crate::model::cost::{Cost, Costs, Units, read_units};
use crate::model::failure::{Failure, Reason};
use crate::model::placeholders::Placeholders;
use crate::model::size;
use crate::model::table::{Change, Mutation, Refusal, Write};
use crate::session::Session;
use crate::shape::KeyShape;
use crate::subject::json;
use crate::values;

const TOKEN_LIFE_MS: u64 = 10 * 60 * 1000;
const DUPLICATES: &str = "Transaction request cannot include multiple operations on one item";

/// A request that may be sent again.
#[derive(Clone)]
pub(crate) struct Transaction {
    token: Option<String>,
    /// Each with whether a failed condition shows the item.
    parts: Vec<(Mutation, bool)>,
}

pub(super) fn write(session: &mut Session) {
    let mut parts: Vec<(Mutation, bool)> = Vec::new();
    let allows_duplicates = session.dice.chance(3);
    for _ in 0..1 + session.dice.below(6) {
        let Some(table) = session.any_table() else { return };
        let mut mutation = random_mutation(session, &table);
        if matches!(mutation.write, Write::Delete) && mutation.condition.is_some() && session.dice.chance(60)
        {
            mutation.write = Write::Check;
        }
        let so_far = parts.iter().map(|(mutation, _)| (mutation.table.as_str(), &mutation.item));
        if !has_duplicates(session, so_far.chain([(table.as_str(), &mutation.item)])) || allows_duplicates {
            let shows = shows_item(session).is_some();
            parts.push((mutation, shows));
        }
    }
    let token = match session.dice.below(10) {
        0 | 1 => Some(format!("token-{}", session.requests)),
        // Most likely another request's.
        2 => session.past.first().and_then(|past| past.token.clone()),
        _ => None,
    };
    run(session, Transaction { token, parts });
}

/// Sends a transaction again that had a token.
pub(super) fn replay(session: &mut Session) {
    let all_there = |past: &Transaction| {
        past.parts.iter().all(|(mutation, _)| {
            let table = session.model.tables.get(&mutation.table);
            let suits = |key: &KeyShape| {
                let is_whole = matches!(mutation.write, Write::Put);
                key.places(&mutation.item) && (is_whole || key.of(&mutation.item) == mutation.item)
            };
            table.is_some_and(|table| suits(&table.shape.key))
        })
    };
    let past: Vec<Transaction> = session.past.iter().filter(|past| all_there(past)).cloned().collect();
    if !past.is_empty() {
        let transaction = session.dice.pick(&past).clone();
        run(session, transaction);
    }
}

fn run(session: &mut Session, transaction: Transaction) {
    let (asked, asked_metrics) = (session.wanted_capacity(), session.wanted_metrics());
    let input = TransactWriteItemsInput {
        transact_items: transaction.parts.iter().map(|(mutation, shows)| request(mutation, *shows)).collect(),
        client_request_token: transaction.token.clone(),
        return_consumed_capacity: asked.clone(),
        return_item_collection_metrics: asked_metrics.clone(),
    };
    let contents = json(&input.transact_items);
    let outcome = evaluate(session, &transaction, &contents);
    let (costs, units, changes) = match outcome {
        Ok(outcome) => outcome,
        Err(failure) => {
            let actual = session.ask::<TransactWriteItems>(input);
            return session.check(&actual, &Err(failure));
        }
    };
    let mut collections: StringMap<Vec<ItemCollectionMetrics>> = StringMap::new();
    for (mutation, _) in &transaction.parts {
        let table = session.table(&mutation.table);
        let change = Change { key_item: mutation.item.clone(), before: None, after: None };
        if let Some(metric) = metrics(table, &change, asked_metrics.as_ref()) {
            add_metric(&mut collections, &mutation.table, metric);
        }
    }
    let expected = TransactWriteItemsOutput {
        consumed_capacity: costs.report(asked.as_ref(), units),
        item_collection_metrics: (!collections.is_empty()).then_some(collections),
    };
    let actual = session.ask::<TransactWriteItems>(input);
    session.check(&actual, &Ok(expected));
    for ((mutation, _), change) in transaction.parts.iter().zip(&changes) {
        session.model.apply(&mutation.table, change, false);
    }
    if let Some(token) = &transaction.token
        && units == Units::Write
    {
        session.model.tokens.insert(token.clone(), (contents, session.model.now_ms + TOKEN_LIFE_MS));
        session.past.insert(0, transaction);
        session.past.truncate(5);
    }
}

/// The model's result of a transaction: its costs and its changes, which are none if it has happened before.
fn evaluate(
    session: &Session,
    transaction: &Transaction,
    contents: &str,
) -> Result<(Costs, Units, Vec<Change>), Failure> {
    let parts = &transaction.parts;
    let faults: Vec<Vec<String>> =
        parts.iter().map(|(mutation, _)| session.table(&mutation.table).faults(mutation)).collect();
    // An empty key is answered for the whole request.
    let is_empty_key = |fault: &&String| {
        fault
            .starts_with("One or more parameter values are not valid. The AttributeValue for a key attribute")
    };
    if let Some(fault) = faults.iter().flatten().find(is_empty_key) {
        return Err(Failure::Invalid(vec![fault.clone()]));
    }
    if faults.iter().any(|faults| !faults.is_empty()) {
        // Only the first is reported.
        let mut is_first = true;
        let reason = |faults: Vec<String>| {
            let is_told = !faults.is_empty() && std::mem::take(&mut is_first);
            if is_told { Reason::Invalid(faults) } else { Reason::Fine }
        };
        return Err(Failure::Canceled(faults.into_iter().map(reason).collect()));
    }
    if has_duplicates(session, parts.iter().map(|(mutation, _)| (mutation.table.as_str(), &mutation.item))) {
        return Err(Failure::Invalid(vec![DUPLICATES.to_owned()]));
    }
    let mut costs = Costs::default();
    let remembered = transaction.token.as_ref().and_then(|token| session.model.tokens.get(token));
    if let Some((known, _)) = remembered.filter(|(_, until_ms)| *until_ms > session.model.now_ms) {
        if known != contents {
            return Err(Failure::Kind(ErrorKind::IdempotentParameterMismatchException));
        }
        for (mutation, _) in parts {
            let size = session.table(&mutation.table).get(&mutation.item).map_or(0, size::of_item);
            costs.add(&mutation.table, &Cost::on_table(read_units(size, true)).in_transaction());
        }
        return Ok((costs, Units::Read, Vec::new()));
    }
    let results: Vec<_> =
        parts.iter().map(|(mutation, _)| session.table(&mutation.table).evaluate(mutation)).collect();
    if results.iter().any(Result::is_err) {
        let reason = |(result, (_, shows)): (Result<Change, Refusal>, &(Mutation, bool))| match result {
            Ok(_) => Reason::Fine,
            Err(Refusal::Condition { found }) => Reason::Condition(found.filter(|_| *shows)),
            Err(Refusal::Invalid(messages)) => Reason::Invalid(messages),
        };
        return Err(Failure::Canceled(results.into_iter().zip(parts).map(reason).collect()));
    }
    let changes: Vec<Change> = results.into_iter().flatten().collect();
    for ((mutation, _), change) in parts.iter().zip(&changes) {
        let cost = Cost::of_write(session.table(&mutation.table), change);
        costs.add(&mutation.table, &cost.in_transaction());
    }
    Ok((costs, Units::Write, changes))
}

fn request(mutation: &Mutation, shows: bool) -> TransactWriteItem {
    let mut placeholders = Placeholders::default();
    let update_expression = match &mutation.write {
        Write::Update(update) => update.text(&mut placeholders),
        _ => String::new(),
    };
    let condition_expression = mutation.condition.as_ref().map(|condition| condition.text(&mut placeholders));
    let (expression_attribute_names, expression_attribute_values) =
        (placeholders.names(), placeholders.values());
    let (table_name, item) = (mutation.table.as_str().into(), mutation.item.clone().into());
    let return_values_on_condition_check_failure = shows.then(|| "ALL_OLD".into());
    let mut request = TransactWriteItem::default();
    match &mutation.write {
        Write::Put => {
            request.put = Some(Put {
                item,
                table_name,
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
        Write::Update(_) => {
            request.update = Some(Update {
                key: item,
                update_expression,
                table_name,
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
        Write::Delete => {
            request.delete = Some(Delete {
                key: item,
                table_name,
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
        Write::Check => {
            request.condition_check = Some(ConditionCheck {
                key: item,
                table_name,
                condition_expression: condition_expression.unwrap_or_default(),
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
    }
    request
}

pub(super) fn get(session: &mut Session) {
    let mut transact_items = Vec::new();
    let mut named: Vec<(String, Map)> = Vec::new();
    let mut responses = Vec::new();
    let mut costs = Costs::default();
    for _ in 0..1 + session.dice.below(5) {
        let Some(table) = session.any_table() else { return };
        let Session { dice, model, .. } = &mut *session;
        let scene = Session::scene(model, &table);
        let key = values::key(dice, &scene.shape.key);
        let paths = if dice.chance(30) { scene.projection(dice, |_| true) } else { None };
        let mut placeholders = Placeholders::default();
        transact_items.push(TransactGetItem {
            get: Get {
                key: key.clone().into(),
                table_name: table.as_str().into(),
                projection_expression: paths
                    .as_deref()
                    .map(|paths| projection_text(paths, &mut placeholders)),
                expression_attribute_names: placeholders.names(),
            },
        });
        let item = model.tables[&table].get(&key);
        let units = read_units(item.map_or(0, size::of_item), true);
        costs.add(&table, &Cost::on_table(units).in_transaction());
        responses
            .push(ItemResponse { item: item.map(|item| Item::from_map(&shown(item, paths.as_deref()))) });
        named.push((table, key));
    }
    let asked = session.wanted_capacity();
    let expected = match has_duplicates(session, named.iter().map(|(table, key)| (table.as_str(), key))) {
        true => Err(Failure::Invalid(vec![DUPLICATES.to_owned()])),
        false => Ok(TransactGetItemsOutput {
            consumed_capacity: costs.report(asked.as_ref(), Units::Read),
            responses: Some(responses),
        }),
    };
    let actual = session
        .ask::<TransactGetItems>(TransactGetItemsInput { transact_items, return_consumed_capacity: asked });
    session.check(&actual, &expected);
}
