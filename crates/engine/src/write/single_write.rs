//! Shared by PutItem, UpdateItem and DeleteItem: one item, one condition, one answer.

use std::sync::Arc;

use sortkey_api::shapes::capacity::{ConsumedCapacity, ItemCollectionMetrics};
use sortkey_api::shapes::returns::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure,
};

use crate::engine::Shared;
use crate::read::consumed::{self, Units};
use crate::reply::Reply;
use crate::stream::Actor;
use crate::write::change::{Changes, ItemChange};
use crate::write::mutation::{Mutation, Refusal};

/// The optional parts of the answer that the client requests.
#[derive(Default)]
pub(crate) struct Wants {
    pub(crate) capacity: Option<ReturnConsumedCapacity>,
    pub(crate) metrics: Option<ReturnItemCollectionMetrics>,
    pub(crate) on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// The parts of the answer.
pub(crate) struct Written {
    pub(crate) change: ItemChange,
    pub(crate) capacity: Option<ConsumedCapacity>,
    pub(crate) metrics: Option<ItemCollectionMetrics>,
}

/// Runs a mutation by itself.
pub(crate) fn run<T: Send + 'static>(
    shared: &Arc<Shared>,
    mutation: Mutation,
    wants: Wants,
    answer: impl FnOnce(Written) -> T + Send + 'static,
) -> Reply<T> {
    let locks = mutation.locks().into();
    shared.write(locks, move |shared, view| {
        // The table may have changed while the write waited for its lock, or be another of the same name.
        let table = shared.catalog.table(view, &mutation.table.name)?;
        if table.id != mutation.table.id {
            return Err(sortkey_api::ApiError::resource_not_found());
        }
        let show = wants.on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld);
        let worded = |refusal: Refusal| shared.settings.wording.of_failed_condition(refusal.into_error(show));
        let change = mutation.evaluate(mutation.read(view)?).map_err(worded)?;
        let mut changes = Changes::new(view);
        let cost = changes.record(&table, &change, Actor::User)?;
        let written = Written {
            capacity: consumed::report(wants.capacity.as_ref(), &table.name, &cost, Units::Unnamed),
            metrics: consumed::collection_metrics(wants.metrics.as_ref(), &table, &mutation.key_item),
            change,
        };
        Ok((changes.batch, answer(written)))
    })
}
