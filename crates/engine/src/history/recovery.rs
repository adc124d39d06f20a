//! Continuous backups: the setting, and the times to which a table can be restored.

use std::ops::RangeInclusive;

use sortkey_api::shapes::recovery::{
    ContinuousBackupsDescription, PointInTimeRecoveryDescription, RecoveryStatus,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Published;

use crate::catalog::describe::timestamp;
use crate::catalog::table::{Recovery, Table};
use crate::engine::Shared;

/// How far back a table can be restored by default.
pub(crate) const DEFAULT_PERIOD_DAYS: i64 = 35;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

impl Recovery {
    /// The earliest time to which the table can be restored.
    pub(crate) fn earliest_ms(&self, now_ms: u64) -> u64 {
        let period_ms = u64::try_from(self.period_days).unwrap_or(0) * DAY_MS;
        self.since_ms.max(now_ms.saturating_sub(period_ms))
    }

    /// The times to which the table can be restored.
    pub(crate) fn window_ms(&self, now_ms: u64) -> RangeInclusive<u64> {
        let earliest = self.earliest_ms(now_ms);
        earliest..=earliest.max(now_ms)
    }
}

/// Continuous backups that begin with the write that is being prepared. The currently visible state precedes
/// them.
pub(crate) fn start(shared: &Shared, view: &Published) -> Recovery {
    let since_ms = shared.now_ms().max(view.stamp.time_ms);
    Recovery { since_ms, since_version: view.stamp.version, period_days: DEFAULT_PERIOD_DAYS }
}

/// AWS needs a few minutes before a time can be restored. Here every answered write can, so the latest time is now.
pub(crate) fn describe(shared: &Shared, table: &Table) -> ContinuousBackupsDescription {
    let now = shared.now_ms();
    let recovery = table.recovery.as_ref();
    let window = recovery.map(|recovery| recovery.window_ms(now));
    let status = if recovery.is_some() { RecoveryStatus::Enabled } else { RecoveryStatus::Disabled };
    ContinuousBackupsDescription {
        continuous_backups_status: RecoveryStatus::Enabled,
        point_in_time_recovery_description: Some(PointInTimeRecoveryDescription {
            point_in_time_recovery_status: Some(status),
            recovery_period_in_days: recovery.and_then(|recovery| i32::try_from(recovery.period_days).ok()),
            earliest_restorable_date_time: window.as_ref().map(|window| timestamp(*window.start())),
            latest_restorable_date_time: window.as_ref().map(|window| timestamp(*window.end())),
        }),
    }
}

pub(crate) fn table_not_found(name: &str) -> ApiError {
    ApiError::new(ErrorKind::TableNotFoundException, format!("Table not found: {name}"))
}

/// The error for reading a table at an earlier time while continuous backups are off.
pub(crate) fn unavailable(name: &str) -> ApiError {
    let message = format!("Point in time recovery is not enabled for table '{name}'");
    ApiError::new(ErrorKind::PointInTimeRecoveryUnavailableException, message)
}
