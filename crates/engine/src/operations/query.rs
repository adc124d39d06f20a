//! Query: the entries of one partition, in the order of the sort key.

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::{ApiError, TableName};
use sortkey_api::operations::{Query, QueryInput, QueryOutput};
use sortkey_expression::{Condition, ExpressionKind, Projection};
use sortkey_storage::Order;

use super::Run;
use crate::capacity::Consistency;
use crate::consumed::{self, Units};
use crate::engine::Shared;
use crate::expressions::Expressions;
use crate::page::PageRequest;
use crate::reply::Reply;
use crate::selection::Selection;
use crate::source::{Range, Source};
use crate::{legacy, scalar};

impl Run for Query {
    fn run(shared: &Arc<Shared>, input: QueryInput) -> Result<Reply<QueryOutput>, ApiError> {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            expressions: vec![
                (ExpressionKind::Projection, input.projection_expression.as_deref()),
                (ExpressionKind::Filter, input.filter_expression.as_deref()),
                (ExpressionKind::KeyCondition, input.key_condition_expression.as_deref()),
            ],
            legacy: vec![
                ("AttributesToGet", input.attributes_to_get.is_some()),
                ("QueryFilter", input.query_filter.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
                // Key conditions of the old kind may stand beside other expressions of the new.
                ("KeyConditions", input.key_conditions.is_some() && input.key_condition_expression.is_some()),
            ],
        };
        expressions.check()?;
        let start = input.exclusive_start_key.as_ref().map(|start| start.checked()).transpose()?;
        let legacy_projection = legacy::attributes_to_get(input.attributes_to_get.as_deref())?;
        let legacy_key = legacy::key_conditions(input.key_conditions.as_ref())?;
        let legacy_filter = legacy::filter(input.query_filter.as_ref(), input.conditional_operator.as_ref())?;
        let bound = expressions.bind(&shared.expressions)?;
        let Some(key_condition) = legacy_key.or(bound.key_condition) else {
            return Err(ApiError::validation(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
            ));
        };
        let (filter, filter_name) = match legacy_filter {
            Some(filter) => (Some(filter), "QueryFilter"),
            None => (bound.filter, "Filter Expression"),
        };
        let name = input.table_name.name();
        shared.throttle(name, "Query")?;
        let view = Arc::clone(&shared.committer.view());
        let table = shared.catalog.table(&view, name)?;
        let source = Source::find(&table, input.index_name.as_deref(), input.consistent_read)?;
        let given = listed(input.attributes_to_get.is_some(), input.projection_expression.is_some());
        let projection = legacy_projection.or(bound.projection);
        let selection = Selection::new(source, input.select.as_ref(), projection.clone(), given)?;
        let (mut low, mut high) = source.range(&key_condition)?;
        let order = if input.scan_index_forward == Some(false) { Order::Descending } else { Order::Ascending };
        if let Some(start) = start {
            let start = source.start_key(start)?;
            check_within(&start, &(low.clone(), high.clone()))?;
            match order {
                Order::Ascending => low = Bound::Excluded(start),
                Order::Descending => high = Bound::Excluded(start),
            }
        }
        scalar::check_keys(&table, projection.iter().flat_map(Projection::paths))?;
        check_filter(source, filter.as_ref(), filter_name)?;
        scalar::check_keys(&table, filter.iter().flat_map(Condition::paths))?;
        let view = source.view(shared, view)?;
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok());
        let page = PageRequest { low, high, order, limit, filter: filter.as_ref() }.read(&*view.snapshot)?;
        let consistency = Consistency::of(input.consistent_read);
        let (count, scanned_count) = (page.items.len(), page.scanned);
        let last_evaluated_key = page.last.as_ref().map(|item| source.entry_key(item));
        let mut cost = source.read_cost(consistency, page.size_bytes);
        let (items, fetch_cost) = selection.apply(source, &view, consistency, page)?;
        cost.add(fetch_cost);
        Ok(Reply::now(QueryOutput {
            items,
            count: i32::try_from(count).unwrap_or(i32::MAX),
            scanned_count: i32::try_from(scanned_count).unwrap_or(i32::MAX),
            last_evaluated_key,
            consumed_capacity: consumed::report(
                input.return_consumed_capacity.as_ref(),
                &table.name,
                &cost,
                Units::Unnamed,
            ),
        }))
    }

    fn table(input: &QueryInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}

/// The parameter that lists attributes, if one was given.
pub(super) fn listed(attributes_to_get: bool, projection_expression: bool) -> Option<&'static str> {
    match (attributes_to_get, projection_expression) {
        (true, _) => Some("AttributesToGet"),
        (_, true) => Some("ProjectionExpression"),
        _ => None,
    }
}

/// A filter is for what the key cannot say.
fn check_filter(source: Source<'_>, filter: Option<&Condition>, name: &str) -> Result<(), ApiError> {
    let Some(filter) = filter else { return Ok(()) };
    let key = source.key();
    match filter.paths().into_iter().find(|path| key.contains(path.attribute_name())) {
        Some(path) => Err(ApiError::validation(format!(
            "{name} can only contain non-primary key attributes: Primary key attribute: {}",
            path.attribute_name()
        ))),
        None => Ok(()),
    }
}

/// A page goes on where the last one of the same query ended.
fn check_within(start: &[u8], range: &Range) -> Result<(), ApiError> {
    let above = match &range.0 {
        Bound::Included(low) => start >= low.as_slice(),
        Bound::Excluded(low) => start > low.as_slice(),
        Bound::Unbounded => true,
    };
    let below = match &range.1 {
        Bound::Included(high) => start <= high.as_slice(),
        Bound::Excluded(high) => start < high.as_slice(),
        Bound::Unbounded => true,
    };
    if above && below {
        return Ok(());
    }
    Err(ApiError::validation(
        "The provided starting key is outside query boundaries based on provided conditions",
    ))
}
