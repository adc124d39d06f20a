//! RestoreTableFromBackup: a new table, which can be used when all items are in it.

use std::sync::Arc;

use sortkey_api::operations::{
    RestoreTableFromBackup, RestoreTableFromBackupInput, RestoreTableFromBackupOutput,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Lock};

use super::Run;
use crate::history::backup::Backup;
use crate::engine::Shared;
use crate::layout;
use crate::reply::Reply;
use crate::history::restore::{self, Overrides};
use crate::catalog::table::{Filling, Restored};

impl Run for RestoreTableFromBackup {
    fn run(
        shared: &Arc<Shared>,
        input: RestoreTableFromBackupInput,
    ) -> Result<Reply<RestoreTableFromBackupOutput>, ApiError> {
        let overrides = Overrides::from(&input);
        overrides.check()?;
        let RestoreTableFromBackupInput { target_table_name: target, backup_arn: arn, .. } = input;
        let label = Backup::find(shared, &shared.committer.view(), &arn)?.label;
        let mut locks = restore::locks(&target);
        // The backup stays until the table that names it as its source is in the catalog.
        locks.push(Lock::exclusive(layout::backup(&label)));
        Ok(shared.write_then(locks, Shared::wake_transfers, move |shared, view| {
            let backup = Backup::find(shared, view, &arn)?;
            restore::check_free(shared, view, &target)?;
            if !backup.complete {
                let message = format!("Backup is being created: {arn}");
                return Err(ApiError::new(ErrorKind::BackupInUseException, message));
            }
            let table_arn = shared.table_arn(&backup.table.name);
            let restored = Restored { backup_arn: Some(arn), table_arn, time_ms: backup.created_ms };
            let origin = (Filling::Backup { source: backup.id }, restored);
            let mut batch = Batch::new();
            let description =
                restore::begin(shared, view, &backup.table, &target, &overrides, origin, &mut batch)?;
            Ok((batch, RestoreTableFromBackupOutput { table_description: Some(description) }))
        }))
    }
}
