//! Tables as DescribeTable and its relatives show them.

use sortkey_api::shapes::index::{
    GlobalSecondaryIndexDescription, IndexStatus as Status, LocalSecondaryIndexDescription,
    Projection as ProjectionShape, ProjectionType,
};
use sortkey_api::shapes::stream::StreamSpecification;
use sortkey_api::shapes::table::{
    AttributeDefinition, KeySchemaElement, KeyType, RestoreSummary, SSEDescription, SseStatus, SseType,
    TableClass, TableClassSummary, TableDescription, TableStatus,
};
use sortkey_api::shapes::throughput::{
    BillingMode, BillingModeSummary, OnDemandThroughput, ProvisionedThroughputDescription,
    WarmThroughputDescription,
};
use sortkey_api::{ApiError, Timestamp};
use sortkey_storage::{Counts, Published};

use crate::catalog::schema::{Index, IndexStatus, KeySchema, Projection};
use crate::catalog::table::{Capacity, Table};
use crate::engine::Shared;
use crate::layout;
use crate::reply::storage_failure;

/// The units that a new on-demand table or index can serve at once.
const WARM_READ_UNITS: i64 = 12_000;
const WARM_WRITE_UNITS: i64 = 4_000;

pub(crate) fn timestamp(time_ms: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(time_ms).unwrap_or(i64::MAX))
}

pub(crate) fn key_schema(key: &KeySchema) -> Vec<KeySchemaElement> {
    let element =
        |name: &String, key_type: KeyType| KeySchemaElement { attribute_name: name.clone(), key_type };
    let partition = key.partition.iter().map(|attribute| element(&attribute.name, KeyType::Hash));
    let sort = key.sort.iter().map(|attribute| element(&attribute.name, KeyType::Range));
    partition.chain(sort).collect()
}

impl Shared {
    /// A table as it is in a state of the database. One whose items are not there yet is being created.
    pub(crate) fn describe(
        &self,
        view: &Published,
        table: &Table,
        status: TableStatus,
    ) -> Result<TableDescription, ApiError> {
        let totals = |index: u16| totals(view, table.id, index);
        let size = totals(0)?;
        let locals = table.locals().map(|index| Ok(self.describe_local(table, index, totals(index.id)?)));
        let globals = table.globals().map(|index| Ok(self.describe_global(table, index, totals(index.id)?)));
        let none_if_empty = |count: usize| (count > 0).then_some(());
        Ok(TableDescription {
            attribute_definitions: Some(
                table
                    .attributes
                    .iter()
                    .map(|attribute| AttributeDefinition {
                        attribute_name: attribute.name.clone(),
                        attribute_type: attribute.kind.as_str().into(),
                    })
                    .collect(),
            ),
            table_name: Some(table.name.to_string()),
            key_schema: Some(key_schema(&table.key)),
            table_status: Some(if self.catalog.is_creating(table) { TableStatus::Creating } else { status }),
            creation_date_time: Some(timestamp(table.created_ms)),
            provisioned_throughput: Some(provisioned(&table.capacity, self.now_ms())),
            table_size_bytes: Some(size.bytes),
            item_count: Some(size.items),
            table_arn: Some(self.table_arn(&table.name)),
            table_id: Some(table.uuid.clone()),
            billing_mode_summary: billing_summary(table),
            local_secondary_indexes: none_if_empty(table.locals().count())
                .map(|()| locals.collect::<Result<_, ApiError>>())
                .transpose()?,
            global_secondary_indexes: none_if_empty(table.globals().count())
                .map(|()| globals.collect::<Result<_, ApiError>>())
                .transpose()?,
            stream_specification: table.stream.as_ref().map(|stream| StreamSpecification {
                stream_enabled: true,
                stream_view_type: Some(stream.view_type.as_str().into()),
            }),
            latest_stream_label: table.stream.as_ref().map(|stream| stream.label.clone()),
            latest_stream_arn: table
                .stream
                .as_ref()
                .map(|stream| self.stream_arn(&table.name, &stream.label)),
            restore_summary: table.restored.as_ref().map(|restored| RestoreSummary {
                source_backup_arn: restored.backup_arn.clone(),
                source_table_arn: Some(restored.table_arn.clone()),
                restore_date_time: timestamp(restored.time_ms),
                restore_in_progress: table.filling.is_some(),
            }),
            sse_description: encryption(table),
            table_class_summary: table.table_class.as_ref().map(|class| TableClassSummary {
                table_class: Some(TableClass::from(class.as_str())),
                last_update_date_time: None,
            }),
            deletion_protection_enabled: Some(table.deletion_protection),
            on_demand_throughput: on_demand(&table.capacity),
            warm_throughput: Some(warm(table, &table.capacity)),
        })
    }

