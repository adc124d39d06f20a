//! UpdateTable: throughput, settings, stream and global indexes. A new index is in the catalog, and maintained by
//! every write, before its first older item is added in the background.

mod together;

use std::collections::BTreeSet;
use std::sync::Arc;

use sortkey_api::operations::{UpdateTable, UpdateTableInput, UpdateTableOutput};
use sortkey_api::shapes::index::{CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus as Status, UpdateGlobalSecondaryIndexAction};
use sortkey_api::shapes::table::{SSEDescription, SseStatus, TableDescription, TableStatus};
use sortkey_api::shapes::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughput, ProvisionedThroughputDescription, WarmThroughput};
use sortkey_api::{ApiError, ErrorKind, TableName};
use sortkey_storage::{Batch, Key, Lock, Published};

use super::Run;
use super::create_table::updating;
use crate::catalog::declaration::{self, MAX_GLOBAL_INDEXES};
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::schema::{Index, IndexKind, IndexStatus, KeySchema};
use crate::catalog::table::{Capacity, Table};
use crate::catalog::throughput::{Of, capacity, check_bounds, check_index_throughput, check_on_demand, check_warm};
use crate::catalog::describe::{DAY_MS, warm};
use crate::catalog::encryption;
use crate::stream::streaming;
use crate::{layout, text};

impl Run for UpdateTable {
    fn run(shared: &Arc<Shared>, input: UpdateTableInput) -> Result<Reply<UpdateTableOutput>, ApiError> {
        refuse_unsupported(&input)?;
        check_given(&input)?;
        let name = input.table_name.name().to_owned();
        let locks = vec![Lock::exclusive(layout::table(&name)), Shared::ids_lock("stream")];
        Ok(shared.write_then(locks, Shared::wake_background, move |shared, view| {
            let before = shared.catalog.changeable_table(view, &name)?;
            let mut table = Table::clone(&*before);
            let mut batch = Batch::new();
            let deleted = update(shared, view, &mut table, &input, &mut batch)?;
            batch.put(layout::table(&name), table.to_value());
            batch.changes_schema();
            let mut description = shared.describe(view, &table, TableStatus::Updating)?;
            let before = shared.describe(view, &before, TableStatus::Updating)?;
            show_before(&mut description, before, deleted.as_deref());
            if input.warm_throughput.is_some() {
                description.warm_throughput = description.warm_throughput.as_ref().map(updating);
            }
            Ok((batch, UpdateTableOutput { table_description: Some(description) }))
        }))
    }

