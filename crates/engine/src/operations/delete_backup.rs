//! DeleteBackup: it is gone at once; its items are cleared away in the background.

use std::sync::Arc;

use sortkey_api::operations::{DeleteBackup, DeleteBackupInput, DeleteBackupOutput};
use sortkey_api::shapes::backup::BackupStatus;
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Key, Lock};

use super::Run;
use crate::history::backup::Backup;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::layout;

impl Run for DeleteBackup {
    fn run(shared: &Arc<Shared>, input: DeleteBackupInput) -> Result<Reply<DeleteBackupOutput>, ApiError> {
        let arn = input.backup_arn;
        let key = layout::backup(&Backup::find(shared, &shared.committer.view(), &arn)?.label);
        let locks = vec![Lock::exclusive(key.clone())];
        Ok(shared.write_then(locks, Shared::wake_background, move |shared, view| {
            let backup = Backup::find(shared, view, &arn)?;
            if !backup.complete || backup.is_being_restored(view)? {
                let message = format!("Backup is in use: {arn}");
                return Err(ApiError::new(ErrorKind::BackupInUseException, message));
            }
            let mut description = backup.description(shared, view)?;
            if let Some(details) = &mut description.backup_details {
                details.backup_status = BackupStatus::Deleted;
            }
            let mut batch = Batch::new();
            batch.delete(key);
            batch.put(layout::dropped(backup.id), Key::from([]));
            Ok((batch, DeleteBackupOutput { backup_description: Some(description) }))
        }))
    }
}
