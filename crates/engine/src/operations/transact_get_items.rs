//! TransactGetItems: up to 100 items as of one moment: all are read from one snapshot.

use std::collections::BTreeSet;
use std::sync::Arc;

use sortkey_api::operations::{TransactGetItems, TransactGetItemsInput, TransactGetItemsOutput};
use sortkey_api::shapes::transaction::{Get, ItemResponse};
use sortkey_api::{ApiError, OperationId};
use sortkey_expression::{ExpressionKind, Projection};
use sortkey_value::Item;

use super::Run;
use crate::read::capacity::{Consistency, Cost};
use crate::read::consumed::{Costs, Units};
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::write::mutation::item_key;
use crate::reply::{Reply, storage_failure};
use crate::write::{scalar, transaction};

/// The most that all items of a transaction may weigh together.
const MAX_BYTES: usize = 4 * 1024 * 1024;

impl Run for TransactGetItems {
    fn run(shared: &Arc<Shared>, input: TransactGetItemsInput) -> Result<Reply<TransactGetItemsOutput>, ApiError> {
        let gets: Vec<&Get> = input.transact_items.iter().map(|item| &item.get).collect();
        let projections: Vec<Option<Projection>> = gets.iter().map(|get| projection(shared, get)).collect::<Result<_, _>>()?;
        let view = Arc::clone(&shared.committer.view());
        let mut places = Vec::with_capacity(gets.len());
        for (get, projection) in gets.iter().zip(&projections) {
            shared.throttle(get.table_name.name(), OperationId::TransactGetItems)?;
            let table = shared.catalog.table(&view, get.table_name.name())?;
            let key = item_key(&table, get.key.checked()?);
            let paths = projection.iter().flat_map(Projection::paths);
            let key = key.and_then(|key| scalar::check_keys(&table, paths).map(|()| key));
            places.push((key, table));
        }
        if places.iter().any(|(key, _)| key.is_err()) {
            return Err(transaction::invalid(places.iter().map(|(key, _)| key.as_ref().err())));
        }
        let mut seen = BTreeSet::new();
        let mut size_bytes = 0;
        let mut costs = Costs::default();
        let mut responses = Vec::with_capacity(gets.len());
        for ((key, table), projection) in places.into_iter().zip(projections) {
            let key = key?;
            if !seen.insert(key.clone()) {
                return Err(ApiError::validation(
                    "Transaction request cannot include multiple operations on one item",
                ));
            }
            let value = view.snapshot.get(&key).map_err(|error| storage_failure(&error))?;
            let item = value.map(Item::from_bytes);
            let item_bytes = item.as_ref().map_or(0, Item::size_bytes);
            size_bytes += item_bytes;
            costs.add(&table.name, Cost::table(Consistency::Transactional.read_units(item_bytes)));
            let item = match projection {
                Some(projection) => item.map(|item| projection.apply(&item)),
                None => item,
            };
            responses.push(ItemResponse { item });
        }
        if size_bytes > MAX_BYTES {
            return Err(ApiError::validation(
                "Member must satisfy constraint: Collective size of all items in a transaction cannot exceed 4 MB",
            ));
        }
        Ok(Reply::now(TransactGetItemsOutput {
            consumed_capacity: costs.report(input.return_consumed_capacity.as_ref(), Units::Read),
            responses: Some(responses),
        }))
    }
}

fn projection(shared: &Shared, get: &Get) -> Result<Option<Projection>, ApiError> {
    let expressions = Expressions {
        names: get.expression_attribute_names.as_ref(),
        values: None,
        expressions: vec![(ExpressionKind::Projection, get.projection_expression.as_deref())],
        legacy: Vec::new(),
    };
    expressions.check()?;
    get.key.checked()?;
    Ok(expressions.bind(&shared.expressions)?.projection)
}
