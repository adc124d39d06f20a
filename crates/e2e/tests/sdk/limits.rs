//! DescribeLimits and DescribeEndpoints.

use sortkey_e2e::dynamodb;

#[tokio::test]
async fn limits_are_those_of_a_new_account() {
    let limits = dynamodb().describe_limits().send().await.unwrap();
    assert_eq!(limits.account_max_read_capacity_units(), Some(80_000));
    assert_eq!(limits.account_max_write_capacity_units(), Some(80_000));
    assert_eq!(limits.table_max_read_capacity_units(), Some(40_000));
    assert_eq!(limits.table_max_write_capacity_units(), Some(40_000));
}

#[tokio::test]
async fn the_endpoint_is_good_for_a_day() {
    let endpoints = dynamodb().describe_endpoints().send().await.unwrap().endpoints;
    assert_eq!(endpoints.len(), 1);
    assert!(!endpoints[0].address.is_empty());
    assert_eq!(endpoints[0].cache_period_in_minutes, 1440);
}
