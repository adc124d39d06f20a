//! ListBackups.

use crate::shape::{TableName, Timestamp, shape};
use crate::shapes::backup::{BackupSummary, BackupTypeFilter};
use crate::shapes::limits::BACKUP_ARN;

shape! {
    /// The filter on the backups to list, and the page.
    struct ListBackupsInput {
        table_name: Option<TableName> = "TableName";
        limit: Option<i32> = "Limit", &[AtLeast(1), AtMost(100)];
        time_range_lower_bound: Option<Timestamp> = "TimeRangeLowerBound";
        time_range_upper_bound: Option<Timestamp> = "TimeRangeUpperBound";
        exclusive_start_backup_arn: Option<String> = "ExclusiveStartBackupArn", BACKUP_ARN;
        backup_type: Option<BackupTypeFilter> = "BackupType";
    }
}

shape! {
    /// A page of backups.
    struct ListBackupsOutput {
        backup_summaries: Option<Vec<BackupSummary>> = "BackupSummaries";
        last_evaluated_backup_arn: Option<String> = "LastEvaluatedBackupArn";
    }
}
