//! Query: the entries of one partition, in the order of the sort key.

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::{ApiError, OperationId, SuppliedItem, TableName};
use sortkey_api::operations::{Query, QueryInput, QueryOutput};
use sortkey_expression::{Condition, ExpressionKind, Projection};
use sortkey_storage::Order;

use super::Run;
use crate::read::capacity::Consistency;
use crate::read::consumed::{self, Units};
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::read::legacy;
use crate::write::scalar;
use crate::read::page::PageRequest;
use crate::reply::Reply;
use crate::catalog::schema::KeyAttribute;
use crate::read::selection::{Selection, check_select};
use crate::read::source::Source;

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
                // `KeyConditions` may be combined with other expressions.
                ("KeyConditions", input.key_conditions.is_some() && input.key_condition_expression.is_some()),
            ],
        };
        expressions.check()?;
        let legacy_filter = legacy::filter(input.query_filter.as_ref(), input.conditional_operator.as_ref())?;
        let legacy_projection = legacy::attributes_to_get(input.attributes_to_get.as_deref())?;
        let start = input.exclusive_start_key.as_ref().map(SuppliedItem::checked_starting_key).transpose()?;
        if input.key_conditions.is_none() && input.key_condition_expression.is_none() {
            return Err(no_key_condition());
        }
        let bound = expressions.bind(&shared.expressions)?;
        let legacy_key = legacy::key_conditions(input.key_conditions.as_ref())?;
        let key_condition = legacy_key.or(bound.key_condition).ok_or_else(no_key_condition)?;
        let (filter, filter_name) = match legacy_filter {
            Some(filter) => (Some(filter), "QueryFilter"),
            None => (bound.filter, "Filter Expression"),
        };
        let projection = legacy_projection.or(bound.projection);
        let given = listed(input.attributes_to_get.is_some(), input.projection_expression.is_some());
        check_select(input.select.as_ref(), given, input.index_name.as_deref())
            .map_err(|error| shared.settings.wording.of_query_select(error))?;
        let name = input.table_name.name();
        shared.throttle(name, OperationId::Query)?;
        let view = Arc::clone(&shared.committer.view());
        let table = shared.catalog.table(&view, name)?;
        let source = Source::find(&table, input.index_name.as_deref(), input.consistent_read)?;
        let range = source.resolve(&key_condition, start)?;
        let (mut low, mut high) = source.key_range(&range)?;
        let start = start.map(|start| source.start_key_within(start, &range)).transpose()?;
        scalar::check_keys(&table, projection.iter().flat_map(Projection::paths))?;
        check_filter(source, filter.as_ref(), filter_name)?;
        let selection = Selection::new(source, input.select.as_ref(), projection)?;
        scalar::check_keys(&table, filter.iter().flat_map(Condition::paths))?;
        let order = if input.scan_index_forward == Some(false) { Order::Descending } else { Order::Ascending };
        if let Some(start) = start {
            match order {
                Order::Ascending => low = Bound::Excluded(start),
                Order::Descending => high = Bound::Excluded(start),
            }
        }
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

fn no_key_condition() -> ApiError {
    ApiError::validation(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    )
}

/// Rejects filters on key attributes; these belong in the key condition.
fn check_filter(source: Source<'_>, filter: Option<&Condition>, name: &str) -> Result<(), ApiError> {
    let Some(filter) = filter else { return Ok(()) };
    let paths = filter.paths();
    let filters = |attribute: &&KeyAttribute| paths.iter().any(|path| path.attribute_name() == attribute.name);
    match source.key().attributes().find(filters) {
        Some(attribute) => Err(ApiError::validation(format!(
            "{name} can only contain non-primary key attributes: Primary key attribute: {}",
            attribute.name
        ))),
        None => Ok(()),
    }
}
