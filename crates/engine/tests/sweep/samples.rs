//! Requests that work, and values for every member that they do not have.

use serde_json::{Value, json};

use crate::model::{Model, Shape};
use crate::support::Database;

pub(crate) const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/table";

/// A database in which every sample works: a table with an index, a stream and continuous backups, and a backup of it.
pub(crate) struct Prepared {
    pub(crate) database: Database,
    backup: Value,
    export: Value,
    import: Value,
    stream: Value,
    shard: Value,
    iterator: Value,
    _buckets: tempfile::TempDir,
}

impl Prepared {
    pub(crate) fn new() -> Prepared {
        let buckets = tempfile::tempdir().unwrap();
        for name in ["bucket", "a/b"] {
            std::fs::create_dir_all(buckets.path().join(name)).unwrap();
        }
        let store = std::sync::Arc::new(sortkey_storage::MemoryStore::new());
        let database = Database::with_buckets(store, Some(buckets.path()));
        let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
        let index =
            json!([{"IndexName": "index", "KeySchema": hash("pk"), "Projection": {"ProjectionType": "ALL"}}]);
        let more = json!({"StreamSpecification": stream, "GlobalSecondaryIndexes": index});
        let created = database.create_table("table", false, more);
        let stream = created["TableDescription"]["LatestStreamArn"].clone();
        let on = json!({"PointInTimeRecoveryEnabled": true});
        database.ok(
            "UpdateContinuousBackups",
            json!({"TableName": "table", "PointInTimeRecoverySpecification": on}),
        );
        let policy = json!({"ResourceArn": ARN, "Policy": policy()});
        database.ok("PutResourcePolicy", policy);
        let backup = database.ok("CreateBackup", json!({"TableName": "table", "BackupName": "backup"}));
        let export = database.ok("ExportTableToPointInTime", json!({"TableArn": ARN, "S3Bucket": "bucket"}));
        let import = database.ok("ImportTable", import("imported"));
        let available = |backup: &Value| {
            let arn = json!({"BackupArn": backup["BackupDetails"]["BackupArn"]});
            let described = database.ok("DescribeBackup", arn);
            described["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE"
        };
        // A table of which an export is being made cannot be deleted.
        let exported = json!({"ExportArn": export["ExportDescription"]["ExportArn"]});
        let is_exported = || {
            let described = database.ok("DescribeExport", exported.clone());
            described["ExportDescription"]["ExportStatus"] == "COMPLETED"
        };
        while !available(&backup) || !is_exported() {
            std::thread::yield_now();
        }
        let described = database.ok("DescribeStream", json!({"StreamArn": stream}));
        let shard = described["StreamDescription"]["Shards"][0]["ShardId"].clone();
        let from = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = database.ok("GetShardIterator", from)["ShardIterator"].clone();
        Prepared {
            backup: backup["BackupDetails"]["BackupArn"].clone(),
            export: export["ExportDescription"]["ExportArn"].clone(),
            import: import["ImportTableDescription"]["ImportArn"].clone(),
            database,
            stream,
            shard,
            iterator,
            _buckets: buckets,
        }
    }

    /// A request of an operation that is accepted.
    pub(crate) fn sample(&self, operation: &str) -> Value {
        let table = json!({"TableName": "table"});
        match operation {
            "CreateBackup" => json!({"TableName": "table", "BackupName": "another"}),
            "CreateTable" => json!({
                "TableName": "new", "AttributeDefinitions": strings("pk"), "KeySchema": hash("pk"),
                "BillingMode": "PAY_PER_REQUEST"
            }),
            "DeleteBackup" | "DescribeBackup" => json!({"BackupArn": self.backup}),
            "DeleteResourcePolicy" | "GetResourcePolicy" | "ListTagsOfResource" => {
                json!({"ResourceArn": ARN})
            }
            "DescribeEndpoints" | "DescribeLimits" | "ListBackups" | "ListExports" | "ListImports"
            | "ListStreams" | "ListTables" => json!({}),
            "DescribeExport" => json!({"ExportArn": self.export}),
            "DescribeImport" => json!({"ImportArn": self.import}),
            "DescribeStream" => json!({"StreamArn": self.stream}),
            "ExportTableToPointInTime" => json!({"TableArn": ARN, "S3Bucket": "bucket"}),
            "GetRecords" => json!({"ShardIterator": self.iterator}),
            "GetShardIterator" => {
                json!({"StreamArn": self.stream, "ShardId": self.shard, "ShardIteratorType": "LATEST"})
            }
            "ImportTable" => import("new"),
            "PutResourcePolicy" => json!({"ResourceArn": ARN, "Policy": policy()}),
            "RestoreTableFromBackup" => json!({"TargetTableName": "new", "BackupArn": self.backup}),
            "RestoreTableToPointInTime" => json!({
                "SourceTableName": "table", "TargetTableName": "new", "UseLatestRestorableTime": true
            }),
            "TagResource" => json!({"ResourceArn": ARN, "Tags": [{"Key": "key", "Value": "value"}]}),
            "UntagResource" => json!({"ResourceArn": ARN, "TagKeys": ["key"]}),
            "UpdateContinuousBackups" => json!({
                "TableName": "table", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}
            }),
            "UpdateTimeToLive" => json!({
                "TableName": "table", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "expires"}
            }),
            "UpdateTable" => json!({"TableName": "table", "DeletionProtectionEnabled": true}),
            // DeleteTable, DescribeContinuousBackups, DescribeTable, DescribeTimeToLive.
            _ => table,
        }
    }
}

