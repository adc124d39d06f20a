//! Settings of a restored table that replace those of its source.

use serde_json::{Value, json};

use crate::support::Database;
use crate::{available, back_up, items};

/// A table with a local and two global indexes, and its backup.
fn backed_up() -> (Database, String) {
    let database = Database::new();
    let index = |name: &str, keys: [&str; 2], projection: Value| {
        json!({
            "IndexName": name,
            "KeySchema": [
                {"AttributeName": keys[0], "KeyType": "HASH"}, {"AttributeName": keys[1], "KeyType": "RANGE"}
            ],
            "Projection": projection
        })
    };
    let all = json!({"ProjectionType": "ALL"});
    let some = json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["v", "w"]});
    database.create_table(
        "table",
        true,
        json!({
            "AttributeDefinitions": [
                {"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}
            ],
            "LocalSecondaryIndexes": [index("local", ["pk", "a"], all.clone())],
            "GlobalSecondaryIndexes": [index("first", ["a", "b"], all), index("second", ["b", "sk"], some)],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
            "DeletionProtectionEnabled": true
        }),
    );
    for number in 0..5 {
        let item = json!({
            "pk": {"S": "p"}, "sk": {"S": number.to_string()}, "a": {"S": "x"}, "b": {"N": number.to_string()}
        });
        database.ok("PutItem", json!({"TableName": "table", "Item": item}));
    }
    let arn = back_up(&database, "table", "backup");
    available(&database, &arn);
    (database, arn)
}

fn restored(database: &Database, arn: &str, target: &str, overrides: Value) -> Value {
    let mut body = json!({"TargetTableName": target, "BackupArn": arn});
    for (member, value) in overrides.as_object().unwrap() {
        body[member] = value.clone();
    }
    let begun = database.ok("RestoreTableFromBackup", body)["TableDescription"].take();
    assert_eq!(begun["TableStatus"], "CREATING");
    assert_eq!(begun["RestoreSummary"]["RestoreInProgress"], true);
    database.settled(target)
}

#[test]
fn everything_comes_along_but_what_aws_leaves_out() {
    let (database, arn) = backed_up();
    let source = database.settled("table");
    let target = restored(&database, &arn, "restored", json!({}));
    for member in ["KeySchema", "AttributeDefinitions", "ItemCount", "TableSizeBytes"] {
        assert_eq!(target[member], source[member], "{member}");
    }
    assert_eq!(target["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST");
    assert_eq!(target["DeletionProtectionEnabled"], false);
    assert_eq!(target.get("StreamSpecification"), None);
    for index in ["local", "first", "second"] {
        assert_eq!(
            items(&database, "restored", Some(index)),
            items(&database, "table", Some(index)),
            "{index}"
        );
        assert_eq!(items(&database, "restored", Some(index)).len(), 5);
    }
}

#[test]
fn indexes_can_be_left_out() {
    let (database, arn) = backed_up();
    let none = json!({"GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []});
    let bare = restored(&database, &arn, "bare", none);
    assert_eq!(bare.get("GlobalSecondaryIndexes"), None);
    assert_eq!(bare.get("LocalSecondaryIndexes"), None);
    assert_eq!(bare["AttributeDefinitions"].as_array().unwrap().len(), 2);
    let second = json!({
        "IndexName": "second",
        "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["w", "v"]}
    });
    let one = restored(&database, &arn, "one", json!({"GlobalSecondaryIndexOverride": [second]}));
    assert_eq!(one["GlobalSecondaryIndexes"].as_array().unwrap().len(), 1);
    assert_eq!(items(&database, "one", Some("second")).len(), 5);
    let mut other = second;
    other["Projection"] = json!({"ProjectionType": "ALL"});
    let body = json!({"TargetTableName": "two", "BackupArn": arn, "GlobalSecondaryIndexOverride": [other]});
    let (kind, message) = database.refused("RestoreTableFromBackup", body);
    assert_eq!(kind, "ValidationException");
    assert_eq!(
        message,
        "Invalid Request: Index second does not match a secondary index that existed in the source table and cannot be \
         created during the restore operation"
    );
}

// F-87: overrides were not checked as the settings of new tables are, and an index could be restored twice.
#[test]
fn overrides_follow_the_rules_of_new_tables() {
    let (database, arn) = backed_up();
    let second = |throughput: Value| {
        let mut index = json!({
            "IndexName": "second",
            "KeySchema": [
                {"AttributeName": "b", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["v", "w"]}
        });
        for (member, value) in throughput.as_object().unwrap() {
            index[member] = value.clone();
        }
        index
    };
    let none = json!({"MaxReadRequestUnits": 0});
    let units = json!({"ReadCapacityUnits": 7, "WriteCapacityUnits": 8});
    let cases = [
        (
            json!({"OnDemandThroughputOverride": none}),
            "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
        ),
        (
            json!({
                "BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": units,
                "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}
            }),
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED",
        ),
        (
            json!({"GlobalSecondaryIndexOverride": [second(json!({"OnDemandThroughput": none}))]}),
            "Requested MaxReadRequestUnits for OnDemandThroughput for index : second is outside of valid range",
        ),
        (
            json!({"GlobalSecondaryIndexOverride": [second(json!({"WarmThroughput": {}}))]}),
            "WarmThroughput must specify ReadUnitsPerSecond or WriteUnitsPerSecond",
        ),
        (
            json!({"GlobalSecondaryIndexOverride": [second(json!({})), second(json!({}))]}),
            "Duplicate index name: second",
        ),
    ];
    for (overrides, expected) in cases {
        let mut body = overrides;
        (body["TargetTableName"], body["BackupArn"]) = (json!("target"), json!(arn));
        let expected = format!("One or more parameter values were invalid: {expected}");
        assert_eq!(database.refused("RestoreTableFromBackup", body.clone()).1, expected, "{body}");
    }
    let warm = json!({"WarmThroughput": {"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 5_000}});
    let target = restored(&database, &arn, "warm", json!({"GlobalSecondaryIndexOverride": [second(warm)]}));
    assert_eq!(target["GlobalSecondaryIndexes"][0]["WarmThroughput"]["ReadUnitsPerSecond"], 13_000);
}

#[test]
fn billing_and_encryption_can_be_others() {
    let (database, arn) = backed_up();
    let units = json!({"ReadCapacityUnits": 7, "WriteCapacityUnits": 8});
    let target = restored(
        &database,
        &arn,
        "provisioned",
        json!({
            "BillingModeOverride": "PROVISIONED",
            "ProvisionedThroughputOverride": units,
            "GlobalSecondaryIndexOverride": [],
            "SSESpecificationOverride": {"Enabled": true, "SSEType": "KMS"}
        }),
    );
    assert_eq!(target["ProvisionedThroughput"]["ReadCapacityUnits"], 7);
    assert_eq!(target["ProvisionedThroughput"]["WriteCapacityUnits"], 8);
    assert_eq!(target["SSEDescription"]["SSEType"], "KMS");
    let limits = json!({"MaxReadRequestUnits": 40, "MaxWriteRequestUnits": 50});
    let target = restored(&database, &arn, "limited", json!({"OnDemandThroughputOverride": limits}));
    assert_eq!(target["OnDemandThroughput"], limits);
    // An on-demand table has no units to inherit.
    let body = json!({"TargetTableName": "none", "BackupArn": arn, "BillingModeOverride": "PROVISIONED"});
    assert_eq!(
        database.refused("RestoreTableFromBackup", body).1,
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when \
         BillingMode is PROVISIONED"
    );
}
