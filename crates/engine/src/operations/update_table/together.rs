//! The changes that UpdateTable can combine. AWS makes most of them only in a request of their own.

use sortkey_api::ApiError;
use sortkey_api::operations::UpdateTableInput;
use sortkey_api::shapes::throughput::BillingMode;

/// Rejects changes that need a request of their own. If several do, AWS names them in this order.
pub(super) fn check(input: &UpdateTableInput) -> Result<(), ApiError> {
    let updates = input.global_secondary_index_updates.as_deref().unwrap_or_default();
    let creates = updates.iter().any(|update| update.create.is_some());
    let changes_indexes = creates || updates.iter().any(|update| update.delete.is_some());
    let is_warming = input.warm_throughput.is_some();
    let is_streaming = input.stream_specification.is_some();
    let given = [
        input.sse_specification.is_some(),
        input.table_class.is_some(),
        input.deletion_protection_enabled.is_some(),
        is_warming,
        is_streaming,
        input.on_demand_throughput.is_some(),
        // The capacity of a table and of its indexes is one change.
        input.billing_mode.is_some() || input.provisioned_throughput.is_some() || !updates.is_empty(),
    ];
    let is_alone = given.iter().filter(|given| **given).count() <= 1;
    let units = input.provisioned_throughput.is_some() || input.billing_mode == Some(BillingMode::Provisioned);
    let conflict = match given {
        [true, ..] if !is_alone => "Server-Side Encryption modification must be the only operation in the request",
        [_, true, ..] if !is_alone => "TableClass modification must be the only operation in the request",
        [_, _, true, ..] if !is_alone => "DeletionProtection modification must be the only operation in the request",
        _ if is_warming && creates => "Create global secondary index cannot be specified when updating WarmThroughput",
        // Warm throughput of the table and of its indexes is one change.
        _ if is_warming && (is_streaming || units || input.billing_mode.is_some()) => {
            "WarmThroughput must be the only operation in the request"
        }
        _ if input.on_demand_throughput.is_some() && (is_warming || is_streaming || changes_indexes) => {
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        }
        _ if is_streaming && units => "You cannot modify stream status while updating table IOPS",
        _ if changes_indexes && input.provisioned_throughput.is_some() => {
            "You cannot create or delete index while updating table IOPS"
        }
        _ if changes_indexes && is_streaming => "You cannot create or delete index while changing stream status",
        _ => return Ok(()),
    };
    Err(ApiError::invalid_parameter(conflict))
}
