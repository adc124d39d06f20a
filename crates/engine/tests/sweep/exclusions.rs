//! Combinations that the service's documentation excludes, and every pair of members besides.

use serde_json::{Value, json};

use crate::model::{Model, Shape};
use crate::refused::Refused;
use crate::samples::{self, ARN, Prepared};
use crate::variants::Expected;

/// Members that are given together, or not at all, with the sample of an operation; `null` takes one away.
fn excluded() -> Vec<(&'static str, Value)> {
    let units = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let index = |more: Value| {
        let mut index = json!({
            "IndexName": "index2", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}
        });
        merge(&mut index, &more);
        index
    };
    let globals = |more: Value| json!({"GlobalSecondaryIndexes": [index(more)]});
    let local = json!({"LocalSecondaryIndexes": [index(json!({}))]});
    let tags: Vec<Value> = (0..51).map(|number| json!({"Key": format!("k{number}"), "Value": "v"})).collect();
    vec![
        ("CreateTable", json!({"ProvisionedThroughput": units})),
        ("CreateTable", json!({"BillingMode": "PROVISIONED"})),
        ("CreateTable", json!({"BillingMode": null})),
        (
            "CreateTable",
            json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units, "OnDemandThroughput": {"MaxReadRequestUnits": 1}}),
        ),
        ("CreateTable", json!({"OnDemandThroughput": {"MaxReadRequestUnits": 0}})),
        ("CreateTable", json!({"StreamSpecification": {"StreamEnabled": true}})),
        (
            "CreateTable",
            json!({"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}),
        ),
        ("CreateTable", json!({"SSESpecification": {"Enabled": false, "SSEType": "KMS"}})),
        ("CreateTable", json!({"SSESpecification": {"Enabled": true, "SSEType": "AES256"}})),
        ("CreateTable", json!({"SSESpecification": {"Enabled": false, "KMSMasterKeyId": "alias/key"}})),
        ("CreateTable", json!({"KeySchema": null})),
        ("CreateTable", json!({"AttributeDefinitions": null})),
        ("CreateTable", json!({"AttributeDefinitions": []})),
        (
            "CreateTable",
            json!({"AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "unused", "AttributeType": "S"}
            ]}),
        ),
        ("CreateTable", json!({"Tags": tags})),
        ("CreateTable", json!({"Tags": [{"Key": "k", "Value": "1"}, {"Key": "k", "Value": "2"}]})),
        ("CreateTable", json!({"Tags": [{"Key": "aws:k", "Value": "1"}]})),
        ("CreateTable", local),
        ("CreateTable", json!({"GlobalSecondaryIndexes": []})),
        ("CreateTable", json!({"LocalSecondaryIndexes": []})),
        ("CreateTable", json!({"GlobalSecondaryIndexes": [index(json!({})), index(json!({}))]})),
        ("CreateTable", globals(json!({"Projection": {"ProjectionType": "INCLUDE"}}))),
        ("CreateTable", globals(json!({"Projection": {"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}}))),
        (
            "CreateTable",
            globals(json!({"Projection": {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}})),
        ),
        ("CreateTable", globals(json!({"Projection": {}}))),
        ("CreateTable", globals(json!({"ProvisionedThroughput": units}))),
        ("CreateTable", json!({"WarmThroughput": {}})),
        ("CreateTable", json!({"ResourcePolicy": "not a policy"})),
        ("UpdateTable", json!({"DeletionProtectionEnabled": null})),
        ("UpdateTable", json!({"ProvisionedThroughput": units, "BillingMode": "PAY_PER_REQUEST"})),
        ("UpdateTable", json!({"ProvisionedThroughput": units})),
        ("UpdateTable", json!({"BillingMode": "PROVISIONED"})),
        ("UpdateTable", json!({"GlobalSecondaryIndexUpdates": [{}]})),
        (
            "UpdateTable",
            json!({"GlobalSecondaryIndexUpdates": [
                {"Delete": {"IndexName": "index"}, "Create": index(json!({}))}
            ]}),
        ),
        ("UpdateTable", json!({"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "index"}}]})),
        (
            "UpdateTable",
            json!({"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}),
        ),
        ("UpdateTable", json!({"SSESpecification": {"Enabled": true}, "DeletionProtectionEnabled": true})),
        ("UpdateTable", json!({"TableClass": "STANDARD", "DeletionProtectionEnabled": true})),
        (
            "UpdateContinuousBackups",
            json!({"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 3}}),
        ),
        ("RestoreTableToPointInTime", json!({"RestoreDateTime": 1_800_000_000})),
        ("RestoreTableToPointInTime", json!({"UseLatestRestorableTime": null})),
        ("RestoreTableToPointInTime", json!({"UseLatestRestorableTime": false})),
        ("RestoreTableToPointInTime", json!({"SourceTableName": null})),
        ("RestoreTableToPointInTime", json!({"SourceTableArn": ARN})),
        ("ExportTableToPointInTime", json!({"S3SseKmsKeyId": "key"})),
        ("RestoreTableToPointInTime", json!({"BillingModeOverride": "PROVISIONED"})),
        (
            "RestoreTableToPointInTime",
            json!({"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": units}),
        ),
        ("RestoreTableFromBackup", json!({"BillingModeOverride": "PROVISIONED"})),
        (
            "RestoreTableFromBackup",
            json!({"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": units}),
        ),
        ("ExportTableToPointInTime", json!({"ExportType": "INCREMENTAL_EXPORT"})),
        (
            "ImportTable",
            json!({"InputFormat": "DYNAMODB_JSON", "InputFormatOptions": {"Csv": {"Delimiter": ","}}}),
        ),
        ("ImportTable", json!({"InputFormat": "ION", "InputFormatOptions": {"Csv": {"Delimiter": ","}}})),
        ("GetShardIterator", json!({"ShardIteratorType": "AT_SEQUENCE_NUMBER"})),
        ("GetShardIterator", json!({"ShardIteratorType": "AFTER_SEQUENCE_NUMBER"})),
        ("GetShardIterator", json!({"SequenceNumber": "000000000000000000001"})),
        ("DescribeStream", json!({"ShardFilter": {}})),
        ("DescribeStream", json!({"ShardFilter": {"Type": "CHILD_SHARDS"}})),
        ("TagResource", json!({"Tags": tags})),
        ("TagResource", json!({"Tags": [{"Key": "k", "Value": "1"}, {"Key": "k", "Value": "2"}]})),
        ("TagResource", json!({"Tags": [{"Key": "aws:k", "Value": "1"}]})),
        ("TagResource", json!({"Tags": []})),
        ("UntagResource", json!({"TagKeys": []})),
        ("PutResourcePolicy", json!({"Policy": "not a policy"})),
        ("PutResourcePolicy", json!({"ResourceArn": "not an arn"})),
        ("ListTagsOfResource", json!({"ResourceArn": "not an arn"})),
        ("ListTagsOfResource", json!({"NextToken": "not a token"})),
        ("ListExports", json!({"NextToken": "not a token"})),
        ("ListBackups", json!({"TimeRangeLowerBound": 1_800_000_000, "TimeRangeUpperBound": 1_700_000_000})),
        (
            "UpdateTimeToLive",
            json!({"TimeToLiveSpecification": {"Enabled": false, "AttributeName": "expires"}}),
        ),
    ]
}

// F-87: combinations that AWS rejects were accepted.
#[test]
fn documented_exclusions_are_rejected() {
    let mut wrong = Vec::new();
    let mut refused = Refused::default();
    for (operation, change) in excluded() {
        let prepared = Prepared::new();
        let mut request = prepared.sample(operation);
        merge(&mut request, &change);
        if change.get("DeletionProtectionEnabled").is_none() {
            samples::make_room(operation, &mut request);
        }
        let answer = prepared.database.call(operation, &request);
        let described: String = change.to_string().chars().take(240).collect();
        refused.note(&format!("{operation} {described}"), &answer);
        if answer.as_ref().err().map(|error| error.kind.name()) != Some("ValidationException") {
            wrong.push(format!("{operation} {change}: {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    refused.compare("exclusions");
}

/// Two members that the sample does not have, both with values that are right for themselves.
#[test]
fn pairs_of_members_are_accepted_or_rejected_in_words() {
    let model = Model::read();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (operation, (input, declared)) in &model.operations {
        let Shape::Structure(members) = model.shape(input) else { panic!("{input} is a structure") };
        let mut prepared = Prepared::new();
        for (at, one) in members.iter().enumerate() {
            for other in &members[at + 1..] {
                let mut request = prepared.sample(operation);
                for member in [one, other] {
                    if request.get(member.name).is_none() {
                        request[member.name] = samples::value(&model, member.name, member.shape);
                    }
                }
                if one.name != "DeletionProtectionEnabled" && other.name != "DeletionProtectionEnabled" {
                    samples::make_room(operation, &mut request);
                }
                tried += 1;
                let answer = prepared.database.call(operation, &request);
                let outcome = answer.as_ref().err().map(|error| error.kind);
                if !Expected::Any.is_met(outcome, declared) {
                    wrong.push(format!("{operation} {} and {}: {answer:?}", one.name, other.name));
                }
                if answer.is_ok() {
                    prepared = Prepared::new();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 500, "only {tried} pairs were tried");
}

fn merge(request: &mut Value, change: &Value) {
    let request = request.as_object_mut().unwrap();
    for (name, value) in change.as_object().unwrap() {
        if value.is_null() {
            request.remove(name);
        } else {
            request.insert(name.clone(), value.clone());
        }
    }
}
