//! The setting of continuous backups, as it is shown.

use sortkey_api::shapes::backup::{
    BackupStatus, ContinuousBackupsDescription, PointInTimeRecoveryDescription,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Clock;

use crate::describe::timestamp;
use crate::engine::Shared;
use crate::table::Table;

/// How far back a table can be restored unless said otherwise.
pub(crate) const DEFAULT_PERIOD_DAYS: i64 = 35;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// AWS needs a few minutes before a second can be restored; here the last whole second can.
const LATEST_LAG_MS: u64 = 1000;

pub(crate) fn describe(shared: &Shared, table: &Table) -> ContinuousBackupsDescription {
    let now = shared.clock.now_ms();
    let recovery = table.recovery.as_ref();
    let earliest = recovery.map(|recovery| {
        let period_ms = u64::try_from(recovery.period_days).unwrap_or(0) * DAY_MS;
        recovery.since_ms.max(now.saturating_sub(period_ms))
    });
    let status = if recovery.is_some() { BackupStatus::Enabled } else { BackupStatus::Disabled };
    ContinuousBackupsDescription {
        continuous_backups_status: BackupStatus::Enabled,
        point_in_time_recovery_description: Some(PointInTimeRecoveryDescription {
            point_in_time_recovery_status: Some(status),
            recovery_period_in_days: recovery.and_then(|recovery| i32::try_from(recovery.period_days).ok()),
            earliest_restorable_date_time: earliest.map(timestamp),
            latest_restorable_date_time: earliest
                .map(|earliest| timestamp(earliest.max(now.saturating_sub(LATEST_LAG_MS)))),
        }),
    }
}

pub(crate) fn table_not_found(name: &str) -> ApiError {
    ApiError::new(ErrorKind::TableNotFoundException, format!("Table not found: {name}"))
}
