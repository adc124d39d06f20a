//! BatchWriteItem: up to 25 puts and deletes without conditions. AWS promises nothing about them as a whole; here
//! they become visible together, which nobody can hold against us.

use std::collections::BTreeSet;
use std::sync::Arc;

use sortkey_api::operations::{BatchWriteItem, BatchWriteItemInput, BatchWriteItemOutput};
use sortkey_api::shapes::batch::WriteRequest;
use sortkey_api::{ApiError, OperationId, StringMap, TableName, ValueFault};
use sortkey_storage::Lock;
use sortkey_value::limits::ITEM_SIZE_BYTES;

use super::Run;
use crate::write::change::Changes;
use crate::read::consumed::{self, Costs, Units};
use crate::engine::Shared;
use crate::faults::FaultKind;
use crate::write::mutation::{Action, Mutation};
use crate::reply::Reply;
use crate::stream::Actor;
use crate::catalog::table::Table;
use crate::text;

/// Writes that one request may contain.
const MAX_WRITES: usize = 25;

impl Run for BatchWriteItem {
    fn run(shared: &Arc<Shared>, mut input: BatchWriteItemInput) -> Result<Reply<BatchWriteItemOutput>, ApiError> {
        let count: usize = input.request_items.values().map(Vec::len).sum();
        if count > MAX_WRITES {
            return Err(ApiError::validation("Too many items requested for the BatchWriteItem call"));
        }
        input.request_items.values().flatten().try_for_each(check_request)?;
        let unprocessed = leave_unprocessed(shared, &mut input.request_items);
        let mutations = mutations(shared, &input.request_items)?;
        let locks: Vec<Lock> = mutations.iter().flat_map(Mutation::locks).collect();
        Ok(shared.write(locks, move |shared, view| {
            let mut changes = Changes::new(view);
            let mut costs = Costs::default();
            let mut metrics = StringMap::new();
            for mutation in &mutations {
                let table = shared.catalog.table(view, &mutation.table.name)?;
                if table.id != mutation.table.id {
                    return Err(ApiError::resource_not_found());
                }
                let change = mutation.evaluate(mutation.read(view)?).map_err(|refusal| refusal.into_error(false))?;
                costs.add(&table.name, changes.record(&table, &change, Actor::User)?);
                let asked = input.return_item_collection_metrics.as_ref();
                if let Some(metric) = consumed::collection_metrics(asked, &table, &mutation.key_item) {
                    add_metric(&mut metrics, &table.name, metric);
                }
            }
            let output = BatchWriteItemOutput {
                unprocessed_items: Some(unprocessed),
                item_collection_metrics: (!metrics.is_empty()).then_some(metrics),
                consumed_capacity: costs.report(input.return_consumed_capacity.as_ref(), Units::Unnamed),
            };
            Ok((changes.batch, output))
        }))
    }
}

/// Adds a metric, unless the one of its partition is already there.
pub(super) fn add_metric(
    metrics: &mut StringMap<Vec<sortkey_api::shapes::capacity::ItemCollectionMetrics>>,
    table: &str,
    metric: sortkey_api::shapes::capacity::ItemCollectionMetrics,
) {
    if metrics.get(table).is_none() {
        metrics.insert(table, Vec::new());
    }
    if let Some(known) = metrics.get_mut(table)
        && !known.contains(&metric)
    {
        known.push(metric);
    }
}

fn check_request(request: &WriteRequest) -> Result<(), ApiError> {
    match (&request.put_request, &request.delete_request) {
        (Some(put), None) => {
            let item = put.item.checked()?;
            if item.size_bytes() > ITEM_SIZE_BYTES { Err(text::item_too_large()) } else { Ok(()) }
        }
        (None, Some(delete)) => delete.key.checked().map(drop),
        // AWS parses a request like a typed value, and has one error for no member and for two.
        _ => Err(ApiError::validation(ValueFault::ManyTypes.to_string())),
    }
}

/// Keeps one write and leaves the others, if such a fault was ordered.
fn leave_unprocessed(shared: &Shared, items: &mut StringMap<Vec<WriteRequest>>) -> StringMap<Vec<WriteRequest>> {
    let mut left = StringMap::new();
    if !shared.faults.strikes(FaultKind::Unprocessed, "BatchWriteItem", "") {
        return left;
    }
    let mut budget = 1;
    let mut kept = StringMap::new();
    for (table, requests) in items.iter() {
        let (done, rest) = requests.split_at(requests.len().min(budget));
        budget -= done.len();
        if !done.is_empty() {
            kept.insert(table, done.to_vec());
        }
        if !rest.is_empty() {
            left.insert(table, rest.to_vec());
        }
    }
    *items = kept;
    left
}

fn mutations(shared: &Shared, items: &StringMap<Vec<WriteRequest>>) -> Result<Vec<Mutation>, ApiError> {
    let view = shared.committer.view();
    let mut mutations = Vec::new();
    for (table, requests) in items.iter() {
        let name = TableName::from(table);
        shared.throttle(name.name(), OperationId::BatchWriteItem)?;
        let table = shared.catalog.table(&view, name.name())?;
        for request in requests {
            mutations.push(mutation(&table, request)?);
        }
    }
    let places: BTreeSet<_> = mutations.iter().map(|mutation| &mutation.key).collect();
    if places.len() < mutations.len() {
        return Err(ApiError::validation("Provided list of item keys contains duplicates"));
    }
    Ok(mutations)
}

fn mutation(table: &Arc<Table>, request: &WriteRequest) -> Result<Mutation, ApiError> {
    match (&request.put_request, &request.delete_request) {
        (Some(put), _) => {
            let item = put.item.checked()?;
            // A batch finds where its writes go first, so that an item without its key is a key that is wrong.
            if let Some(fault) = table.key.fault(item) {
                return Err(text::key_fault(&fault));
            }
            Mutation::put(table, item, None)
        }
        (None, Some(delete)) => Mutation::by_key(table, delete.key.checked()?, None, Action::Delete),
        (None, None) => Err(ApiError::internal()),
    }
}
