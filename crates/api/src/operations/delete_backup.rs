//! DeleteBackup.

use crate::shape::shape;
use crate::shapes::backup::BackupDescription;
use crate::shapes::limits::BACKUP_ARN;

shape! {
    /// The backup to delete.
    struct DeleteBackupInput {
        backup_arn: String = "BackupArn", BACKUP_ARN;
    }
}

shape! {
    /// The backup as it was.
    struct DeleteBackupOutput {
        backup_description: Option<BackupDescription> = "BackupDescription";
    }
}
