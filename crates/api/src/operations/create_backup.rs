//! CreateBackup.

use crate::shape::{TableName, shape};
use crate::shapes::backup::BackupDetails;
use crate::shapes::limits::BACKUP_NAME;

shape! {
    /// The table, and the name of the backup.
    struct CreateBackupInput {
        table_name: TableName = "TableName";
        backup_name: String = "BackupName", BACKUP_NAME;
    }
}

shape! {
    /// The backup as it begins.
    struct CreateBackupOutput {
        backup_details: Option<BackupDetails> = "BackupDetails";
    }
}
