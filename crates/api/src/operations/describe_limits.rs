//! DescribeLimits: the quotas of the account.

use crate::shape::shape;

shape! {
    /// No parameters.
    struct DescribeLimitsInput {}
}

shape! {
    /// The quotas.
    struct DescribeLimitsOutput {
        account_max_read_capacity_units: Option<i64> = "AccountMaxReadCapacityUnits";
        account_max_write_capacity_units: Option<i64> = "AccountMaxWriteCapacityUnits";
        table_max_read_capacity_units: Option<i64> = "TableMaxReadCapacityUnits";
        table_max_write_capacity_units: Option<i64> = "TableMaxWriteCapacityUnits";
    }
}
