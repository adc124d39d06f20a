//! A request of every operation that works.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Database, START_MS};

/// A working request of every operation, for the table of [`crate::database`].
pub(crate) fn working(database: &Database) -> Vec<(&'static str, Value)> {
    let table = database.ok("DescribeTable", json!({"TableName": "table"}))["Table"].take();
    let (arn, stream) = (&table["TableArn"], &table["LatestStreamArn"]);
    let described = database.ok("DescribeStream", json!({"StreamArn": stream}));
    let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
    let place = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = database.ok("GetShardIterator", place.clone())["ShardIterator"].take();
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let policy = json!({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "dynamodb:GetItem", "Resource": arn}]
    });
    let every_type = json!({
        "pk": {"S": "a"}, "sk": {"S": "b"}, "n": {"N": "-1.5E3"}, "bin": {"B": "AAE="}, "flag": {"BOOL": true},
        "nothing": {"NULL": true}, "l": {"L": [{"N": "1"}, {"M": {"x": {"S": "y"}}}]}, "ss": {"SS": ["a", "b"]},
        "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA=="]}
    });
    let (kept, thrown) = (backup(database, "kept"), backup(database, "thrown"));
    let recovery = json!({"TableName": "table", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}});
    database.ok("UpdateContinuousBackups", recovery.clone());
    let export = json!({"TableArn": arn, "S3Bucket": "bucket", "S3Prefix": "a/b", "ClientToken": "export"});
    let exported = database.ok("ExportTableToPointInTime", export.clone())["ExportDescription"].take();
    let import = json!({
        "S3BucketSource": {"S3Bucket": "nothing", "S3KeyPrefix": "a/"}, "InputFormat": "CSV", "InputCompressionType": "GZIP",
        "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["a", "b"]}}, "ClientToken": "import",
        "TableCreationParameters": {
            "TableName": "imported", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"
        }
    });
    let imported = database.ok("ImportTable", import.clone())["ImportTableDescription"].take();
    vec![
        (
            "CreateTable",
            json!({
                "TableName": "other",
                "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}],
                "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
                "GlobalSecondaryIndexes": [{
                    "IndexName": "index", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["c"]}
                }],
                "BillingMode": "PAY_PER_REQUEST",
                "Tags": [{"Key": "k", "Value": "v"}]
            }),
        ),
        ("DescribeTable", json!({"TableName": "table"})),
        ("ListTables", json!({"Limit": 1, "ExclusiveStartTableName": "aaa"})),
        ("UpdateTable", json!({"TableName": "other", "DeletionProtectionEnabled": false})),
        ("DeleteTable", json!({"TableName": "other"})),
        (
            "PutItem",
            json!({
                "TableName": "table", "Item": every_type, "ConditionExpression": "#n <> :v OR attribute_not_exists(l[0])",
                "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":v": {"N": "7"}},
                "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"
            }),
        ),
        (
            "GetItem",
            json!({"TableName": "table", "Key": key, "ProjectionExpression": "n, l[1].x", "ConsistentRead": true}),
        ),
        (
            "UpdateItem",
            json!({
                "TableName": "table", "Key": key,
                "UpdateExpression": "SET n = if_not_exists(n, :v) + :v, l[0] = :v REMOVE nothing ADD ns :s",
                "ConditionExpression": "size(l) < :v OR n BETWEEN :v AND :v OR NOT contains(ss, :v)",
                "ExpressionAttributeValues": {":v": {"N": "1"}, ":s": {"NS": ["3"]}}, "ReturnValues": "UPDATED_NEW"
            }),
        ),
        (
            "Query",
            json!({
                "TableName": "table", "IndexName": "local", "KeyConditionExpression": "pk = :p AND begins_with(kind, :k)",
                "FilterExpression": "attribute_type(n, :t)", "ProjectionExpression": "n", "Limit": 3, "ScanIndexForward": false,
                "ExpressionAttributeValues": {":p": {"S": "a"}, ":k": {"S": "c"}, ":t": {"S": "N"}}
            }),
        ),
        (
            "Scan",
            json!({
                "TableName": "table", "Segment": 0, "TotalSegments": 1, "FilterExpression": "n IN (:a, :b)",
                "ExpressionAttributeValues": {":a": {"N": "1"}, ":b": {"N": "2"}}, "ExclusiveStartKey": key
            }),
        ),
        ("BatchGetItem", json!({"RequestItems": {"table": {"Keys": [key], "ConsistentRead": true}}})),
        (
            "BatchWriteItem",
            json!({"RequestItems": {"table": [{"PutRequest": {"Item": every_type}}, {"DeleteRequest": {"Key": {"pk": {"S": "x"}, "sk": {"S": "y"}}}}]}}),
        ),
        ("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "table", "Key": key}}]})),
        (
            "TransactWriteItems",
            json!({
                "TransactItems": [
                    {"Put": {"TableName": "table", "Item": every_type}},
                    {"ConditionCheck": {"TableName": "table", "Key": {"pk": {"S": "x"}, "sk": {"S": "y"}}, "ConditionExpression": "attribute_not_exists(pk)"}}
                ]
            }),
        ),
        (
            "ExecuteStatement",
            json!({"Statement": "SELECT * FROM \"table\" WHERE pk = ?", "Parameters": [{"S": "a"}]}),
        ),
        (
            "BatchExecuteStatement",
            json!({"Statements": [{"Statement": "SELECT n FROM \"table\" WHERE pk = 'a' AND sk = 'b'"}]}),
        ),
        (
            "ExecuteTransaction",
            json!({"TransactStatements": [{"Statement": "UPDATE \"table\" SET n = ? WHERE pk = 'a' AND sk = 'b'", "Parameters": [{"N": "5"}]}]}),
        ),
        (
            "UpdateTimeToLive",
            json!({"TableName": "table", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ttl"}}),
        ),
        ("DescribeTimeToLive", json!({"TableName": "table"})),
        ("TagResource", json!({"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]})),
        ("ListTagsOfResource", json!({"ResourceArn": arn})),
        ("UntagResource", json!({"ResourceArn": arn, "TagKeys": ["a"]})),
        ("DescribeLimits", json!({})),
        ("DescribeEndpoints", json!({})),
        ("ListStreams", json!({"TableName": "table", "Limit": 5})),
        ("DescribeStream", json!({"StreamArn": stream, "Limit": 2})),
        ("GetShardIterator", place),
        ("GetRecords", json!({"ShardIterator": iterator, "Limit": 10})),
        ("UpdateContinuousBackups", recovery),
        ("DescribeContinuousBackups", json!({"TableName": "table"})),
        ("CreateBackup", json!({"TableName": "table", "BackupName": "backup"})),
        ("DescribeBackup", json!({"BackupArn": kept})),
        (
            "ListBackups",
            json!({"TableName": "table", "Limit": 1, "BackupType": "ALL", "TimeRangeLowerBound": 1}),
        ),
        ("DeleteBackup", json!({"BackupArn": thrown})),
        (
            "RestoreTableFromBackup",
            json!({
                "TargetTableName": "restored", "BackupArn": kept, "LocalSecondaryIndexOverride": [],
                "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}, "BillingModeOverride": "PAY_PER_REQUEST"
            }),
        ),
        (
            "RestoreTableToPointInTime",
            json!({"SourceTableName": "table", "TargetTableName": "earlier", "RestoreDateTime": START_MS / 1000}),
        ),
        ("ExportTableToPointInTime", export),
        ("DescribeExport", json!({"ExportArn": exported["ExportArn"]})),
        ("ListExports", json!({"TableArn": arn, "MaxResults": 3})),
        ("ImportTable", import),
        ("DescribeImport", json!({"ImportArn": imported["ImportArn"]})),
        ("ListImports", json!({"PageSize": 3})),
        ("PutResourcePolicy", json!({"ResourceArn": arn, "Policy": policy.to_string()})),
        ("GetResourcePolicy", json!({"ResourceArn": arn})),
        ("DeleteResourcePolicy", json!({"ResourceArn": arn})),
        ("DeleteItem", json!({"TableName": "table", "Key": key, "ReturnValues": "ALL_OLD"})),
    ]
}

/// A complete backup.
fn backup(database: &Database, name: &str) -> Value {
    let created = database.ok("CreateBackup", json!({"TableName": "table", "BackupName": name}));
    let arn = &created["BackupDetails"]["BackupArn"];
    loop {
        let described = database.ok("DescribeBackup", json!({"BackupArn": arn}));
        if described["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE" {
            return arn.clone();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn every_operation_works() {
    let database = crate::database();
    let requests = working(&database);
    let mut named: Vec<&str> = requests.iter().map(|(operation, _)| *operation).collect();
    for (operation, body) in requests {
        database.ok(operation, body);
    }
    named.sort_unstable();
    let mut supported: Vec<&str> =
        sortkey_api::OperationId::SUPPORTED.iter().map(|operation| operation.name()).collect();
    supported.sort_unstable();
    assert_eq!(named, supported);
}