    fn table(input: &UpdateTableInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}

fn refuse_unsupported(input: &UpdateTableInput) -> Result<(), ApiError> {
    let given = [
        ("ReplicaUpdates", input.replica_updates.is_some()),
        ("MultiRegionConsistency", input.multi_region_consistency.is_some()),
        ("GlobalTableWitnessUpdates", input.global_table_witness_updates.is_some()),
        ("GlobalTableSettingsReplicationMode", input.global_table_settings_replication_mode.is_some()),
        ("DisassociationProtectionEnabled", input.disassociation_protection_enabled.is_some()),
        ("VectorIndexUpdates", input.vector_index_updates.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(text::unsupported_parameter(name)),
        None => Ok(()),
    }
}

/// The checks that do not need the table.
fn check_given(input: &UpdateTableInput) -> Result<(), ApiError> {
    let updates = input.global_secondary_index_updates.as_deref();
    let something = input.billing_mode.is_some()
        || input.provisioned_throughput.is_some()
        || updates.is_some_and(|updates| !updates.is_empty())
        || input.stream_specification.is_some()
        || input.sse_specification.is_some()
        || input.table_class.is_some()
        || input.deletion_protection_enabled.is_some()
        || input.on_demand_throughput.is_some()
        || input.warm_throughput.is_some();
    if !something {
        return Err(ApiError::validation(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or \
             SSESpecification or ReplicaUpdates is required",
        ));
    }
    if input.billing_mode == Some(BillingMode::PayPerRequest) && input.provisioned_throughput.is_some() {
        return Err(ApiError::invalid_parameter(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        ));
    }
    if input.billing_mode == Some(BillingMode::Provisioned) && input.provisioned_throughput.is_none() {
        return Err(ApiError::invalid_parameter(
            "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ));
    }
    input.provisioned_throughput.as_ref().map_or(Ok(()), check_bounds)?;
    input.sse_specification.as_ref().map_or(Ok(()), encryption::check)?;
    together::check(input)?;
    check_index_updates(updates.unwrap_or_default())?;
    let structural = |update: &&GlobalSecondaryIndexUpdate| update.create.is_some() || update.delete.is_some();
    if updates.unwrap_or_default().iter().filter(structural).count() > 1 {
        return Err(ApiError::limit_exceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
        ));
    }
    Ok(())
}

/// Every update must have an action, and no two the same index.
fn check_index_updates(updates: &[GlobalSecondaryIndexUpdate]) -> Result<(), ApiError> {
    let mut seen = BTreeSet::new();
    for GlobalSecondaryIndexUpdate { create, update, delete } in updates {
        let created = create.as_ref().map(|create| &create.index_name);
        let updated = update.as_ref().map(|update| &update.index_name);
        let deleted = delete.as_ref().map(|delete| &delete.index_name);
        let Some(index) = updated.or(created).or(deleted) else {
            return Err(ApiError::invalid_parameter(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                 GlobalSecondaryIndexUpdate.Delete must not be null",
            ));
        };
        if [created, updated, deleted].into_iter().flatten().count() > 1 {
            return Err(ApiError::invalid_parameter(
                "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
            ));
        }
        if !seen.insert(index) {
            return Err(ApiError::invalid_parameter(format_args!(
                "Only one global secondary index update per index is allowed simultaneously. Index: {index}"
            )));
        }
    }
    Ok(())
}

/// Applies all changes; gives the name of the index that was deleted.
fn update(
    shared: &Shared,
    view: &Published,
    table: &mut Table,
    input: &UpdateTableInput,
    batch: &mut Batch,
) -> Result<Option<String>, ApiError> {
    update_billing(shared, table, input)?;
    check_on_demand(table.billing.on_demand, input.on_demand_throughput.as_ref(), Of::Table)?;
    check_warm(input.warm_throughput.as_ref(), Some(warm_units(table, &table.capacity)), Of::Table)?;
    set_limits(&mut table.capacity, input.on_demand_throughput.as_ref(), input.warm_throughput.as_ref());
    let mut deleted = None;
    for change in input.global_secondary_index_updates.as_deref().unwrap_or_default() {
        if let Some(create) = &change.create {
            create_index(table, input, create)?;
        }
        if let Some(update) = &change.update {
            update_index(shared, table, update)?;
        }
        if let Some(delete) = &change.delete {
            delete_index(table, &delete.index_name, batch)?;
            deleted = Some(delete.index_name.clone());
        }
    }
    if let Some(asked) = &input.stream_specification {
        match (streaming::changed_view_type(asked)?, &table.stream) {
            (Some(_), Some(_)) => {
                return Err(ApiError::validation(format!("Table already has an enabled stream: TableName: {}", table.name)));
            }
            (Some(view_type), None) => streaming::open(shared, view, table, view_type, batch)?,
            (None, Some(_)) => streaming::close(shared, view, table, batch)?,
            (None, None) => {
                return Err(ApiError::validation(format!("Table has no stream to disable: TableName: {}", table.name)));
            }
        }
    }
    if let Some(asked) = &input.sse_specification {
        table.encryption = encryption::change(shared, table.encryption.as_ref(), asked)?;
    }
    if let Some(class) = &input.table_class {
        table.table_class = Some(class.as_str().to_owned());
    }
    if let Some(protected) = input.deletion_protection_enabled {
        table.deletion_protection = protected;
    }
    Ok(deleted)
}

fn update_billing(shared: &Shared, table: &mut Table, input: &UpdateTableInput) -> Result<(), ApiError> {
    let now = shared.now_ms();
    match (&input.billing_mode, &input.provisioned_throughput) {
        (Some(BillingMode::PayPerRequest), _) => {
            if !table.billing.on_demand {
                table.billing.on_demand = true;
                table.billing.on_demand_since_ms = Some(now);
            }
            set_units(&mut table.capacity, &ProvisionedThroughput::default(), now);
            for index in &mut table.indexes {
                set_units(&mut index.capacity, &ProvisionedThroughput::default(), now);
            }
        }
        (None, Some(_)) if table.billing.on_demand => {
            return Err(ApiError::invalid_parameter(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
            ));
        }
        (_, Some(throughput)) => {
            let same = !table.billing.on_demand
                && table.capacity.read_units == throughput.read_capacity_units
                && table.capacity.write_units == throughput.write_capacity_units;
            if same && input.global_secondary_index_updates.is_none() {
                return Err(ApiError::validation(format!(
                    "The provisioned throughput for the table will not change. The requested value equals the \
                     current value. Current ReadCapacityUnits provisioned for the table: {}. Requested \
                     ReadCapacityUnits: {}. Current WriteCapacityUnits provisioned for the table: {}. Requested \
                     WriteCapacityUnits: {}. Refer to the Amazon DynamoDB Developer Guide for current limits and how \
                     to request higher limits.",
                    table.capacity.read_units,
                    throughput.read_capacity_units,
                    table.capacity.write_units,
                    throughput.write_capacity_units
                )));
            }
            if table.billing.on_demand {
                check_indexes_have_throughput(table, input)?;
            }
            table.billing.on_demand = false;
            set_units(&mut table.capacity, throughput, now);
        }
        (_, None) => {}
    }
    Ok(())
}

/// A table that becomes provisioned needs a throughput for every global index.
fn check_indexes_have_throughput(table: &Table, input: &UpdateTableInput) -> Result<(), ApiError> {
    let updates = input.global_secondary_index_updates.as_deref().unwrap_or_default();
    let has_throughput = |name: &str| {
        let mut updates = updates.iter().filter_map(|update| update.update.as_ref());
        updates.any(|update| update.index_name == name && update.provisioned_throughput.is_some())
    };
    match table.globals().find(|index| !has_throughput(&index.name)) {
        Some(index) => Err(throughput_missing(&index.name)),
        None => Ok(()),
    }
}

fn throughput_missing(index: &str) -> ApiError {
    ApiError::invalid_parameter(format_args!("ProvisionedThroughput must be specified for index: {index}"))
}

/// The warm throughput of a table or index, for reads and for writes.
fn warm_units(table: &Table, capacity: &Capacity) -> (i64, i64) {
    let warm = warm(table, capacity);
    (warm.read_units_per_second.unwrap_or(1), warm.write_units_per_second.unwrap_or(1))
}

fn set_units(capacity: &mut Capacity, throughput: &ProvisionedThroughput, now: u64) {
    let (read, write) = (throughput.read_capacity_units, throughput.write_capacity_units);
    if read > capacity.read_units || write > capacity.write_units {
        capacity.increased_ms = Some(now);
    }
    if read < capacity.read_units || write < capacity.write_units {
        let is_same_day = capacity.decreased_ms.is_some_and(|before| before / DAY_MS == now / DAY_MS);
        capacity.decreases_that_day = if is_same_day { capacity.decreases_that_day + 1 } else { 1 };
        capacity.decreased_ms = Some(now);
    }
    capacity.read_units = read;
    capacity.write_units = write;
}

fn set_limits(capacity: &mut Capacity, on_demand: Option<&OnDemandThroughput>, warm: Option<&WarmThroughput>) {
    let limit = |units: Option<i64>, current: Option<i64>| match units {
        Some(units) => (units >= 0).then_some(units),
        None => current,
    };
    if let Some(asked) = on_demand {
        capacity.max_read_request_units = limit(asked.max_read_request_units, capacity.max_read_request_units);
        capacity.max_write_request_units = limit(asked.max_write_request_units, capacity.max_write_request_units);
    }
    if let Some(asked) = warm {
        capacity.warm_read_units = asked.read_units_per_second.or(capacity.warm_read_units);
        capacity.warm_write_units = asked.write_units_per_second.or(capacity.warm_write_units);
    }
}

fn create_index(
    table: &mut Table,
    input: &UpdateTableInput,
    create: &CreateGlobalSecondaryIndexAction,
) -> Result<(), ApiError> {
    if table.index(&create.index_name).is_some() {
        return Err(ApiError::validation(format!(
            "Attempting to create an index which already exists: {}",
            create.index_name
        )));
    }
    if table.globals().count() >= MAX_GLOBAL_INDEXES {
        return Err(ApiError::limit_exceeded(format!(
            "Subscriber limit exceeded: GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL_INDEXES}"
        )));
    }
    if table.globals().any(|index| index.status == IndexStatus::Creating) {
        return Err(ApiError::limit_exceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
        ));
    }
    // The request defines the attributes of the new key, even those that the table already has.
    let defined = declaration::attributes(input.attribute_definitions.as_deref().unwrap_or_default())?;
    let declared =
        declaration::declare_global(&create.index_name, &create.key_schema, &create.projection, &defined)?;
    let mut attributes = table.attributes.clone();
    for defined in defined {
        match attributes.iter().find(|known| known.name == defined.name) {
            Some(known) if known.kind != defined.kind => {
                return Err(redefined(table, &defined.name, &declared.key));
            }
            Some(_) => {}
            None => attributes.push(defined),
        }
    }
    check_index_throughput(&declared.name, table.billing.on_demand, create.provisioned_throughput.as_ref())?;
    check_on_demand(table.billing.on_demand, create.on_demand_throughput.as_ref(), Of::Index(&create.index_name))?;
    check_warm(create.warm_throughput.as_ref(), None, Of::Index(&create.index_name))?;
    table.indexes.push(Index {
        id: table.next_index_id,
        name: declared.name,
        kind: IndexKind::Global,
        key: declared.key,
        projection: declared.projection,
        status: IndexStatus::Creating,
        capacity: capacity(
            create.provisioned_throughput.as_ref(),
            create.on_demand_throughput.as_ref(),
            create.warm_throughput.as_ref(),
        ),
    });
    table.next_index_id = table.next_index_id.checked_add(1).ok_or_else(ApiError::internal)?;
    table.attributes = attributes;
    table.keep_used_attributes();
    Ok(())
}

/// The error for defining an attribute with another type than an existing key has it.
fn redefined(table: &Table, name: &str, key: &KeySchema) -> ApiError {
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let existing = keys.into_iter().find(|key| key.contains(name)).unwrap_or(&table.key);
    ApiError::invalid_parameter(format_args!(
        "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. \
         Existing schema: {existing} New schema: {key}"
    ))
}

fn update_index(shared: &Shared, table: &mut Table, update: &UpdateGlobalSecondaryIndexAction) -> Result<(), ApiError> {
    let on_demand = table.billing.on_demand;
    let before = table.clone();
    let now = shared.now_ms();
    let index = table.indexes.iter_mut().find(|index| index.name == update.index_name && index.kind == IndexKind::Global);
    let Some(index) = index else { return Err(index_not_found(&update.index_name)) };
    let (of, name) = (Of::Index(&update.index_name), &update.index_name);
    let is_limited = update.on_demand_throughput.is_some() || update.warm_throughput.is_some();
    match (update.provisioned_throughput.is_some() || is_limited, on_demand) {
        (false, false) => return Err(throughput_missing(name)),
        (false, true) => {
            return Err(ApiError::invalid_parameter(format_args!(
                "The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to \
                 OnDemandThroughput, WarmThroughput"
            )));
        }
        (true, _) => {}
    }
    check_on_demand(on_demand, update.on_demand_throughput.as_ref(), of)?;
    check_warm(update.warm_throughput.as_ref(), Some(warm_units(&before, &index.capacity)), of)?;
    if let Some(throughput) = &update.provisioned_throughput {
        if on_demand {
            return Err(ApiError::invalid_parameter(format_args!(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} when BillingMode is \
                 PAY_PER_REQUEST"
            )));
        }
        check_index_throughput(name, on_demand, Some(throughput))?;
        set_units(&mut index.capacity, throughput, now);
    }
    set_limits(&mut index.capacity, update.on_demand_throughput.as_ref(), update.warm_throughput.as_ref());
    Ok(())
}

fn delete_index(table: &mut Table, name: &str, batch: &mut Batch) -> Result<(), ApiError> {
    let at = table.indexes.iter().position(|index| index.name == name && index.kind == IndexKind::Global);
    let Some(at) = at else { return Err(index_not_found(name)) };
    let index = table.indexes.remove(at);
    batch.put(layout::dropped_index(table.id, index.id), Key::from([]));
    table.keep_used_attributes();
    Ok(())
}

fn index_not_found(name: &str) -> ApiError {
    ApiError::new(
        ErrorKind::ResourceNotFoundException,
        format!("Requested resource not found: Index: {name} not found"),
    )
}

/// The units as they were, with the times of the change that begins.
fn shown_throughput(
    after: Option<ProvisionedThroughputDescription>,
    before: Option<ProvisionedThroughputDescription>,
) -> Option<ProvisionedThroughputDescription> {
    let (after, before) = (after?, before?);
    Some(ProvisionedThroughputDescription {
        read_capacity_units: before.read_capacity_units,
        write_capacity_units: before.write_capacity_units,
        ..after
    })
}

/// The answer shows throughput as it was, since the change only begins, and an index that is deleted a last time.
fn show_before(description: &mut TableDescription, before: TableDescription, deleted: Option<&str>) {
    description.provisioned_throughput =
        shown_throughput(description.provisioned_throughput.take(), before.provisioned_throughput);
    // Encryption that is switched off is shown a last time.
    if description.sse_description.is_none() {
        description.sse_description = before
            .sse_description
            .map(|encryption| SSEDescription { status: Some(SseStatus::Updating), ..encryption });
    }
    for mut index in before.global_secondary_indexes.into_iter().flatten() {
        let indexes = description.global_secondary_indexes.get_or_insert_default();
        if let Some(shown) = indexes.iter_mut().find(|shown| shown.index_name == index.index_name) {
            shown.provisioned_throughput =
                shown_throughput(shown.provisioned_throughput.take(), index.provisioned_throughput);
        } else if index.index_name.as_deref() == deleted {
            index.index_status = Some(Status::Deleting);
            indexes.push(index);
        }
    }
}
