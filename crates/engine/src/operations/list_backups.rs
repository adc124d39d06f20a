//! ListBackups: the oldest first, those of users unless asked otherwise.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{ListBackups, ListBackupsInput, ListBackupsOutput};
use sortkey_api::shapes::backup::BackupTypeFilter;

use super::Run;
use crate::history::backup::Backup;
use crate::catalog;
use crate::catalog::describe::timestamp;
use crate::engine::Shared;
use crate::reply::Reply;

const DEFAULT_LIMIT: usize = 100;

impl Run for ListBackups {
    fn run(shared: &Arc<Shared>, input: ListBackupsInput) -> Result<Reply<ListBackupsOutput>, ApiError> {
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        // The start may have been deleted meanwhile; its label still determines its position.
        let start = input.exclusive_start_backup_arn.as_deref().and_then(|arn| arn.rsplit_once("/backup/"));
        let range = (input.time_range_lower_bound, input.time_range_upper_bound);
        if matches!(range, (Some(low), Some(high)) if low > high) {
            return Err(ApiError::invalid_parameter(
                "Time range lower bound must be less than or equal to upper bound",
            ));
        }
        let view = shared.committer.view();
        let mut summaries = Vec::new();
        for backup in catalog::backups(&view) {
            let backup = backup?;
            let is_behind = start.is_none_or(|(_, label)| backup.label.as_str() > label);
            if is_behind && is_wanted(&input, &backup) {
                summaries.push(backup.summary(shared, &view)?);
            }
        }
        let more = summaries.len() > limit;
        summaries.truncate(limit);
        Ok(Reply::now(ListBackupsOutput {
            last_evaluated_backup_arn: summaries
                .last()
                .filter(|_| more)
                .and_then(|last| last.backup_arn.clone()),
            backup_summaries: Some(summaries),
        }))
    }
}

/// The lower bound of time is inclusive, the upper one is not.
fn is_wanted(input: &ListBackupsInput, backup: &Backup) -> bool {
    let created = timestamp(backup.created_ms);
    let kind = input.backup_type.as_ref().unwrap_or(&BackupTypeFilter::User);
    input.table_name.as_ref().is_none_or(|name| name.name() == &*backup.table.name)
        && input.time_range_lower_bound.is_none_or(|low| created >= low)
        && input.time_range_upper_bound.is_none_or(|high| created < high)
        && (*kind == BackupTypeFilter::All || kind.as_str() == backup.backup_type().as_str())
}
