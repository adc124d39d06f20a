//! UpdateContinuousBackups: turns point-in-time recovery on or off.

use crate::shape::{TableName, shape};
use crate::shapes::recovery::{ContinuousBackupsDescription, PointInTimeRecoverySpecification};

shape! {
    /// The new setting.
    struct UpdateContinuousBackupsInput {
        table_name: TableName = "TableName";
        point_in_time_recovery_specification: PointInTimeRecoverySpecification = "PointInTimeRecoverySpecification";
    }
}

shape! {
    /// The setting as it is.
    struct UpdateContinuousBackupsOutput {
        continuous_backups_description: Option<ContinuousBackupsDescription> = "ContinuousBackupsDescription";
    }
}
