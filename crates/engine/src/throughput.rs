//! Throughput as requests give it: what is kept of it, and its rules.

use sortkey_api::ApiError;
use sortkey_api::shapes::throughput::{OnDemandThroughput, ProvisionedThroughput, WarmThroughput};

use crate::table::Capacity;

/// Units beyond which AWS finds a throughput out of bounds.
const MAX_UNITS: i64 = 1_000_000_000_000;

pub(crate) fn capacity(
    provisioned: Option<&ProvisionedThroughput>,
    on_demand: Option<&OnDemandThroughput>,
    warm: Option<&WarmThroughput>,
) -> Capacity {
    let limit = |units: Option<i64>| units.filter(|units| *units >= 0);
    Capacity {
        read_units: provisioned.map_or(0, |throughput| throughput.read_capacity_units),
        write_units: provisioned.map_or(0, |throughput| throughput.write_capacity_units),
        max_read_request_units: on_demand.and_then(|throughput| limit(throughput.max_read_request_units)),
        max_write_request_units: on_demand.and_then(|throughput| limit(throughput.max_write_request_units)),
        warm_read_units: warm.and_then(|throughput| throughput.read_units_per_second),
        warm_write_units: warm.and_then(|throughput| throughput.write_units_per_second),
        ..Capacity::default()
    }
}

pub(crate) fn check_throughput(
    on_demand: bool,
    given: Option<&ProvisionedThroughput>,
) -> Result<(), ApiError> {
    match (on_demand, given) {
        (true, Some(_)) => Err(ApiError::invalid_parameter(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        )),
        (false, None) => Err(ApiError::invalid_parameter(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        )),
        (_, Some(throughput)) => check_bounds(throughput),
        (true, None) => Ok(()),
    }
}

pub(crate) fn check_bounds(throughput: &ProvisionedThroughput) -> Result<(), ApiError> {
    let units = [
        ("ReadCapacityUnits", throughput.read_capacity_units),
        ("WriteCapacityUnits", throughput.write_capacity_units),
    ];
    match units.iter().find(|(_, units)| *units > MAX_UNITS) {
        Some((name, units)) => {
            Err(ApiError::validation(format!("Given value {units} for {name} is out of bounds")))
        }
        None => Ok(()),
    }
}

pub(crate) fn check_index_throughput(
    index: &str,
    on_demand: bool,
    given: Option<&ProvisionedThroughput>,
) -> Result<(), ApiError> {
    match (on_demand, given) {
        (true, Some(_)) => Err(ApiError::invalid_parameter(format_args!(
            "ProvisionedThroughput should not be specified for index: {index} when BillingMode is PAY_PER_REQUEST"
        ))),
        (false, None) => Err(ApiError::invalid_parameter(format_args!(
            "ProvisionedThroughput must be specified for index: {index}"
        ))),
        (_, Some(throughput)) => check_bounds(throughput),
        (true, None) => Ok(()),
    }
}
