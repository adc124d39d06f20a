//! The control plane: what its answers show, and which changes it does not make together.

use serde_json::{Value, json};

use crate::support::Database;
use crate::{key, refused, refused_on};

fn provisioned(units: i64) -> Value {
    json!({"ReadCapacityUnits": units, "WriteCapacityUnits": units})
}

fn database_with(table: Value) -> Database {
    let database = Database::new();
    create(&database, table);
    database
}

fn create(database: &Database, more: Value) -> Value {
    let mut body = json!({
        "TableName": "table",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": key(&["a"])
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    database.ok("CreateTable", body)["TableDescription"].clone()
}

fn update(database: &Database, change: Value) -> Value {
    let mut body = change;
    body["TableName"] = json!("table");
    database.ok("UpdateTable", body)["TableDescription"].clone()
}

fn described(database: &Database) -> Value {
    database.ok("DescribeTable", json!({"TableName": "table"}))["Table"].clone()
}

// F-86: warm throughput is shown where AWS shows it.
#[test]
fn answers_show_warm_throughput_where_it_was_asked_for() {
    let database = Database::new();
    let created = create(&database, json!({"BillingMode": "PAY_PER_REQUEST"}));
    assert_eq!(created.get("WarmThroughput"), None);
    let status = |of: &Value| of["WarmThroughput"]["Status"].clone();
    assert_eq!(status(&described(&database)), "ACTIVE");
    let warm = json!({"ReadUnitsPerSecond": 20_000, "WriteUnitsPerSecond": 9_000});
    assert_eq!(status(&update(&database, json!({"WarmThroughput": warm}))), "UPDATING");
    assert_eq!(status(&described(&database)), "ACTIVE");
    let deleted = database.ok("DeleteTable", json!({"TableName": "table"}));
    assert_eq!(deleted["TableDescription"].get("WarmThroughput"), None);
    let created = create(&database, json!({"BillingMode": "PAY_PER_REQUEST", "WarmThroughput": warm}));
    assert_eq!(created["WarmThroughput"]["ReadUnitsPerSecond"], 20_000);
    assert_eq!(status(&created), "UPDATING");
}

// F-86: since when a table is on demand is not yet in the answer that creates it.
#[test]
fn answers_show_since_when_a_table_is_on_demand() {
    let database = Database::new();
    let created = create(&database, json!({"BillingMode": "PAY_PER_REQUEST"}));
    assert_eq!(created["BillingModeSummary"], json!({"BillingMode": "PAY_PER_REQUEST"}));
    let summary = described(&database)["BillingModeSummary"].clone();
    assert!(summary["LastUpdateToPayPerRequestDateTime"].is_number(), "{summary}");
}

// F-86: when throughput was changed, and how often it was lowered today.
#[test]
fn answers_count_changes_of_throughput() {
    let database = database_with(json!({"ProvisionedThroughput": provisioned(5)}));
    let raised =
        update(&database, json!({"ProvisionedThroughput": provisioned(9)}))["ProvisionedThroughput"].clone();
    assert_eq!(raised["ReadCapacityUnits"], 5);
    assert!(raised["LastIncreaseDateTime"].is_number(), "{raised}");
    for units in [8, 7] {
        update(&database, json!({"ProvisionedThroughput": provisioned(units)}));
    }
    let decreases =
        |database: &Database| described(database)["ProvisionedThroughput"]["NumberOfDecreasesToday"].clone();
    assert_eq!(decreases(&database), 2);
    database.engine.advance_clock(24 * 60 * 60 * 1000);
    assert_eq!(decreases(&database), 0);
}

// F-86: encryption is shown with a key, and a last time when it is switched off.
#[test]
fn answers_show_keys_not_aliases() {
    let database =
        database_with(json!({"BillingMode": "PAY_PER_REQUEST", "SSESpecification": {"Enabled": true}}));
    let shown = described(&database)["SSEDescription"].clone();
    let arn = shown["KMSMasterKeyArn"].as_str().unwrap();
    assert!(arn.starts_with("arn:aws:kms:us-east-1:000000000000:key/"), "{arn}");
    let off = update(&database, json!({"SSESpecification": {"Enabled": false}}))["SSEDescription"].clone();
    assert_eq!(off, json!({"Status": "UPDATING", "SSEType": "KMS", "KMSMasterKeyArn": arn}));
    assert_eq!(described(&database).get("SSEDescription"), None);
}

// F-87: changes that AWS makes only one at a time.
#[test]
fn some_changes_need_a_request_of_their_own() {
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    let create_index = json!([{"Create": {
        "IndexName": "index",
        "KeySchema": key(&["a"]),
        "Projection": {"ProjectionType": "ALL"},
        "ProvisionedThroughput": provisioned(1)
    }}]);
    let database = database_with(json!({"ProvisionedThroughput": provisioned(5)}));
    refused_on(
        &database,
        "UpdateTable",
        "table",
        [
            (
                json!({"SSESpecification": {"Enabled": true}, "DeletionProtectionEnabled": true}),
                "One or more parameter values were invalid: Server-Side Encryption modification must be the only \
                 operation in the request",
            ),
            (
                json!({"TableClass": "STANDARD", "StreamSpecification": stream}),
                "One or more parameter values were invalid: TableClass modification must be the only operation in \
                 the request",
            ),
            (
                json!({"DeletionProtectionEnabled": true, "WarmThroughput": {"ReadUnitsPerSecond": 20_000}}),
                "One or more parameter values were invalid: DeletionProtection modification must be the only \
                 operation in the request",
            ),
            (
                json!({"StreamSpecification": stream, "WarmThroughput": {"ReadUnitsPerSecond": 20_000}}),
                "One or more parameter values were invalid: WarmThroughput must be the only operation in the request",
            ),
            (
                json!({
                    "GlobalSecondaryIndexUpdates": create_index,
                    "WarmThroughput": {"ReadUnitsPerSecond": 20_000}
                }),
                "One or more parameter values were invalid: Create global secondary index cannot be specified when \
                 updating WarmThroughput",
            ),
            (
                json!({"StreamSpecification": stream, "OnDemandThroughput": {"MaxReadRequestUnits": 5}}),
                "One or more parameter values were invalid: OnDemandThroughput can only be combined with BillingMode \
                 in an UpdateTable request",
            ),
            (
                json!({"StreamSpecification": stream, "GlobalSecondaryIndexUpdates": create_index}),
                "One or more parameter values were invalid: You cannot create or delete index while changing stream \
                 status",
            ),
            (
                json!({"ProvisionedThroughput": provisioned(6), "StreamSpecification": stream}),
                "One or more parameter values were invalid: You cannot modify stream status while updating table IOPS",
            ),
            (
                json!({"ProvisionedThroughput": provisioned(6), "GlobalSecondaryIndexUpdates": create_index}),
                "One or more parameter values were invalid: You cannot create or delete index while updating table \
                 IOPS",
            ),
            (
                json!({"SSESpecification": {"Enabled": true, "SSEType": "AES256"}}),
                "One or more parameter values were invalid: SSEType AES256 is not supported",
            ),
            (
                json!({"SSESpecification": {"Enabled": false, "SSEType": "KMS"}}),
                "One or more parameter values were invalid: SSEType can not be specified if Enabled is false",
            ),
            (
                json!({"SSESpecification": {"Enabled": false}}),
                "One or more parameter values were invalid: Table is already encrypted by default",
            ),
            (
                json!({"OnDemandThroughput": {"MaxReadRequestUnits": 5}}),
                "One or more parameter values were invalid: MaxReadRequestUnits for OnDemandThroughput cannot be \
                 specified when the table BillingMode is PROVISIONED",
            ),
        ],
    );
    let still = described(&database);
    assert_eq!(still.get("SSEDescription"), None);
    assert_eq!(still["DeletionProtectionEnabled"], false);
}

// F-87: values that AWS does not take.
#[test]
fn throughput_has_bounds() {
    let index =
        json!([{"IndexName": "index", "KeySchema": key(&["a"]), "Projection": {"ProjectionType": "ALL"}}]);
    let table = json!({"BillingMode": "PAY_PER_REQUEST", "GlobalSecondaryIndexes": index});
    let database = database_with(table);
    refused_on(
        &database,
        "UpdateTable",
        "table",
        [
            (
                json!({"OnDemandThroughput": {"MaxReadRequestUnits": 0}}),
                "One or more parameter values were invalid: Requested MaxReadRequestUnits for OnDemandThroughput for \
                 table is outside of valid range",
            ),
            (
                json!({"WarmThroughput": {"ReadUnitsPerSecond": 11_999}}),
                "One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for \
                 table is lower than current WarmThroughput, decreasing WarmThroughput is not supported",
            ),
            (
                json!({"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "index"}}]}),
                "One or more parameter values were invalid: The only Updates for index: index when \
                 TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput",
            ),
            (
                json!({"GlobalSecondaryIndexUpdates":
                    [{"Update": {"IndexName": "index", "ProvisionedThroughput": provisioned(1)}}]}),
                "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be \
                 specified for index: index when BillingMode is PAY_PER_REQUEST",
            ),
            (
                json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": provisioned(1)}),
                "One or more parameter values were invalid: ProvisionedThroughput must be specified for index: index",
            ),
        ],
    );
    database.ok(
        "UpdateTable",
        json!({
            "TableName": "table",
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": provisioned(1),
            "GlobalSecondaryIndexUpdates":
                [{"Update": {"IndexName": "index", "ProvisionedThroughput": provisioned(1)}}]
        }),
    );
}

// F-87: AWS's errors about other settings.
#[test]
fn settings_are_answered_in_the_words_of_aws() {
    let database =
        database_with(json!({"BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": true}));
    let ttl = |attribute: &str, enabled: bool| json!({"TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": enabled}});
    let mut on = ttl("expires", true);
    on["TableName"] = json!("table");
    database.ok("UpdateTimeToLive", on);
    let other = "TimeToLive is active on a different AttributeName: current AttributeName is expires";
    refused_on(
        &database,
        "UpdateTimeToLive",
        "table",
        [
            (ttl("expires", true), "TimeToLive is already enabled"),
            (ttl("other", true), other),
            (ttl("other", false), other),
        ],
    );
    refused_on(
        &database,
        "DeleteTable",
        "table",
        [(
            json!({}),
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection \
             first.",
        )],
    );
    refused_on(
        &database,
        "UpdateContinuousBackups",
        "table",
        [(
            json!({"PointInTimeRecoverySpecification":
                {"PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 5}}),
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
        )],
    );
    let disabled = json!({"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"});
    refused(
        &database,
        "CreateTable",
        [(
            json!({
                "TableName": "other",
                "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                "KeySchema": key(&["a"]),
                "BillingMode": "PAY_PER_REQUEST",
                "StreamSpecification": disabled
            }),
            "One or more parameter values were invalid: Table is being created with a stream disabled, \
             UpdateViewType should not be specified",
        )],
    );
}

// F-89: the words for a policy of another revision, and revisions that increase.
#[test]
fn policies_have_revisions_that_increase() {
    let database = database_with(json!({"BillingMode": "PAY_PER_REQUEST"}));
    let arn = described(&database)["TableArn"].clone();
    let policy = |action: &str| {
        let statement = json!({"Effect": "Allow", "Principal": "*", "Action": action, "Resource": "*"});
        json!({"Version": "2012-10-17", "Statement": [statement]}).to_string()
    };
    let put = |action: &str| {
        let body = json!({"ResourceArn": arn, "Policy": policy(action)});
        database.ok("PutResourcePolicy", body)["RevisionId"].as_str().unwrap().parse::<u64>().unwrap()
    };
    let (first, same, second) = (put("dynamodb:GetItem"), put("dynamodb:GetItem"), put("dynamodb:PutItem"));
    assert_eq!(first, same);
    assert!(first < second, "{first} {second}");
    for (expected, what) in [
        (
            first.to_string(),
            format!(
                "Requested update for policy with revision id {first}, but the policy associated to target table \
                 table has revision id {second}."
            ),
        ),
        (
            "NO_POLICY".to_owned(),
            format!(
                "Requested policy update expecting none to be present for table table, but a policy exists with \
                 revision id {second}."
            ),
        ),
    ] {
        let body =
            json!({"ResourceArn": arn, "Policy": policy("dynamodb:Query"), "ExpectedRevisionId": expected});
        let message = format!("Resource-based policy not found for the provided ResourceArn: {what}");
        assert_eq!(database.refused("PutResourcePolicy", body), ("PolicyNotFoundException", message));
    }
}

// F-90: what the newest service model offers and is not supported is rejected, never ignored.
#[test]
fn members_that_are_not_supported_are_rejected() {
    let database = database_with(json!({"BillingMode": "PAY_PER_REQUEST"}));
    let vectors = json!([{"IndexName": "vectors"}]);
    let create = json!({
        "TableName": "other",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": key(&["a"]),
        "BillingMode": "PAY_PER_REQUEST"
    });
    let with = |body: &Value, member: &str, value: &Value| {
        let mut body = body.clone();
        body[member] = value.clone();
        body
    };
    let table = json!({"TableName": "table"});
    let export =
        json!({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table", "S3Bucket": "bucket"});
    let backup = json!({
        "TargetTableName": "target",
        "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table/backup/01700000000000-aaaaaaaa"
    });
    let restore =
        json!({"SourceTableName": "table", "TargetTableName": "target", "UseLatestRestorableTime": true});
    let import = json!({
        "S3BucketSource": {"S3Bucket": "bucket"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": with(&create, "VectorIndexes", &vectors)
    });
    let source = json!("arn:aws:dynamodb:us-east-1:000000000000:table/x");
    let replicas = json!([{"Create": {"RegionName": "eu-west-1"}}]);
    let rejected = [
        ("CreateTable", &create, "VectorIndexes", vectors.clone()),
        ("CreateTable", &create, "GlobalTableSourceArn", source),
        ("CreateTable", &create, "GlobalTableSettingsReplicationMode", json!("ENABLED")),
        ("UpdateTable", &table, "VectorIndexUpdates", json!([{"Delete": {"IndexName": "vectors"}}])),
        ("UpdateTable", &table, "ReplicaUpdates", replicas.clone()),
        ("UpdateTable", &table, "GlobalTableWitnessUpdates", replicas),
        ("UpdateTable", &table, "MultiRegionConsistency", json!("STRONG")),
        ("UpdateTable", &table, "GlobalTableSettingsReplicationMode", json!("ENABLED")),
        ("UpdateTable", &table, "DisassociationProtectionEnabled", json!(true)),
        ("ExportTableToPointInTime", &export, "FilterSpecification", json!({"FilterExpression": "a = b"})),
        ("ExportTableToPointInTime", &export, "IncrementalExportSpecification", json!({})),
        ("RestoreTableFromBackup", &backup, "VectorIndexOverride", vectors.clone()),
        ("RestoreTableToPointInTime", &restore, "VectorIndexOverride", vectors),
    ];
    for (operation, body, member, value) in rejected {
        let expected = format!("{member} is not supported by Sortkey yet; see docs/COMPATIBILITY.md");
        let refused = database.refused(operation, with(body, member, &value));
        assert_eq!(refused, ("ValidationException", expected), "{operation} {member}");
    }
    let expected = "VectorIndexes is not supported by Sortkey yet; see docs/COMPATIBILITY.md".to_owned();
    assert_eq!(database.refused("ImportTable", import), ("ValidationException", expected));
}