/// Takes the change of UpdateTable's sample away when there is another one: most are taken one at a time only.
pub(crate) fn make_room(operation: &str, request: &mut Value) {
    let Some(request) = request.as_object_mut().filter(|_| operation == "UpdateTable") else { return };
    let own = ["TableName", "AttributeDefinitions", "DeletionProtectionEnabled"];
    if request.keys().any(|member| !own.contains(&member.as_str())) {
        request.remove("DeletionProtectionEnabled");
    }
}

/// Members that the model does not require, and the service does: one of a union, and what nothing works without.
const CHOSEN: &[&str] =
    &["Create", "Csv", "MaxReadRequestUnits", "ProjectionType", "ReadUnitsPerSecond", "StreamViewType"];

/// Gives a table with local indexes the sort key that it needs.
pub(crate) fn sort_for_local_indexes(request: &mut Value) {
    let is_sample = request["KeySchema"] == hash("pk") && request["AttributeDefinitions"] == strings("pk");
    if is_sample && request.get("LocalSecondaryIndexes").is_some() {
        let sk = json!({"AttributeName": "sk", "AttributeType": "S"});
        request["AttributeDefinitions"].as_array_mut().unwrap().push(sk);
        let sk = json!({"AttributeName": "sk", "KeyType": "RANGE"});
        request["KeySchema"].as_array_mut().unwrap().push(sk);
    }
}

/// Lets a table with provisioned throughput be paid for it: the sample pays per request.
pub(crate) fn pay_for_throughput(request: &mut Value) {
    let parameters = match request.get_mut("TableCreationParameters") {
        Some(parameters) => parameters,
        None => request,
    };
    if parameters.get("ProvisionedThroughput").is_some() && parameters["BillingMode"] == "PAY_PER_REQUEST" {
        parameters["BillingMode"] = json!("PROVISIONED");
    }
}

/// A value that the rules of a shape allow, of its smallest form.
pub(crate) fn value(model: &Model, member: &str, shape: &str) -> Value {
    match model.shape(shape) {
        Shape::Structure(members) => {
            let mut structure = json!({});
            for member in members {
                if member.is_required || CHOSEN.contains(&member.name) {
                    structure[member.name] = value(model, member.name, member.shape);
                }
            }
            structure
        }
        Shape::List { of, .. } => match member {
            "LocalSecondaryIndexes" => {
                let keys = [("pk", "HASH"), ("sk", "RANGE")];
                let keys = keys.map(|(name, kind)| json!({"AttributeName": name, "KeyType": kind}));
                json!([{"IndexName": "local", "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}}])
            }
            "GlobalSecondaryIndexOverride" => json!([
                {"IndexName": "index", "KeySchema": hash("pk"), "Projection": {"ProjectionType": "ALL"}}
            ]),
            _ => json!([value(model, member, of)]),
        },
        Shape::Map { of } => json!({"#name": value(model, member, of)}),
        Shape::Text { min, .. } => match member {
            "TableName" | "SourceTableName" | "ExclusiveStartTableName" => json!("table"),
            "TargetTableName" => json!("new"),
            "TableArn" | "SourceTableArn" | "ResourceArn" => json!(ARN),
            "AttributeName" => json!("pk"),
            "Policy" | "ResourcePolicy" => json!(policy()),
            "S3BucketOwner" => json!("000000000000"),
            "Delimiter" => json!(","),
            _ => json!("n".repeat(usize::try_from(min.unwrap_or(3).max(3)).unwrap())),
        },
        Shape::Enum(values) => json!(values[0]),
        Shape::Number { min, .. } => json!(min.unwrap_or(1)),
        Shape::Boolean => json!(true),
        Shape::Timestamp => json!(crate::support::START_MS / 1000),
        Shape::Blob => json!("AA=="),
    }
}

fn strings(name: &str) -> Value {
    json!([{"AttributeName": name, "AttributeType": "S"}])
}

fn hash(name: &str) -> Value {
    json!([{"AttributeName": name, "KeyType": "HASH"}])
}

fn import(table: &str) -> Value {
    json!({
        "S3BucketSource": {"S3Bucket": "bucket"},
        "InputFormat": "CSV",
        "TableCreationParameters": {
            "TableName": table, "AttributeDefinitions": strings("pk"), "KeySchema": hash("pk"),
            "BillingMode": "PAY_PER_REQUEST"
        }
    })
}

fn policy() -> String {
    let statement = json!({
        "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::000000000000:root"}, "Action": "dynamodb:GetItem",
        "Resource": ARN
    });
    json!({"Version": "2012-10-17", "Statement": [statement]}).to_string()
}
