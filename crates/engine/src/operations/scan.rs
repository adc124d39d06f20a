//! Scan: all entries in the order of their hashes, or one segment of them.

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::{ApiError, OperationId, SuppliedItem, TableName};
use sortkey_api::operations::{Scan, ScanInput, ScanOutput};
use sortkey_expression::{Condition, ExpressionKind, Projection};
use sortkey_storage::Order;

use super::Run;
use super::query::listed;
use crate::read::capacity::Consistency;
use crate::read::consumed::{self, Units};
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::read::page::PageRequest;
use crate::reply::Reply;
use crate::read::selection::{Selection, check_select};
use crate::read::source::{Range, Source};
use crate::read::legacy;
use crate::write::scalar;
use crate::{layout, text};

impl Run for Scan {
    fn run(shared: &Arc<Shared>, input: ScanInput) -> Result<Reply<ScanOutput>, ApiError> {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            expressions: vec![
                (ExpressionKind::Projection, input.projection_expression.as_deref()),
                (ExpressionKind::Filter, input.filter_expression.as_deref()),
            ],
            legacy: vec![
                ("AttributesToGet", input.attributes_to_get.is_some()),
                ("ScanFilter", input.scan_filter.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
            ],
        };
        expressions.check()?;
        let legacy_projection = legacy::attributes_to_get(input.attributes_to_get.as_deref())?;
        let legacy_filter = legacy::filter(input.scan_filter.as_ref(), input.conditional_operator.as_ref())?;
        let start = input.exclusive_start_key.as_ref().map(SuppliedItem::checked_starting_key).transpose()?;
        let segment = segment(input.segment, input.total_segments)?;
        let bound = expressions.bind(&shared.expressions)?;
        let filter = legacy_filter.or(bound.filter);
        let projection = legacy_projection.or(bound.projection);
        let given = listed(input.attributes_to_get.is_some(), input.projection_expression.is_some());
        check_select(input.select.as_ref(), given, input.index_name.as_deref())
            .map_err(|error| shared.settings.wording.of_scan_select(error))?;
        let name = input.table_name.name();
        shared.throttle(name, OperationId::Scan)?;
        let view = Arc::clone(&shared.committer.view());
        let table = shared.catalog.table(&view, name)?;
        let source = Source::find(&table, input.index_name.as_deref(), input.consistent_read)?;
        // A scan of the table takes the second look only.
        if let Some(start) = start.filter(|_| source.index.is_some()) {
            source.check_start_partition(start)?;
            source.check_start_sort(start)?;
        }
        let selection = Selection::new(source, input.select.as_ref(), projection.clone())?;
        let (mut low, high) = match segment {
            Some((segment, total)) => layout::segment(&source.space(), segment, total),
            None => layout::starting_with(&source.space()),
        };
        if let Some(start) = start {
            let start = source.start_key(start)?;
            check_segment(&start, &(low, high.clone()), segment)?;
            low = Bound::Excluded(start);
        }
        scalar::check_keys(&table, projection.iter().flat_map(Projection::paths))?;
        scalar::check_keys(&table, filter.iter().flat_map(Condition::paths))?;
        let view = source.view(shared, view)?;
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok());
        let request = PageRequest { low, high, order: Order::Ascending, limit, filter: filter.as_ref() };
        let page = request.read(&*view.snapshot)?;
        let consistency = Consistency::of(input.consistent_read);
        let (count, scanned_count) = (page.items.len(), page.scanned);
        let last_evaluated_key = page.last.as_ref().map(|item| source.entry_key(item));
        let mut cost = source.read_cost(consistency, page.size_bytes);
        let (items, fetch_cost) = selection.apply(source, &view, consistency, page)?;
        cost.add(fetch_cost);
        Ok(Reply::now(ScanOutput {
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

    fn table(input: &ScanInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}

fn segment(segment: Option<i32>, total: Option<i32>) -> Result<Option<(u32, u32)>, ApiError> {
    match (segment, total) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(ApiError::validation(
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
        )),
        (None, Some(_)) => Err(ApiError::validation(
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
        )),
        (Some(segment), Some(total)) if segment >= total => Err(ApiError::validation(format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {segment} is \
             not less than TotalSegments: {total}"
        ))),
        (Some(segment), Some(total)) => {
            let unsigned = |number: i32| u32::try_from(number).map_err(|_| ApiError::internal());
            Ok(Some((unsigned(segment)?, unsigned(total)?)))
        }
    }
}

fn check_segment(start: &[u8], range: &Range, segment: Option<(u32, u32)>) -> Result<(), ApiError> {
    let within = |bound: &Bound<Vec<u8>>, fits: fn(&[u8], &[u8]) -> bool| match bound {
        Bound::Included(edge) | Bound::Excluded(edge) => fits(start, edge),
        Bound::Unbounded => true,
    };
    if within(&range.0, |start, low| start >= low) && within(&range.1, |start, high| start < high) {
        return Ok(());
    }
    let (segment, total) = segment.unwrap_or((0, 1));
    Err(text::starting_key_fault(&format!(
        "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {total} \
         Segment: {segment}"
    )))
}
