//! UpdateContinuousBackups: the setting. Restoring to a point in time is not there yet.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{
    UpdateContinuousBackups, UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput,
};
use sortkey_storage::Clock;

use super::Run;
use crate::engine::Shared;
use crate::recovery;
use crate::reply::Reply;
use crate::table::Recovery;

impl Run for UpdateContinuousBackups {
    fn run(
        shared: &Arc<Shared>,
        input: UpdateContinuousBackupsInput,
    ) -> Result<Reply<UpdateContinuousBackupsOutput>, ApiError> {
        let name = input.table_name.name().to_owned();
        if shared.catalog.find(&shared.committer.view(), &name)?.is_none() {
            return Err(recovery::table_not_found(&name));
        }
        Ok(shared.update_table(&name, move |shared, _, table| {
            let asked = &input.point_in_time_recovery_specification;
            let since_ms = table.recovery.as_ref().map_or_else(|| shared.clock.now_ms(), |current| current.since_ms);
            let period_days = asked.recovery_period_in_days.map_or(recovery::DEFAULT_PERIOD_DAYS, i64::from);
            table.recovery =
                asked.point_in_time_recovery_enabled.then_some(Recovery { since_ms, period_days });
            let description = recovery::describe(shared, table);
            Ok(UpdateContinuousBackupsOutput { continuous_backups_description: Some(description) })
        }))
    }
}
