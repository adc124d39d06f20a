//! UpdateTimeToLive: turns the expiry of a table's items on or off.

use crate::shape::{TableName, shape};
use crate::shapes::limits::CONTROL_TABLE;
use crate::shapes::time_to_live::TimeToLiveSpecification;

shape! {
    /// The new setting.
    struct UpdateTimeToLiveInput {
        table_name: TableName = "TableName", CONTROL_TABLE;
        time_to_live_specification: TimeToLiveSpecification = "TimeToLiveSpecification";
    }
}

shape! {
    /// The setting as accepted.
    struct UpdateTimeToLiveOutput {
        time_to_live_specification: Option<TimeToLiveSpecification> = "TimeToLiveSpecification";
    }
}
