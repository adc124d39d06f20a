//! Throughput as requests give it: what is kept of it, and its rules.

use sortkey_api::ApiError;
use sortkey_api::shapes::throughput::{OnDemandThroughput, ProvisionedThroughput, WarmThroughput};

use crate::catalog::table::Capacity;

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

/// Whose throughput an error is about.
#[derive(Clone, Copy)]
pub(crate) enum Of<'a> {
    Table,
    Index(&'a str),
}

/// Limits of on-demand tables: at least one unit, or -1 for none; and only where there is on-demand.
pub(crate) fn check_on_demand(
    on_demand: bool,
    given: Option<&OnDemandThroughput>,
    of: Of<'_>,
) -> Result<(), ApiError> {
    let Some(given) = given else { return Ok(()) };
    let units = [
        ("MaxReadRequestUnits", given.max_read_request_units),
        ("MaxWriteRequestUnits", given.max_write_request_units),
    ];
    if units.iter().all(|(_, units)| units.is_none()) {
        return Err(ApiError::invalid_parameter(
            "OnDemandThroughput must specify MaxReadRequestUnits or MaxWriteRequestUnits",
        ));
    }
    if let Some((name, _)) = units.iter().find(|(_, units)| units.is_some() && !on_demand) {
        let whose = match of {
            Of::Table => String::new(),
            Of::Index(index) => format!("for index : {index} "),
        };
        return Err(ApiError::invalid_parameter(format_args!(
            "{name} for OnDemandThroughput {whose}cannot be specified when the table BillingMode is PROVISIONED"
        )));
    }
    let whose = match of {
        Of::Table => "table".to_owned(),
        Of::Index(index) => format!("index : {index}"),
    };
    match units.iter().find(|(_, units)| units.is_some_and(|units| units < 1 && units != -1)) {
        Some((name, _)) => Err(ApiError::invalid_parameter(format_args!(
            "Requested {name} for OnDemandThroughput for {whose} is outside of valid range"
        ))),
        None => Ok(()),
    }
}

/// Warm throughput can only be raised; `current` is what the table or index has now.
pub(crate) fn check_warm(
    given: Option<&WarmThroughput>,
    current: Option<(i64, i64)>,
    of: Of<'_>,
) -> Result<(), ApiError> {
    let Some(given) = given else { return Ok(()) };
    let (read, write) = current.unwrap_or((1, 1));
    let units = [
        ("ReadUnitsPerSecond", given.read_units_per_second, read),
        ("WriteUnitsPerSecond", given.write_units_per_second, write),
    ];
    if units.iter().all(|(_, units, _)| units.is_none()) {
        return Err(ApiError::invalid_parameter(
            "WarmThroughput must specify ReadUnitsPerSecond or WriteUnitsPerSecond",
        ));
    }
    match units.iter().find(|(_, units, least)| units.is_some_and(|units| units < *least)) {
        Some((name, ..)) => {
            let whose = match of {
                Of::Table => "table".to_owned(),
                Of::Index(index) => format!("index {index}"),
            };
            Err(ApiError::invalid_parameter(format_args!(
                "Requested {name} for WarmThroughput for {whose} is lower than current WarmThroughput, decreasing \
                 WarmThroughput is not supported"
            )))
        }
        None => Ok(()),
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
            "ProvisionedThroughput is not specified for index: {index}"
        ))),
        (_, Some(throughput)) => check_bounds(throughput),
        (true, None) => Ok(()),
    }
}
