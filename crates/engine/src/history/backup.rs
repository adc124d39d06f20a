//! Backups: a table's descriptor and its items as they were at one moment.
//!
//! The items lie as a table's do, under an id that no table has. A backup that a user asks for is copied in the
//! background (see `jobs/transfers.rs`); what a deleted table with continuous backups leaves behind is its items themselves,
//! so that costs nothing.

use serde::{Deserialize, Serialize};
use sortkey_api::shapes::backup::{
    BackupDescription, BackupDetails, BackupStatus, BackupSummary, BackupType, GlobalSecondaryIndexInfo,
    LocalSecondaryIndexInfo, SourceTableDetails, SourceTableFeatureDetails,
};
use sortkey_api::shapes::stream::StreamSpecification;
use sortkey_api::shapes::throughput::{BillingMode, ProvisionedThroughputDescription};
use sortkey_api::shapes::time_to_live::{TimeToLiveDescription, TimeToLiveStatus};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Counts, Key, Published, Value};

use crate::catalog;
use crate::catalog::describe::{encryption, key_schema, on_demand, projection, timestamp, totals};
use crate::catalog::schema::Index;
use crate::catalog::table::{Capacity, Filling, Hold, Table};
use crate::engine::Shared;
use crate::history::past::Moment;
use crate::layout;

/// How long what a deleted table left behind can be restored.
const SYSTEM_RETENTION_MS: u64 = 35 * 24 * 60 * 60 * 1000;

/// A backup's descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Backup {
    /// Under which its items lie.
    pub(crate) id: u32,
    /// The end of its ARN; no two backups share it.
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Whether all items are there.
    pub(crate) complete: bool,
    pub(crate) created_ms: u64,
    pub(crate) expires_ms: Option<u64>,
    /// The moment of the table that it contains.
    pub(crate) moment: Moment,
    /// The table as it was.
    pub(crate) table: Table,
    pub(crate) item_count: i64,
    pub(crate) table_size_bytes: i64,
}

/// The originator of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    User,
    System,
}

impl Backup {
    /// A backup of a table as it is, to be copied in the background. The table keeps its history until then.
    pub(crate) fn begin(
        shared: &Shared,
        view: &Published,
        table: &mut Table,
        id: u32,
        name: String,
    ) -> Result<Backup, ApiError> {
        let mut backup = Backup::describe_table(shared, view, table, name)?;
        backup.id = id;
        let by = shared.backup_arn(&table.name, &backup.label);
        table.holds.push(Hold { by, since_ms: view.stamp.time_ms });
        Ok(backup)
    }

    /// The backup of a table that is deleted: its items stay in the store as they are, everything else is
    /// removed.
    pub(crate) fn of_deleted(
        shared: &Shared,
        view: &Published,
        table: &Table,
        batch: &mut Batch,
    ) -> Result<Backup, ApiError> {
        let name = format!("{}$DeletedTableBackup", table.name);
        let mut backup = Backup::describe_table(shared, view, table, name)?;
        backup.kind = Kind::System;
        backup.complete = true;
        backup.expires_ms = Some(backup.created_ms.saturating_add(SYSTEM_RETENTION_MS));
        let gone = table.indexes.iter().map(|index| index.id).chain([layout::SURROUNDINGS]);
        for index in gone {
            batch.put(layout::dropped_index(table.id, index), Key::from([]));
        }
        Ok(backup)
    }

    fn describe_table(
        shared: &Shared,
        view: &Published,
        table: &Table,
        name: String,
    ) -> Result<Backup, ApiError> {
        let Counts { items, bytes } = totals(view, table.id, 0)?;
        let created_ms = shared.now_ms();
        Ok(Backup {
            id: table.id,
            label: shared.label(created_ms),
            name,
            kind: Kind::User,
            complete: false,
            created_ms,
            expires_ms: None,
            moment: Moment::now(view),
            table: table.clone(),
            item_count: items,
            table_size_bytes: bytes,
        })
    }

    /// The backup that an ARN names.
    pub(crate) fn find(shared: &Shared, view: &Published, arn: &str) -> Result<Backup, ApiError> {
        let label = arn.rsplit_once("/backup/").map_or("", |(_, label)| label);
        let found = catalog::backup(view, label)?;
        let is_meant = |backup: &Backup| shared.backup_arn(&backup.table.name, label) == arn;
        found.filter(is_meant).ok_or_else(|| {
            ApiError::new(ErrorKind::BackupNotFoundException, format!("Backup not found: {arn}"))
        })
    }

