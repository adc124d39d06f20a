//! Streams and their names.

use serde_json::json;

use crate::support::Database;

/// A stream's label is the time at which it was opened. A stream that was closed and opened again within a millisecond,
/// which a held clock makes certain, had the ARN of its predecessor, and whoever asked for it was given
/// the old records.
#[test]
fn streams_of_one_millisecond_have_names_of_their_own() {
    let database = Database::new();
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    database.create_table("table", false, json!({"StreamSpecification": stream}));
    let arn = || {
        let table = database.ok("DescribeTable", json!({"TableName": "table"}));
        table["Table"]["LatestStreamArn"].as_str().unwrap().to_owned()
    };
    let first = arn();
    let off = json!({"StreamEnabled": false});
    database.ok("UpdateTable", json!({"TableName": "table", "StreamSpecification": off}));
    database.ok("UpdateTable", json!({"TableName": "table", "StreamSpecification": stream}));
    let second = arn();
    database.ok("DeleteTable", json!({"TableName": "table"}));
    database.create_table("table", false, json!({"StreamSpecification": stream}));
    let third = arn();
    assert!(first < second && second < third, "{first} {second} {third}");
    let listed = database.ok("ListStreams", json!({"TableName": "table"}));
    let listed: Vec<_> =
        listed["Streams"].as_array().unwrap().iter().map(|s| s["StreamArn"].clone()).collect();
    assert_eq!(listed, [first.as_str(), &second, &third]);
    let status = |arn: &str| {
        database.ok("DescribeStream", json!({"StreamArn": arn}))["StreamDescription"]["StreamStatus"].clone()
    };
    assert_eq!([status(&first), status(&second), status(&third)], ["DISABLED", "DISABLED", "ENABLED"]);
}