    fn describe_local(&self, table: &Table, index: &Index, size: Counts) -> LocalSecondaryIndexDescription {
        LocalSecondaryIndexDescription {
            index_name: Some(index.name.clone()),
            key_schema: Some(key_schema(&index.key)),
            projection: Some(projection(&index.projection)),
            index_size_bytes: Some(size.bytes),
            item_count: Some(size.items),
            index_arn: Some(self.index_arn(&table.name, &index.name)),
        }
    }

    fn describe_global(&self, table: &Table, index: &Index, size: Counts) -> GlobalSecondaryIndexDescription {
        let backfilling = index.status == IndexStatus::Creating;
        let creating = backfilling || table.filling.is_some();
        GlobalSecondaryIndexDescription {
            index_name: Some(index.name.clone()),
            key_schema: Some(key_schema(&index.key)),
            projection: Some(projection(&index.projection)),
            index_status: Some(if creating { Status::Creating } else { Status::Active }),
            backfilling: backfilling.then_some(true),
            provisioned_throughput: Some(provisioned(&index.capacity, self.now_ms())),
            index_size_bytes: Some(size.bytes),
            item_count: Some(size.items),
            index_arn: Some(self.index_arn(&table.name, &index.name)),
            on_demand_throughput: on_demand(&index.capacity),
            warm_throughput: Some(warm(table, &index.capacity)),
        }
    }
}

/// How a table is encrypted, if not by a key of the service.
pub(crate) fn encryption(table: &Table) -> Option<SSEDescription> {
    table.encryption.as_ref().map(|encryption| SSEDescription {
        status: Some(SseStatus::Enabled),
        sse_type: Some(SseType::Kms),
        kms_master_key_arn: Some(encryption.key_arn.clone()),
        inaccessible_encryption_date_time: None,
    })
}

pub(crate) fn totals(view: &Published, table: u32, index: u16) -> Result<Counts, ApiError> {
    let value = view.snapshot.get(&layout::totals(table, index)).map_err(|error| storage_failure(&error))?;
    Ok(value.map(|value| Counts::from_value(&value)).unwrap_or_default())
}

fn billing_summary(table: &Table) -> Option<BillingModeSummary> {
    let since_ms = table.billing.on_demand_since_ms?;
    let mode = if table.billing.on_demand { BillingMode::PayPerRequest } else { BillingMode::Provisioned };
    Some(BillingModeSummary {
        billing_mode: Some(mode),
        last_update_to_pay_per_request_date_time: Some(timestamp(since_ms)),
    })
}

/// A day; capacity counts its decreases by it.
pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

pub(crate) fn provisioned(capacity: &Capacity, now_ms: u64) -> ProvisionedThroughputDescription {
    let is_today = capacity.decreased_ms.is_some_and(|decreased_ms| decreased_ms / DAY_MS == now_ms / DAY_MS);
    ProvisionedThroughputDescription {
        last_increase_date_time: capacity.increased_ms.map(timestamp),
        last_decrease_date_time: capacity.decreased_ms.map(timestamp),
        number_of_decreases_today: Some(if is_today { capacity.decreases_that_day } else { 0 }),
        read_capacity_units: Some(capacity.read_units),
        write_capacity_units: Some(capacity.write_units),
    }
}

pub(crate) fn on_demand(capacity: &Capacity) -> Option<OnDemandThroughput> {
    let (read, write) = (capacity.max_read_request_units, capacity.max_write_request_units);
    (read.is_some() || write.is_some()).then_some(OnDemandThroughput {
        max_read_request_units: Some(read.unwrap_or(-1)),
        max_write_request_units: Some(write.unwrap_or(-1)),
    })
}

pub(crate) fn warm(table: &Table, capacity: &Capacity) -> WarmThroughputDescription {
    let units = |asked: Option<i64>, provisioned: i64, on_demand: i64| {
        asked.unwrap_or(if table.billing.on_demand { on_demand } else { provisioned })
    };
    WarmThroughputDescription {
        read_units_per_second: Some(units(capacity.warm_read_units, capacity.read_units, WARM_READ_UNITS)),
        write_units_per_second: Some(units(
            capacity.warm_write_units,
            capacity.write_units,
            WARM_WRITE_UNITS,
        )),
        status: Some("ACTIVE".into()),
    }
}

pub(crate) fn projection(projection: &Projection) -> ProjectionShape {
    let (kind, names) = match projection {
        Projection::All => (ProjectionType::All, None),
        Projection::KeysOnly => (ProjectionType::KeysOnly, None),
        Projection::Include(names) => (ProjectionType::Include, Some(names.clone())),
    };
    ProjectionShape { projection_type: Some(kind), non_key_attributes: names }
}