    /// Whether a table is being made of it. The caller holds its lock.
    pub(crate) fn is_being_restored(&self, view: &Published) -> Result<bool, ApiError> {
        for table in catalog::tables(view) {
            if matches!(table?.filling, Some(Filling::Backup { source }) if source == self.id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_vec(self).expect("a descriptor has only string keys").into()
    }

    pub(crate) fn details(&self, shared: &Shared, view: &Published) -> Result<BackupDetails, ApiError> {
        let status = if self.complete { BackupStatus::Available } else { BackupStatus::Creating };
        Ok(BackupDetails {
            backup_arn: shared.backup_arn(&self.table.name, &self.label),
            backup_name: self.name.clone(),
            backup_size_bytes: Some(totals(view, self.id, 0)?.bytes),
            backup_status: status,
            backup_type: self.backup_type(),
            backup_creation_date_time: timestamp(self.created_ms),
            backup_expiry_date_time: self.expires_ms.map(timestamp),
        })
    }

    pub(crate) fn summary(&self, shared: &Shared, view: &Published) -> Result<BackupSummary, ApiError> {
        let details = self.details(shared, view)?;
        Ok(BackupSummary {
            table_name: Some(self.table.name.to_string()),
            table_id: Some(self.table.uuid.clone()),
            table_arn: Some(shared.table_arn(&self.table.name)),
            backup_arn: Some(details.backup_arn),
            backup_name: Some(details.backup_name),
            backup_creation_date_time: Some(details.backup_creation_date_time),
            backup_expiry_date_time: details.backup_expiry_date_time,
            backup_status: Some(details.backup_status),
            backup_type: Some(details.backup_type),
            backup_size_bytes: details.backup_size_bytes,
        })
    }

    pub(crate) fn description(
        &self,
        shared: &Shared,
        view: &Published,
    ) -> Result<BackupDescription, ApiError> {
        let table = &self.table;
        let mode =
            if table.billing.on_demand { BillingMode::PayPerRequest } else { BillingMode::Provisioned };
        Ok(BackupDescription {
            backup_details: Some(self.details(shared, view)?),
            source_table_details: Some(SourceTableDetails {
                table_name: table.name.to_string(),
                table_id: table.uuid.clone(),
                table_arn: Some(shared.table_arn(&table.name)),
                table_size_bytes: Some(self.table_size_bytes),
                key_schema: key_schema(&table.key),
                table_creation_date_time: timestamp(table.created_ms),
                provisioned_throughput: units(&table.capacity),
                on_demand_throughput: on_demand(&table.capacity),
                item_count: Some(self.item_count),
                billing_mode: Some(mode),
            }),
            source_table_feature_details: Some(features(table)),
        })
    }

    pub(crate) fn backup_type(&self) -> BackupType {
        match self.kind {
            Kind::User => BackupType::User,
            Kind::System => BackupType::System,
        }
    }
}

/// What a table or index was to have. When that changed is not part of a backup.
fn units(capacity: &Capacity) -> ProvisionedThroughputDescription {
    ProvisionedThroughputDescription {
        read_capacity_units: Some(capacity.read_units),
        write_capacity_units: Some(capacity.write_units),
        ..ProvisionedThroughputDescription::default()
    }
}

fn features(table: &Table) -> SourceTableFeatureDetails {
    let local = |index: &Index| LocalSecondaryIndexInfo {
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
    };
    let global = |index: &Index| GlobalSecondaryIndexInfo {
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
        provisioned_throughput: Some(units(&index.capacity)),
        on_demand_throughput: on_demand(&index.capacity),
    };
    let locals: Vec<_> = table.locals().map(local).collect();
    let globals: Vec<_> = table.globals().map(global).collect();
    SourceTableFeatureDetails {
        local_secondary_indexes: Some(locals).filter(|locals| !locals.is_empty()),
        global_secondary_indexes: Some(globals).filter(|globals| !globals.is_empty()),
        stream_description: table.stream.as_ref().map(|stream| StreamSpecification {
            stream_enabled: true,
            stream_view_type: Some(stream.view_type.as_str().into()),
        }),
        time_to_live_description: table.expiry.as_ref().map(|expiry| TimeToLiveDescription {
            time_to_live_status: Some(TimeToLiveStatus::Enabled),
            attribute_name: Some(expiry.attribute.clone()),
        }),
        sse_description: encryption(table),
    }
}

impl Shared {
    /// The end of the ARN of a backup, an export or an import: the time when it began, and a random number.
    pub(crate) fn label(&self, time_ms: u64) -> String {
        format!("{time_ms:014}-{:08x}", self.random() >> 32)
    }

    pub(crate) fn backup_arn(&self, table: &str, label: &str) -> String {
        format!("{}/backup/{label}", self.table_arn(table))
    }
}
