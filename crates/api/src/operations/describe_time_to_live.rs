//! DescribeTimeToLive.

use crate::shape::{TableName, shape};
use crate::shapes::limits::CONTROL_TABLE;
use crate::shapes::time_to_live::TimeToLiveDescription;

shape! {
    /// The table.
    struct DescribeTimeToLiveInput {
        table_name: TableName = "TableName", CONTROL_TABLE;
    }
}

shape! {
    /// The expiry setting as it is.
    struct DescribeTimeToLiveOutput {
        time_to_live_description: Option<TimeToLiveDescription> = "TimeToLiveDescription";
    }
}
