//! Throughput: provisioned, on demand, and warm.

use super::limits::POSITIVE;
use crate::shape::{Timestamp, choices, shape};

choices! {
    /// How a table is charged.
    enum BillingMode {
        Provisioned = "PROVISIONED",
        PayPerRequest = "PAY_PER_REQUEST",
    }
}

shape! {
    /// The throughput that a table or index is to have.
    struct ProvisionedThroughput {
        write_capacity_units: i64 = "WriteCapacityUnits", POSITIVE;
        read_capacity_units: i64 = "ReadCapacityUnits", POSITIVE;
    }
}

shape! {
    /// The throughput that a table or index has, and when it changed.
    struct ProvisionedThroughputDescription {
        last_increase_date_time: Option<Timestamp> = "LastIncreaseDateTime";
        last_decrease_date_time: Option<Timestamp> = "LastDecreaseDateTime";
        number_of_decreases_today: Option<i64> = "NumberOfDecreasesToday";
        read_capacity_units: Option<i64> = "ReadCapacityUnits";
        write_capacity_units: Option<i64> = "WriteCapacityUnits";
    }
}

shape! {
    /// The most that an on-demand table or index may consume per second; -1 lifts the limit.
    struct OnDemandThroughput {
        max_read_request_units: Option<i64> = "MaxReadRequestUnits";
        max_write_request_units: Option<i64> = "MaxWriteRequestUnits";
    }
}

shape! {
    /// The throughput that a table or index is to serve at once.
    struct WarmThroughput {
        read_units_per_second: Option<i64> = "ReadUnitsPerSecond", POSITIVE;
        write_units_per_second: Option<i64> = "WriteUnitsPerSecond", POSITIVE;
    }
}

shape! {
    /// The throughput that a table or index can serve at once.
    struct WarmThroughputDescription {
        read_units_per_second: Option<i64> = "ReadUnitsPerSecond";
        write_units_per_second: Option<i64> = "WriteUnitsPerSecond";
        status: Option<String> = "Status";
    }
}

shape! {
    /// How a table is charged, and since when on demand.
    struct BillingModeSummary {
        billing_mode: Option<BillingMode> = "BillingMode";
        last_update_to_pay_per_request_date_time: Option<Timestamp> = "LastUpdateToPayPerRequestDateTime";
    }
}
