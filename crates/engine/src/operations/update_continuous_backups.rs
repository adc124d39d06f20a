//! UpdateContinuousBackups: from when it is on, every change leaves behind what was there before; once it is off, all
//! of that is forgotten.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{
    UpdateContinuousBackups, UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput,
};

use super::Run;
use crate::engine::Shared;
use crate::history::recovery;
use crate::reply::Reply;
use crate::catalog::table::Recovery;

impl Run for UpdateContinuousBackups {
    fn run(
        shared: &Arc<Shared>,
        input: UpdateContinuousBackupsInput,
    ) -> Result<Reply<UpdateContinuousBackupsOutput>, ApiError> {
        let name = input.table_name.name().to_owned();
        let asked = &input.point_in_time_recovery_specification;
        if !asked.point_in_time_recovery_enabled && asked.recovery_period_in_days.is_some() {
            return Err(ApiError::validation(
                "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
            ));
        }
        if shared.catalog.find(&shared.committer.view(), &name)?.is_none() {
            return Err(recovery::table_not_found(&name));
        }
        Ok(shared.update_table_then(&name, Shared::wake_background, move |shared, view, table| {
            let asked = input.point_in_time_recovery_specification;
            table.recovery = asked.point_in_time_recovery_enabled.then(|| {
                let started = table.recovery.take().unwrap_or_else(|| recovery::start(shared, view));
                let period_days =
                    asked.recovery_period_in_days.map_or(recovery::DEFAULT_PERIOD_DAYS, i64::from);
                Recovery { period_days, ..started }
            });
            let description = recovery::describe(shared, table);
            Ok(UpdateContinuousBackupsOutput { continuous_backups_description: Some(description) })
        }))
    }
}
