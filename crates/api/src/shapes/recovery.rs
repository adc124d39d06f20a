//! Continuous backups.

use crate::shape::{Timestamp, choices, shape};

choices! {
    /// Whether something is on.
    enum RecoveryStatus {
        Enabled = "ENABLED",
        Disabled = "DISABLED",
    }
}

shape! {
    /// Whether a table can be restored to any second, and how far back.
    struct PointInTimeRecoverySpecification {
        point_in_time_recovery_enabled: bool = "PointInTimeRecoveryEnabled";
        recovery_period_in_days: Option<i32> = "RecoveryPeriodInDays", &[AtLeast(1), AtMost(35)];
    }
}

shape! {
    /// The continuous backups of a table as they are.
    struct ContinuousBackupsDescription {
        continuous_backups_status: RecoveryStatus = "ContinuousBackupsStatus";
        point_in_time_recovery_description: Option<PointInTimeRecoveryDescription> = "PointInTimeRecoveryDescription";
    }
}

shape! {
    /// The window to which a table can be restored.
    struct PointInTimeRecoveryDescription {
        point_in_time_recovery_status: Option<RecoveryStatus> = "PointInTimeRecoveryStatus";
        recovery_period_in_days: Option<i32> = "RecoveryPeriodInDays";
        earliest_restorable_date_time: Option<Timestamp> = "EarliestRestorableDateTime";
        latest_restorable_date_time: Option<Timestamp> = "LatestRestorableDateTime";
    }
}
