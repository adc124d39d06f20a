//! DescribeBackup.

use crate::shape::shape;
use crate::shapes::backup::BackupDescription;
use crate::shapes::limits::BACKUP_ARN;

shape! {
    /// The backup to describe.
    struct DescribeBackupInput {
        backup_arn: String = "BackupArn", BACKUP_ARN;
    }
}

shape! {
    /// The backup as it is.
    struct DescribeBackupOutput {
        backup_description: Option<BackupDescription> = "BackupDescription";
    }
}
