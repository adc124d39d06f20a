//! BatchGetItem: up to 100 items, up to 16 MB; what does not fit is returned as unprocessed.

use std::collections::HashSet;
use std::sync::Arc;

use sortkey_api::operations::{BatchGetItem, BatchGetItemInput, BatchGetItemOutput};
use sortkey_api::shapes::batch::KeysAndAttributes;
use sortkey_api::{ApiError, OperationId, StringMap, SuppliedItem, TableName};
use sortkey_expression::{ExpressionKind, Projection};
use sortkey_storage::Key;
use sortkey_value::Item;

use super::Run;
use crate::read::capacity::{Consistency, Cost};
use crate::read::consumed::{Costs, Units};
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::faults::FaultKind;
use crate::write::mutation::item_key;
use crate::reply::{Reply, storage_failure};
use crate::catalog::table::Table;
use crate::read::legacy;
use crate::write::scalar;

/// Keys that one request may name.
const MAX_KEYS: usize = 100;
/// The most that one answer returns.
const MAX_BYTES: usize = 16 * 1024 * 1024;

impl Run for BatchGetItem {
    fn run(shared: &Arc<Shared>, input: BatchGetItemInput) -> Result<Reply<BatchGetItemOutput>, ApiError> {
        let mut projections = Vec::with_capacity(input.request_items.len());
        let mut count = 0;
        for request in input.request_items.values() {
            projections.push(projection(shared, request)?);
            check_keys(request)?;
            count += request.keys.len();
            if count > MAX_KEYS {
                return Err(ApiError::validation("Too many items requested for the BatchGetItem call"));
            }
        }
        let view = Arc::clone(&shared.committer.view());
        let mut reads = Vec::with_capacity(input.request_items.len());
        for ((table, request), projection) in input.request_items.iter().zip(&projections) {
            let name = TableName::from(table);
            shared.throttle(name.name(), OperationId::BatchGetItem)?;
            let table = shared.catalog.table(&view, name.name())?;
            let keys = keys(&table, request)?;
            scalar::check_keys(&table, projection.iter().flat_map(Projection::paths))?;
            reads.push((keys, table));
        }
        let mut output = Gathered::default();
        let mut size_bytes = 0;
        let mut budget = if shared.faults.strikes(FaultKind::Unprocessed, "BatchGetItem", "") { 1 } else { usize::MAX };
        for (((name, request), projection), (keys, table)) in input.request_items.iter().zip(projections).zip(reads) {
            output.responses.insert(name, Vec::new());
            let consistency = Consistency::of(request.consistent_read);
            for (supplied, key) in request.keys.iter().zip(keys) {
                let value = view.snapshot.get(&key).map_err(|error| storage_failure(&error))?;
                let item = value.map(Item::from_bytes);
                let item_bytes = item.as_ref().map_or(0, Item::size_bytes);
                if budget == 0 || size_bytes + item_bytes > MAX_BYTES {
                    output.leave(name, request, supplied);
                    continue;
                }
                budget -= 1;
                size_bytes += item_bytes;
                output.costs.add(&table.name, Cost::table(consistency.read_units(item_bytes)));
                output.found(name, item, projection.as_ref());
            }
        }
        Ok(Reply::now(BatchGetItemOutput {
            responses: Some(output.responses),
            unprocessed_keys: Some(output.unprocessed),
            consumed_capacity: output.costs.report(input.return_consumed_capacity.as_ref(), Units::Unnamed),
        }))
    }
}

#[derive(Default)]
struct Gathered {
    responses: StringMap<Vec<Item>>,
    unprocessed: StringMap<KeysAndAttributes>,
    costs: Costs,
}

impl Gathered {
    fn found(&mut self, table: &str, item: Option<Item>, projection: Option<&Projection>) {
        let Some(item) = item else { return };
        let item = projection.map_or_else(|| item.clone(), |projection| projection.apply(&item));
        if let Some(items) = self.responses.get_mut(table) {
            items.push(item);
        }
    }

    fn leave(&mut self, table: &str, request: &KeysAndAttributes, key: &SuppliedItem) {
        if self.unprocessed.get(table).is_none() {
            self.unprocessed.insert(table, KeysAndAttributes { keys: Vec::new(), ..request.clone() });
        }
        if let Some(left) = self.unprocessed.get_mut(table) {
            left.keys.push(key.clone());
        }
    }
}

fn projection(shared: &Shared, request: &KeysAndAttributes) -> Result<Option<Projection>, ApiError> {
    let expressions = Expressions {
        names: request.expression_attribute_names.as_ref(),
        values: None,
        expressions: vec![(ExpressionKind::Projection, request.projection_expression.as_deref())],
        legacy: vec![("AttributesToGet", request.attributes_to_get.is_some())],
    };
    expressions.check()?;
    match legacy::attributes_to_get(request.attributes_to_get.as_deref())? {
        Some(projection) => Ok(Some(projection)),
        None => Ok(expressions.bind(&shared.expressions)?.projection),
    }
}

/// Rejects duplicate keys. AWS checks that before it looks for the table, hence without the key schema.
fn check_keys(request: &KeysAndAttributes) -> Result<(), ApiError> {
    let mut seen = HashSet::with_capacity(request.keys.len());
    for key in &request.keys {
        if !seen.insert(key.checked()?.as_bytes()) {
            return Err(ApiError::validation("Provided list of item keys contains duplicates"));
        }
    }
    Ok(())
}

/// The keys of the items in the store.
fn keys(table: &Table, request: &KeysAndAttributes) -> Result<Vec<Key>, ApiError> {
    request.keys.iter().map(|key| item_key(table, key.checked()?)).collect()
}
