//! Every supported operation reads an example of its input and of its output and writes it back.

use serde_json::Value;
use sortkey_api::operations::*;
use sortkey_api::{Operation, OperationId, Service, decode, encode};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/orders";

/// An input with as many members as are worth showing, and an output.
fn examples(operation: OperationId) -> (String, &'static str) {
    let stream = format!("{ARN}/stream/2024-01-01T00:00:00.000");
    let backup = format!("{ARN}/backup/01489602797149-73d8d5bc");
    let shard = "shardId-00000001700000000000-abcdef01";
    match operation {
        OperationId::CreateTable => (
            r#"{"TableName":"orders","BillingMode":"PROVISIONED","TableClass":"STANDARD","DeletionProtectionEnabled":true,
                "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
                "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
                "ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6},
                "LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
                "GlobalSecondaryIndexes":[{"IndexName":"global","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a"]},"OnDemandThroughput":{"MaxReadRequestUnits":-1},"WarmThroughput":{"ReadUnitsPerSecond":1}}],
                "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},
                "SSESpecification":{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"k"},"Tags":[{"Key":"a","Value":""}],
                "VectorIndexes":[{"IndexName":"v"}],"ResourcePolicy":"{}"}"#.into(),
            r#"{"TableDescription":{"TableName":"orders","TableStatus":"ACTIVE","CreationDateTime":1718000000.25,"ItemCount":0,
                "ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0},
                "BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"TableClassSummary":{"TableClass":"STANDARD"},
                "GlobalSecondaryIndexes":[{"IndexName":"global","IndexStatus":"CREATING","Backfilling":true,"WarmThroughput":{"Status":"ACTIVE"}}],
                "LocalSecondaryIndexes":[{"IndexName":"local","IndexArn":"arn"}],"SSEDescription":{"Status":"ENABLED"},
                "RestoreSummary":{"RestoreDateTime":1,"RestoreInProgress":false}}}"#,
        ),
        OperationId::DescribeTable => (r#"{"TableName":"orders"}"#.into(), r#"{"Table":{"TableId":"id","TableArn":"arn"}}"#),
        OperationId::DeleteTable => (format!(r#"{{"TableName":"{ARN}"}}"#), r#"{"TableDescription":{"TableStatus":"DELETING"}}"#),
        OperationId::ListTables => (
            r#"{"ExclusiveStartTableName":"orders","Limit":100}"#.into(),
            r#"{"TableNames":["a","b"],"LastEvaluatedTableName":"b"}"#,
        ),
        OperationId::UpdateTable => (
            r#"{"TableName":"orders","GlobalSecondaryIndexUpdates":[
                {"Create":{"IndexName":"new","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}},
                {"Update":{"IndexName":"old","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}},
                {"Delete":{"IndexName":"gone"}}],"ReplicaUpdates":[{"Create":{"RegionName":"eu-west-1"}}]}"#.into(),
            r#"{"TableDescription":{"TableStatus":"UPDATING","StreamSpecification":{"StreamEnabled":false}}}"#,
        ),
        OperationId::PutItem => (
            r##"{"TableName":"orders","Item":{"pk":{"S":"a"},"n":{"N":"1.5"}},"ReturnValues":"ALL_OLD",
                "ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE","ConditionExpression":"#a = :a",
                "ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":a":{"L":[{"NULL":true}]}},
                "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##.into(),
            r#"{"Attributes":{"pk":{"S":"a"}},"ConsumedCapacity":{"TableName":"orders","CapacityUnits":2.0,"Table":{"CapacityUnits":1.0},
                "GlobalSecondaryIndexes":{"global":{"CapacityUnits":1.0}}},
                "ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}}"#,
        ),
        OperationId::GetItem => (
            r##"{"TableName":"orders","Key":{"pk":{"S":"a"}},"ConsistentRead":true,"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"a"},
                "ReturnConsumedCapacity":"TOTAL","AttributesToGet":["a"]}"##.into(),
            r#"{"Item":{"pk":{"S":"a"}},"ConsumedCapacity":{"CapacityUnits":0.5}}"#,
        ),
        OperationId::UpdateItem => (
            r#"{"TableName":"orders","Key":{"pk":{"S":"a"}},"AttributeUpdates":{"a":{"Action":"ADD","Value":{"N":"1"}}},"UpdateExpression":"SET a = :a",
                "Expected":{"b":{"Exists":false},"c":{"ComparisonOperator":"IN","AttributeValueList":[{"S":"x"}]}},"ConditionalOperator":"OR"}"#.into(),
            r#"{"Attributes":{"a":{"N":"2"}}}"#,
        ),
        OperationId::DeleteItem => (
            r#"{"TableName":"orders","Key":{"pk":{"S":"a"}},"ReturnValues":"NONE"}"#.into(),
            r#"{"Attributes":{"a":{"B":"AA=="}}}"#,
        ),
        OperationId::Query => (
            r#"{"TableName":"orders","IndexName":"local","Select":"COUNT","Limit":3,"ScanIndexForward":false,"ExclusiveStartKey":{"pk":{"S":"a"}},
                "KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}},"QueryFilter":{"x":{"ComparisonOperator":"NULL"}},
                "KeyConditionExpression":"pk = :pk","FilterExpression":"x > :x","ProjectionExpression":"a","ConsistentRead":false}"#.into(),
            r#"{"Items":[{"pk":{"S":"a"}},{}],"Count":2,"ScannedCount":5,"LastEvaluatedKey":{"pk":{"S":"a"}}}"#,
        ),
        OperationId::Scan => (
            r#"{"TableName":"orders","Segment":0,"TotalSegments":4,"ScanFilter":{"x":{"ComparisonOperator":"NOT_NULL"}},"ConditionalOperator":"AND"}"#.into(),
            r#"{"Count":0,"ScannedCount":0}"#,
        ),
        OperationId::BatchGetItem => (
            r#"{"RequestItems":{"orders":{"Keys":[{"pk":{"S":"a"}}],"ConsistentRead":true}}}"#.into(),
            r#"{"Responses":{"orders":[{"pk":{"S":"a"}}]},"UnprocessedKeys":{"orders":{"Keys":[{"pk":{"S":"b"}}]}},"ConsumedCapacity":[{"TableName":"orders"}]}"#,
        ),
        OperationId::BatchWriteItem => (
            r#"{"RequestItems":{"orders":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}}"#.into(),
            r#"{"UnprocessedItems":{},"ItemCollectionMetrics":{"orders":[{}]}}"#,
        ),
        OperationId::TransactGetItems => (
            r#"{"TransactItems":[{"Get":{"TableName":"orders","Key":{"pk":{"S":"a"}},"ProjectionExpression":"a"}}]}"#.into(),
            r#"{"Responses":[{"Item":{"a":{"BOOL":true}}},{}]}"#,
        ),
        OperationId::TransactWriteItems => (
            r#"{"ClientRequestToken":"t","TransactItems":[
                {"ConditionCheck":{"TableName":"orders","Key":{"pk":{"S":"a"}},"ConditionExpression":"attribute_exists(pk)"}},
                {"Put":{"TableName":"orders","Item":{"pk":{"S":"b"}}}},{"Delete":{"TableName":"orders","Key":{"pk":{"S":"c"}}}},
                {"Update":{"TableName":"orders","Key":{"pk":{"S":"d"}},"UpdateExpression":"REMOVE a","ReturnValuesOnConditionCheckFailure":"NONE"}}]}"#.into(),
            r#"{"ConsumedCapacity":[],"ItemCollectionMetrics":{}}"#,
        ),
        OperationId::ExecuteStatement => (
            r#"{"Statement":"SELECT * FROM orders WHERE pk = ?","Parameters":[{"S":"a"}],"Limit":5,"NextToken":"t"}"#.into(),
            r#"{"Items":[{"pk":{"S":"a"}}],"NextToken":"t","LastEvaluatedKey":{}}"#,
        ),
        OperationId::BatchExecuteStatement => (
            r#"{"Statements":[{"Statement":"s","Parameters":[{"N":"1"}],"ConsistentRead":true}]}"#.into(),
            r#"{"Responses":[{"TableName":"orders","Item":{"a":{"S":"x"}}},{"Error":{"Code":"DuplicateItem","Message":"m"}}]}"#,
        ),
        OperationId::ExecuteTransaction => (
            r#"{"TransactStatements":[{"Statement":"s"}],"ClientRequestToken":"t"}"#.into(),
            r#"{"Responses":[{"Item":{"a":{"S":"x"}}}]}"#,
        ),
        OperationId::UpdateTimeToLive => (
            r#"{"TableName":"orders","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"expires"}}"#.into(),
            r#"{"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"expires"}}"#,
        ),
        OperationId::DescribeTimeToLive => (
            r#"{"TableName":"orders"}"#.into(),
            r#"{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"expires"}}"#,
        ),
        OperationId::TagResource => (format!(r#"{{"ResourceArn":"{ARN}","Tags":[{{"Key":"a","Value":"b"}}]}}"#), ""),
        OperationId::UntagResource => (format!(r#"{{"ResourceArn":"{ARN}","TagKeys":["a"]}}"#), ""),
        OperationId::ListTagsOfResource => (
            format!(r#"{{"ResourceArn":"{ARN}","NextToken":"t"}}"#),
            r#"{"Tags":[{"Key":"a","Value":"b"}],"NextToken":"t"}"#,
        ),
        OperationId::DescribeLimits => ("{}".into(), r#"{"AccountMaxReadCapacityUnits":80000,"TableMaxWriteCapacityUnits":40000}"#),
        OperationId::DescribeEndpoints => ("{}".into(), r#"{"Endpoints":[{"Address":"localhost:8000","CachePeriodInMinutes":1440}]}"#),
        OperationId::ListStreams => (
            format!(r#"{{"TableName":"orders","Limit":10,"ExclusiveStartStreamArn":"{stream}"}}"#),
            r#"{"Streams":[{"StreamArn":"arn","TableName":"orders","StreamLabel":"l"}],"LastEvaluatedStreamArn":"arn"}"#,
        ),
        OperationId::DescribeStream => (
            format!(r#"{{"StreamArn":"{stream}","Limit":1,"ExclusiveStartShardId":"{shard}","ShardFilter":{{"Type":"CHILD_SHARDS","ShardId":"{shard}"}}}}"#),
            r#"{"StreamDescription":{"StreamStatus":"ENABLED","StreamViewType":"KEYS_ONLY","CreationRequestDateTime":1.5,
                "Shards":[{"ShardId":"s","ParentShardId":"p","SequenceNumberRange":{"StartingSequenceNumber":"1","EndingSequenceNumber":"2"}}]}}"#,
        ),
        OperationId::GetShardIterator => (
            format!(r#"{{"StreamArn":"{stream}","ShardId":"{shard}","ShardIteratorType":"AT_SEQUENCE_NUMBER","SequenceNumber":"000000000000000000001"}}"#),
            r#"{"ShardIterator":"i"}"#,
        ),
        OperationId::GetRecords => (
            r#"{"ShardIterator":"i","Limit":1000}"#.into(),
            r#"{"Records":[{"eventID":"e","eventName":"REMOVE","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1",
                "dynamodb":{"ApproximateCreationDateTime":1718000000,"Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"}},"SequenceNumber":"1","SizeBytes":6,"StreamViewType":"OLD_IMAGE"},
                "userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}],"NextShardIterator":"n"}"#,
        ),
        OperationId::UpdateContinuousBackups => (
            r#"{"TableName":"orders","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}}"#.into(),
            r#"{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"ENABLED","EarliestRestorableDateTime":1}}}"#,
        ),
        OperationId::DescribeContinuousBackups => (
            r#"{"TableName":"orders"}"#.into(),
            r#"{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED"}}"#,
        ),
        OperationId::CreateBackup => (
            r#"{"TableName":"orders","BackupName":"nightly"}"#.into(),
            r#"{"BackupDetails":{"BackupArn":"arn","BackupName":"nightly","BackupSizeBytes":0,"BackupStatus":"CREATING","BackupType":"USER","BackupCreationDateTime":1.5}}"#,
        ),
        OperationId::DescribeBackup => (
            format!(r#"{{"BackupArn":"{backup}"}}"#),
            r#"{"BackupDescription":{
                "BackupDetails":{"BackupArn":"arn","BackupName":"n","BackupStatus":"AVAILABLE","BackupType":"SYSTEM","BackupCreationDateTime":1,"BackupExpiryDateTime":2},
                "SourceTableDetails":{"TableName":"orders","TableId":"id","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"TableCreationDateTime":1,
                    "ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0},"ItemCount":3,"BillingMode":"PAY_PER_REQUEST"},
                "SourceTableFeatureDetails":{"LocalSecondaryIndexes":[{"IndexName":"local"}],"GlobalSecondaryIndexes":[{"IndexName":"global","ProvisionedThroughput":{"ReadCapacityUnits":1}}],
                    "StreamDescription":{"StreamEnabled":true},"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED"}}}}"#,
        ),
        OperationId::DeleteBackup => (
            format!(r#"{{"BackupArn":"{backup}"}}"#),
            r#"{"BackupDescription":{"BackupDetails":{"BackupArn":"arn","BackupName":"n","BackupStatus":"DELETED","BackupType":"USER","BackupCreationDateTime":1}}}"#,
        ),
        OperationId::ListBackups => (
            format!(r#"{{"TableName":"orders","Limit":2,"TimeRangeLowerBound":1,"TimeRangeUpperBound":2.5,"ExclusiveStartBackupArn":"{backup}","BackupType":"ALL"}}"#),
            r#"{"BackupSummaries":[{"TableName":"orders","BackupArn":"arn","BackupSizeBytes":7}],"LastEvaluatedBackupArn":"arn"}"#,
        ),
        OperationId::RestoreTableFromBackup => (
            format!(r#"{{"TargetTableName":"restored","BackupArn":"{backup}","BillingModeOverride":"PROVISIONED","GlobalSecondaryIndexOverride":[],
                "LocalSecondaryIndexOverride":[],"ProvisionedThroughputOverride":{{"ReadCapacityUnits":1,"WriteCapacityUnits":1}},"VectorIndexOverride":[]}}"#),
            r#"{"TableDescription":{"TableStatus":"CREATING","RestoreSummary":{"SourceBackupArn":"arn","RestoreDateTime":1,"RestoreInProgress":true}}}"#,
        ),
        OperationId::RestoreTableToPointInTime => (
            format!(r#"{{"SourceTableArn":"{ARN}","SourceTableName":"orders","TargetTableName":"restored","UseLatestRestorableTime":false,"RestoreDateTime":1718000000,
                "OnDemandThroughputOverride":{{"MaxReadRequestUnits":5}},"SSESpecificationOverride":{{"Enabled":false}}}}"#),
            r#"{"TableDescription":{"TableStatus":"CREATING","RestoreSummary":{"SourceTableArn":"arn","RestoreDateTime":1,"RestoreInProgress":true}}}"#,
        ),
        OperationId::ExportTableToPointInTime => (
            format!(r#"{{"TableArn":"{ARN}","ExportTime":1718000000,"ClientToken":"t","S3Bucket":"bucket","S3Prefix":"p","S3SseAlgorithm":"KMS","S3SseKmsKeyId":"k",
                "ExportFormat":"DYNAMODB_JSON","ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{{}},"FilterSpecification":{{}}}}"#),
            r#"{"ExportDescription":{"ExportArn":"arn","ExportStatus":"IN_PROGRESS","StartTime":1,"S3SseAlgorithm":"AES256"}}"#,
        ),
        OperationId::DescribeExport => (
            format!(r#"{{"ExportArn":"{ARN}/export/01489602797149-73d8d5bc"}}"#),
            r#"{"ExportDescription":{"ExportStatus":"FAILED","FailureCode":"c","FailureMessage":"m","EndTime":2.5,"ExportManifest":"k","BilledSizeBytes":1,"ItemCount":2}}"#,
        ),
        OperationId::ListExports => (
            format!(r#"{{"TableArn":"{ARN}","MaxResults":25,"NextToken":"t"}}"#),
            r#"{"ExportSummaries":[{"ExportArn":"arn","ExportStatus":"COMPLETED","ExportType":"FULL_EXPORT"}],"NextToken":"t"}"#,
        ),
        OperationId::ImportTable => (
            r#"{"ClientToken":"t","S3BucketSource":{"S3Bucket":"bucket","S3KeyPrefix":"p"},"InputFormat":"CSV","InputCompressionType":"ZSTD",
                "InputFormatOptions":{"Csv":{"Delimiter":";","HeaderList":["pk","v"]}},
                "TableCreationParameters":{"TableName":"orders","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
                    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}}"#.into(),
            r#"{"ImportTableDescription":{"ImportArn":"arn","ImportStatus":"IN_PROGRESS"}}"#,
        ),
        OperationId::DescribeImport => (
            format!(r#"{{"ImportArn":"{ARN}/import/01489602797149-73d8d5bc"}}"#),
            r#"{"ImportTableDescription":{"ImportStatus":"COMPLETED","ErrorCount":1,"ProcessedItemCount":3,"ImportedItemCount":2,"ProcessedSizeBytes":99}}"#,
        ),
        OperationId::ListImports => (
            format!(r#"{{"TableArn":"{ARN}","PageSize":1,"NextToken":"{}"}}"#, "0".repeat(112)),
            r#"{"ImportSummaryList":[{"ImportArn":"arn","InputFormat":"DYNAMODB_JSON","S3BucketSource":{"S3Bucket":"bucket"}}],"NextToken":"t"}"#,
        ),
        OperationId::GetResourcePolicy => (format!(r#"{{"ResourceArn":"{ARN}"}}"#), r#"{"Policy":"{}","RevisionId":"1"}"#),
        OperationId::PutResourcePolicy => (
            format!(r#"{{"ResourceArn":"{ARN}","Policy":"{{}}","ExpectedRevisionId":"1","ConfirmRemoveSelfResourceAccess":true}}"#),
            r#"{"RevisionId":"2"}"#,
        ),
        OperationId::DeleteResourcePolicy => (format!(r#"{{"ResourceArn":"{ARN}"}}"#), r#"{"RevisionId":"2"}"#),
        unsupported => unreachable!("{unsupported:?} is not supported"),
    }
}

/// A value that was read and written again is the same JSON.
macro_rules! inputs_round_trip {
    ($($operation:ident: $module:ident,)+) => {$({
        let (input, _) = examples($operation::ID);
        let decoded = decode::<<$operation as Operation>::Input>(input.as_bytes()).expect($operation::NAME);
        assert_same_json(&written(&decoded), &input);
    })+};
}

#[test]
fn every_input_round_trips() {
    sortkey_api::with_operations!(inputs_round_trip);
}

/// Outputs without a body cannot be read, so this goes one by one through the others.
macro_rules! outputs_round_trip {
    (TagResource: $module:ident, $($rest:tt)*) => {
        outputs_round_trip! { @ TagResource }
        outputs_round_trip! { $($rest)* }
    };
    (UntagResource: $module:ident, $($rest:tt)*) => {
        outputs_round_trip! { @ UntagResource }
        outputs_round_trip! { $($rest)* }
    };
    (@ $operation:ident) => {
        assert_eq!(written(&<$operation as Operation>::Output::default()), "");
    };
    ($operation:ident: $module:ident, $($rest:tt)*) => {
        let (_, output) = examples($operation::ID);
        let decoded = decode::<<$operation as Operation>::Output>(output.as_bytes()).expect($operation::NAME);
        assert_same_json(&written(&decoded), output);
        outputs_round_trip! { $($rest)* }
    };
    () => {};
}

#[test]
fn every_output_round_trips() {
    sortkey_api::with_operations!(outputs_round_trip);
}

fn written(value: &impl sortkey_api::shape::Encode) -> String {
    let mut out = Vec::new();
    encode(value, &mut out);
    String::from_utf8(out).expect("JSON is UTF-8")
}

#[track_caller]
fn assert_same_json(written: &str, expected: &str) {
    let parse = |json: &str| serde_json::from_str::<Value>(json).expect("JSON");
    assert_eq!(parse(written), parse(expected));
}

#[test]
fn targets() {
    assert_eq!(OperationId::ALL.len(), 66);
    assert_eq!(OperationId::SUPPORTED.len(), 46);
    for operation in OperationId::ALL {
        let target = format!("{}.{}", operation.service().target_prefix(), operation.name());
        assert_eq!(OperationId::from_target(&target), Some(*operation));
        assert_eq!(operation.is_supported(), OperationId::SUPPORTED.contains(operation));
    }
    assert_eq!(OperationId::ListStreams.service(), Service::Streams);
    for target in [
        "",
        "PutItem",
        "DynamoDB_20120810.",
        "DynamoDB_20120810.ListTable",
        "DynamoDB_20120810.ListStreams",
        "X.PutItem",
    ] {
        assert_eq!(OperationId::from_target(target), None, "{target}");
    }
}
