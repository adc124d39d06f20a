//! All operations with no policy, the wrong one and the right one; and tenants that are confined to their own keys.

use std::net::{IpAddr, Ipv4Addr};

use sortkey_access::Identity;
use sortkey_api::OperationId;
use sortkey_policy::Principal;
use sortkey_testkit::Random;

use super::*;
use crate::database::Database;

const REGION: &str = "us-east-1";
const PREFIX: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/";

fn circumstances() -> Circumstances<'static> {
    Circumstances {
        source_ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
        user_agent: None,
        is_encrypted: false,
        now_seconds: 1_794_873_600,
    }
}

fn caller(name: &str, policies: &[&str]) -> Caller {
    let policies = policies.iter().map(|text| Policy::parse(text, Kind::Identity).expect(text)).collect();
    let identity = Identity {
        principal: Principal {
            account: "000000000000".into(),
            arn: format!("arn:aws:iam::000000000000:user/{name}"),
            role: None,
        },
        user: Some(name.to_owned()),
        user_id: format!("AIDA{name}"),
        admin: false,
        policies,
        boundary: None,
    };
    Caller { identity: Arc::new(identity), session_policy: None, issued_seconds: None }
}

fn call(operation: OperationId, body: &str) -> Call {
    Call { operation, body: body.to_owned().into(), fork: None }
}

struct World {
    database: Database,
    evaluator: Evaluator,
    runtime: tokio::runtime::Runtime,
}

impl World {
    fn new() -> World {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let database = Database::memory(sortkey_engine::Settings::default());
        let world = World { database, evaluator: Evaluator::default(), runtime };
        world.run(
            OperationId::CreateTable,
            r#"{"TableName":"orders","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                {"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"owner","AttributeType":"S"}],
                "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
                "GlobalSecondaryIndexes":[{"IndexName":"by-owner","KeySchema":[{"AttributeName":"owner","KeyType":"HASH"}],
                "Projection":{"ProjectionType":"ALL"}}],
                "BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#,
        );
        world
    }

    fn run(&self, operation: OperationId, body: &str) -> String {
        let reply = self.runtime.block_on(self.database.call(call(operation, body)));
        String::from_utf8(reply.result.unwrap_or_else(|error| panic!("{body}: {error}"))).expect("text")
    }

    fn check(&self, caller: &Caller, operation: OperationId, body: &str) -> Result<(), ApiError> {
        let call = &call(operation, body);
        let matter = Matter { region: REGION, caller, call, circumstances: circumstances() };
        let judged = self.evaluator.judge(&self.database, &matter, Iam::Enforce, false);
        judged.denied.map_or(Ok(()), |denied| Err(denied.error))
    }

    fn stream_arn(&self) -> String {
        let table: serde_json::Value =
            serde_json::from_str(&self.run(OperationId::DescribeTable, r#"{"TableName":"orders"}"#))
                .expect("JSON");
        table["Table"]["LatestStreamArn"].as_str().expect("a stream").to_owned()
    }

    /// An iterator at the beginning of the stream.
    fn iterator(&self) -> String {
        let stream = self.stream_arn();
        let read = |operation, body: &str| -> serde_json::Value {
            serde_json::from_str(&self.run(operation, body)).expect("JSON")
        };
        let described = read(OperationId::DescribeStream, &format!(r#"{{"StreamArn":"{stream}"}}"#));
        let shard = described["StreamDescription"]["Shards"][0]["ShardId"].as_str().expect("a shard");
        let iterator = read(
            OperationId::GetShardIterator,
            &format!(r#"{{"StreamArn":"{stream}","ShardId":"{shard}","ShardIteratorType":"TRIM_HORIZON"}}"#),
        );
        iterator["ShardIterator"].as_str().expect("an iterator").to_owned()
    }
}

/// An operation, what it is asked, and the actions and resources that this needs.
type Row = (OperationId, String, Vec<(&'static str, String)>);

/// Every operation, what it is asked, and the actions and resources that this needs.
fn matrix(stream: &str, iterator: &str) -> Vec<Row> {
    use OperationId as Id;
    let table = format!("{PREFIX}orders");
    let index = format!("{PREFIX}orders/index/by-owner");
    let target = format!("{PREFIX}restored");
    let backup = format!("{PREFIX}orders/backup/01");
    let all = "*".to_owned();
    let key = r#"{"pk":{"S":"a"},"sk":{"S":"b"}}"#;
    let on_table = |id: Id| (id, r#"{"TableName":"orders"}"#.to_owned());
    let simple = |(id, body): (Id, String), action: &'static str, resource: &String| {
        (id, body, vec![(action, resource.clone())])
    };
    let by_arn = |id: Id, name: &str, arn: &str, rest: &str| (id, format!(r#"{{"{name}":"{arn}"{rest}}}"#));
    let schema = r#""AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
                    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST""#;
    let policy = r#","Policy":"{}""#;
    vec![
        simple((Id::GetItem, format!(r#"{{"TableName":"orders","Key":{key}}}"#)), "dynamodb:GetItem", &table),
        simple((Id::PutItem, format!(r#"{{"TableName":"{table}","Item":{key}}}"#)), "dynamodb:PutItem", &table),
        simple((Id::UpdateItem, format!(r#"{{"TableName":"orders","Key":{key}}}"#)), "dynamodb:UpdateItem", &table),
        simple((Id::DeleteItem, format!(r#"{{"TableName":"orders","Key":{key}}}"#)), "dynamodb:DeleteItem", &table),
        simple(
            (
                Id::Query,
                r##"{"TableName":"orders","IndexName":"by-owner","KeyConditionExpression":"#o = :o",
                    "ExpressionAttributeNames":{"#o":"owner"},"ExpressionAttributeValues":{":o":{"S":"x"}}}"##
                    .to_owned(),
            ),
            "dynamodb:Query",
            &index,
        ),
        simple(on_table(Id::Scan), "dynamodb:Scan", &table),
        (
            Id::BatchGetItem,
            format!(r#"{{"RequestItems":{{"orders":{{"Keys":[{key}]}},"other":{{"Keys":[{key}]}}}}}}"#),
            vec![("dynamodb:BatchGetItem", table.clone()), ("dynamodb:BatchGetItem", format!("{PREFIX}other"))],
        ),
        simple(
            (Id::BatchWriteItem, format!(r#"{{"RequestItems":{{"orders":[{{"PutRequest":{{"Item":{key}}}}}]}}}}"#)),
            "dynamodb:BatchWriteItem",
            &table,
        ),
        simple(
            (Id::TransactGetItems, format!(r#"{{"TransactItems":[{{"Get":{{"TableName":"orders","Key":{key}}}}}]}}"#)),
            "dynamodb:GetItem",
            &table,
        ),
        (
            Id::TransactWriteItems,
            format!(
                r#"{{"TransactItems":[{{"Put":{{"TableName":"orders","Item":{key}}}}},
                {{"Delete":{{"TableName":"other","Key":{key}}}}},
                {{"Update":{{"TableName":"orders","Key":{key},"UpdateExpression":"SET a = b"}}}},
                {{"ConditionCheck":{{"TableName":"orders","Key":{key},"ConditionExpression":"attribute_exists(pk)"}}}}]}}"#
            ),
            vec![
                ("dynamodb:PutItem", table.clone()),
                ("dynamodb:DeleteItem", format!("{PREFIX}other")),
                ("dynamodb:UpdateItem", table.clone()),
                ("dynamodb:ConditionCheckItem", table.clone()),
            ],
        ),
        simple(
            (Id::ExecuteStatement, r#"{"Statement":"SELECT * FROM orders WHERE pk = 'a'"}"#.to_owned()),
            "dynamodb:PartiQLSelect",
            &table,
        ),
        (
            Id::BatchExecuteStatement,
            r#"{"Statements":[{"Statement":"SELECT * FROM \"orders\".\"by-owner\" WHERE owner = 'a'"},
                {"Statement":"DELETE FROM orders WHERE pk = 'a' AND sk = 'b'"}]}"#
                .to_owned(),
            vec![("dynamodb:PartiQLSelect", index.clone()), ("dynamodb:PartiQLDelete", table.clone())],
        ),
        (
            Id::ExecuteTransaction,
            r#"{"TransactStatements":[{"Statement":"INSERT INTO orders VALUE {'pk':'a','sk':'b'}"},
                {"Statement":"UPDATE orders SET x = 1 WHERE pk = 'a' AND sk = 'c'"}]}"#
                .to_owned(),
            vec![("dynamodb:PartiQLInsert", table.clone()), ("dynamodb:PartiQLUpdate", table.clone())],
        ),
        simple((Id::CreateTable, format!(r#"{{"TableName":"orders",{schema}}}"#)), "dynamodb:CreateTable", &table),
        // An identity that may create tables could give itself a policy for them.
        (
            Id::CreateTable,
            format!(r#"{{"TableName":"orders",{schema},"ResourcePolicy":"{{}}","Tags":[{{"Key":"a","Value":"b"}}]}}"#),
            vec![
                ("dynamodb:CreateTable", table.clone()),
                ("dynamodb:PutResourcePolicy", table.clone()),
                ("dynamodb:TagResource", table.clone()),
            ],
        ),
        simple(on_table(Id::DescribeTable), "dynamodb:DescribeTable", &table),
        simple(on_table(Id::UpdateTable), "dynamodb:UpdateTable", &table),
        simple(on_table(Id::DeleteTable), "dynamodb:DeleteTable", &table),
        simple(on_table(Id::DescribeTimeToLive), "dynamodb:DescribeTimeToLive", &table),
        simple(
            (Id::UpdateTimeToLive, r#"{"TableName":"orders","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}}"#.to_owned()),
            "dynamodb:UpdateTimeToLive",
            &table,
        ),
        simple(on_table(Id::DescribeContinuousBackups), "dynamodb:DescribeContinuousBackups", &table),
        simple(
            (Id::UpdateContinuousBackups, r#"{"TableName":"orders","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#.to_owned()),
            "dynamodb:UpdateContinuousBackups",
            &table,
        ),
        simple((Id::CreateBackup, r#"{"TableName":"orders","BackupName":"name"}"#.to_owned()), "dynamodb:CreateBackup", &table),
        simple(by_arn(Id::DeleteBackup, "BackupArn", &backup, ""), "dynamodb:DeleteBackup", &backup),
        simple(by_arn(Id::DescribeBackup, "BackupArn", &backup, ""), "dynamodb:DescribeBackup", &backup),
        (
            Id::RestoreTableFromBackup,
            format!(r#"{{"BackupArn":"{backup}","TargetTableName":"restored"}}"#),
            vec![
                ("dynamodb:RestoreTableFromBackup", backup.clone()),
                ("dynamodb:RestoreTableFromBackup", target.clone()),
            ],
        ),
        (
            Id::RestoreTableToPointInTime,
            r#"{"SourceTableName":"orders","TargetTableName":"restored","UseLatestRestorableTime":true}"#.to_owned(),
            vec![
                ("dynamodb:RestoreTableToPointInTime", table.clone()),
                ("dynamodb:RestoreTableToPointInTime", target),
            ],
        ),
        simple(
            by_arn(Id::ExportTableToPointInTime, "TableArn", &table, r#","S3Bucket":"bucket""#),
            "dynamodb:ExportTableToPointInTime",
            &table,
        ),
        simple(
            (Id::ImportTable, format!(
                r#"{{"S3BucketSource":{{"S3Bucket":"bucket"}},"InputFormat":"CSV","TableCreationParameters":{{"TableName":"orders",{schema}}}}}"#
            )),
            "dynamodb:ImportTable",
            &table,
        ),
        simple(
            by_arn(Id::DescribeExport, "ExportArn", &format!("{table}/export/0123456789012-abc"), ""),
            "dynamodb:DescribeExport",
            &format!("{table}/export/0123456789012-abc"),
        ),
        simple(
            by_arn(Id::DescribeImport, "ImportArn", &format!("{table}/import/0123456789012-abc"), ""),
            "dynamodb:DescribeImport",
            &format!("{table}/import/0123456789012-abc"),
        ),
        simple(by_arn(Id::TagResource, "ResourceArn", &table, r#","Tags":[{"Key":"a","Value":"b"}]"#), "dynamodb:TagResource", &table),
        simple(by_arn(Id::UntagResource, "ResourceArn", &table, r#","TagKeys":["a"]"#), "dynamodb:UntagResource", &table),
        simple(by_arn(Id::ListTagsOfResource, "ResourceArn", &table, ""), "dynamodb:ListTagsOfResource", &table),
        simple(by_arn(Id::GetResourcePolicy, "ResourceArn", &table, ""), "dynamodb:GetResourcePolicy", &table),
        simple(by_arn(Id::PutResourcePolicy, "ResourceArn", &table, policy), "dynamodb:PutResourcePolicy", &table),
        simple(by_arn(Id::DeleteResourcePolicy, "ResourceArn", &table, ""), "dynamodb:DeleteResourcePolicy", &table),
        simple(by_arn(Id::DescribeStream, "StreamArn", stream, ""), "dynamodb:DescribeStream", &stream.to_owned()),
        simple(
            by_arn(Id::GetShardIterator, "StreamArn", stream, r#","ShardId":"shardId-00000000000000000000-00000000","ShardIteratorType":"LATEST""#),
            "dynamodb:GetShardIterator",
            &stream.to_owned(),
        ),
        simple((Id::GetRecords, format!(r#"{{"ShardIterator":"{iterator}"}}"#)), "dynamodb:GetRecords", &stream.to_owned()),
        simple((Id::ListTables, "{}".to_owned()), "dynamodb:ListTables", &all),
        simple((Id::ListStreams, "{}".to_owned()), "dynamodb:ListStreams", &all),
        simple((Id::ListBackups, "{}".to_owned()), "dynamodb:ListBackups", &all),
        simple((Id::ListExports, "{}".to_owned()), "dynamodb:ListExports", &all),
        simple((Id::ListImports, "{}".to_owned()), "dynamodb:ListImports", &all),
        simple((Id::DescribeLimits, "{}".to_owned()), "dynamodb:DescribeLimits", &all),
        simple((Id::DescribeEndpoints, "{}".to_owned()), "dynamodb:DescribeEndpoints", &all),
    ]
}

fn allowing(pairs: &[(&str, String)]) -> String {
    let statements: Vec<String> = pairs.iter().map(|(action, resource)| suggest(action, resource)).collect();
    format!(r#"{{"Version":"2012-10-17","Statement":[{}]}}"#, statements.join(","))
}

#[test]
fn every_operation_needs_its_own_permission() {
    let world = World::new();
    let stream = world.stream_arn();
    // The name in front of an iterator is a client's to change; the stream behind it is not.
    let iterator = world.iterator().replace("table/orders", "table/mine");

    let matrix = matrix(&stream, &iterator);
    let tested: Vec<OperationId> = matrix.iter().map(|(operation, ..)| *operation).collect();
    for operation in OperationId::SUPPORTED {
        assert!(tested.contains(operation), "{operation:?} is not in the matrix");
    }
    for (operation, body, needs) in &matrix {
        let none = caller("ann", &[]);
        let refused = world.check(&none, *operation, body).expect_err("nothing is allowed");
        assert_eq!(refused.kind, ErrorKind::AccessDeniedException, "{operation:?} {body}");
        let (action, resource) = &needs[0];
        assert!(
            refused.message.contains(action) && refused.message.contains(resource.as_str()),
            "{}",
            refused.message
        );

        let right = allowing(needs);
        assert_eq!(world.check(&caller("ann", &[&right]), *operation, body), Ok(()), "{operation:?} {body}");
        // Each part is needed, and so is its resource.
        for at in 0..needs.len() {
            let mut fewer = needs.clone();
            fewer.remove(at);
            if !fewer.is_empty() && !fewer.contains(&needs[at]) {
                let refused = world.check(&caller("ann", &[&allowing(&fewer)]), *operation, body);
                assert!(refused.is_err(), "{operation:?} without {:?}", needs[at]);
            }
            let mut elsewhere = needs.clone();
            elsewhere[at].1 = format!("{PREFIX}elsewhere");
            let refused = world.check(&caller("ann", &[&allowing(&elsewhere)]), *operation, body);
            assert!(refused.is_err(), "{operation:?} elsewhere");
        }
        let deny = r#"{"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}}"#;
        let refused =
            world.check(&caller("ann", &[&right, deny]), *operation, body).expect_err("an explicit deny");
        assert!(
            refused.message.ends_with("with an explicit deny in an identity-based policy"),
            "{}",
            refused.message
        );
    }
}

#[test]
fn a_policy_of_the_table_is_enforced() {
    let world = World::new();
    let get = r#"{"TableName":"orders","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}"#;
    let (ann, bob) = (caller("ann", &[]), caller("bob", &[]));
    assert!(world.check(&ann, OperationId::GetItem, get).is_err());
    let put = |document: &str| {
        let document = document.replace('"', "\\\"");
        let body = format!(r#"{{"ResourceArn":"{PREFIX}orders","Policy":"{document}"}}"#);
        world.run(OperationId::PutResourcePolicy, &body);
    };
    put(&format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"AWS":"arn:aws:iam::000000000000:user/ann"}},"Action":"dynamodb:GetItem","Resource":"{PREFIX}orders"}}]}}"#
    ));
    assert_eq!(world.check(&ann, OperationId::GetItem, get), Ok(()));
    assert!(world.check(&bob, OperationId::GetItem, get).is_err());
    // A policy that cannot be evaluated denies, even to callers whom another policy allows.
    put(
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*","Condition":{"StringSortOf":{"aws:username":"x"}}}]}"#,
    );
    let everything = r#"{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#;
    let carl = caller("carl", &[everything]);
    let refused = world.check(&carl, OperationId::GetItem, get).expect_err("the policy cannot be read");
    assert!(
        refused.message.ends_with("with an explicit deny in a resource-based policy"),
        "{}",
        refused.message
    );
}

/// Compiled policies were remembered by their revision, which is the time: of two tables whose policies were made in the same
/// millisecond, one was governed by the policy of the other.
#[test]
fn policies_of_the_same_revision_are_two() {
    let evaluator = Evaluator::default();
    let policy = |effect: &str| ResourcePolicy {
        document: format!(
            r#"{{"Statement":{{"Effect":"{effect}","Principal":"*","Action":"*","Resource":"*"}}}}"#
        ),
        revision: "1794873600000".to_owned(),
    };
    let (allow, deny) = (policy("Allow"), policy("Deny"));
    for _ in 0..2 {
        assert_ne!(evaluator.compile(allow.clone()), evaluator.compile(deny.clone()));
        assert_eq!(
            *evaluator.compile(deny.clone()),
            Policy::parse(&deny.document, Kind::Resource).expect("deny")
        );
    }
}

/// A policy that nobody can read would deny everybody everything, and one that shuts out its author could not be taken back.
#[test]
fn policies_are_checked_before_they_are_attached() {
    let world = World::new();
    let attach = |caller: &Caller, document: &str, more: &str| {
        let document = document.replace('"', "\\\"");
        let body = format!(r#"{{"ResourceArn":"{PREFIX}orders","Policy":"{document}"{more}}}"#);
        let call = &call(OperationId::PutResourcePolicy, &body);
        let matter = Matter { region: REGION, caller, call, circumstances: circumstances() };
        attached::check(&world.database, &matter, Iam::Enforce).map_err(|error| error.message)
    };
    let ann = caller("ann", &[&allowing(&[("dynamodb:PutResourcePolicy", format!("{PREFIX}orders"))])]);
    let statement = |effect: &str, action: &str, condition: &str| {
        format!(
            r#"{{"Statement":{{"Effect":"{effect}","Principal":"*","Action":"{action}","Resource":"*"{condition}}}}}"#
        )
    };
    assert_eq!(attach(&ann, &statement("Allow", "dynamodb:GetItem", ""), ""), Ok(()));
    let unknown = statement("Allow", "*", r#","Condition":{"StringSortOf":{"aws:username":"x"}}"#);
    let refused = attach(&ann, &unknown, "").expect_err("an unknown operator");
    assert!(refused.contains("Invalid policy document: statement 1: `StringSortOf`"), "{refused}");
    let shut = statement("Deny", "*", "");
    let refused = attach(&ann, &shut, "").expect_err("a policy that shuts out its author");
    assert!(refused.contains("user/ann could not change this policy afterwards"), "{refused}");
    assert_eq!(attach(&ann, &shut, r#","ConfirmRemoveSelfResourceAccess":true"#), Ok(()));
}

/// AWS leaves keys and attributes out of requests about a whole table: a tenant with `dynamodb:*` for its own keys read all
/// others' items from the stream, exported them, dropped the table, or gave itself a policy without conditions.
#[test]
fn a_whole_table_is_more_than_the_keys_of_a_tenant() {
    use OperationId as Id;
    let world = World::new();
    let confined = |key: &str, value: &str| {
        format!(
            r#"{{"Version":"2012-10-17","Statement":{{"Effect":"Allow","Action":"dynamodb:*","Resource":"*",
            "Condition":{{"ForAllValues:StringEquals":{{"dynamodb:{key}":["{value}"]}}}}}}}}"#
        )
    };
    let tenants =
        [caller("ann", &[&confined("LeadingKeys", "ann")]), caller("bob", &[&confined("Attributes", "pk")])];
    let stream = world.stream_arn();
    for (operation, body, _) in matrix(&stream, "arn:aws:dynamodb:us-east-1:000000000000:table/orders|1|0") {
        let of_all = [
            Id::GetRecords,
            Id::ExportTableToPointInTime,
            Id::ImportTable,
            Id::CreateBackup,
            Id::DeleteBackup,
            Id::RestoreTableFromBackup,
            Id::RestoreTableToPointInTime,
            Id::UpdateContinuousBackups,
            Id::UpdateTable,
            Id::DeleteTable,
            Id::UpdateTimeToLive,
            Id::PutResourcePolicy,
            Id::DeleteResourcePolicy,
        ];
        let reads_nothing = ["Describe", "List"].iter().any(|start| operation.name().starts_with(start));
        for tenant in &tenants {
            let allowed = world.check(tenant, operation, &body).is_ok();
            assert!(!allowed || !of_all.contains(&operation), "{operation:?} {body}");
            assert!(allowed || !reads_nothing, "{operation:?} {body}");
        }
    }
}

#[test]
fn attributes_that_are_not_named_are_not_read() {
    let world = World::new();
    let policy = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*",
        "Condition":{"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","title"]}}}}"#;
    let ann = caller("ann", &[policy]);
    let key = r#""TableName":"orders","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}"#;
    use OperationId as Id;
    for (operation, body, allowed) in [
        (Id::GetItem, format!("{{{key}}}"), false),
        (Id::GetItem, format!(r#"{{{key},"ProjectionExpression":"title"}}"#), true),
        (Id::GetItem, format!(r#"{{{key},"ProjectionExpression":"title, secret"}}"#), false),
        (
            Id::GetItem,
            format!(
                r##"{{{key},"ProjectionExpression":"#n","ExpressionAttributeNames":{{"#n":"secret"}}}}"##
            ),
            false,
        ),
        (Id::GetItem, format!(r#"{{{key},"AttributesToGet":["title"]}}"#), true),
        (Id::GetItem, format!(r#"{{{key},"AttributesToGet":["secret"]}}"#), false),
        (Id::UpdateItem, format!(r#"{{{key},"UpdateExpression":"SET title = secret"}}"#), false),
        (
            Id::UpdateItem,
            format!(
                r#"{{{key},"UpdateExpression":"REMOVE title","ConditionExpression":"attribute_exists(secret)"}}"#
            ),
            false,
        ),
        (Id::UpdateItem, format!(r#"{{{key},"UpdateExpression":"REMOVE title"}}"#), true),
        // A refused write showed the whole item to those who may not read it.
        (
            Id::UpdateItem,
            format!(
                r#"{{{key},"UpdateExpression":"REMOVE title","ConditionExpression":"attribute_not_exists(pk)",
                "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}"#
            ),
            false,
        ),
        (
            Id::TransactWriteItems,
            format!(
                r#"{{"TransactItems":[{{"ConditionCheck":{{{key},"ConditionExpression":"attribute_not_exists(pk)",
                "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}}}]}}"#
            ),
            false,
        ),
        (
            Id::ExecuteStatement,
            r#"{"Statement":"UPDATE orders SET title='x' WHERE pk='a' AND sk='b' RETURNING ALL OLD *"}"#
                .to_owned(),
            false,
        ),
        (
            Id::ExecuteStatement,
            r#"{"Statement":"UPDATE orders SET title='x' WHERE pk='a' AND sk='b' RETURNING MODIFIED NEW *"}"#
                .to_owned(),
            true,
        ),
        (
            Id::ExecuteStatement,
            r#"{"Statement":"DELETE FROM orders WHERE pk='a' AND sk='b' RETURNING ALL OLD *"}"#.to_owned(),
            false,
        ),
        (Id::Scan, r#"{"TableName":"orders"}"#.to_owned(), false),
        (Id::Scan, r#"{"TableName":"orders","Select":"COUNT"}"#.to_owned(), true),
        (
            Id::Scan,
            r#"{"TableName":"orders","Select":"COUNT","FilterExpression":"attribute_exists(secret)"}"#
                .to_owned(),
            false,
        ),
        (Id::ExecuteStatement, r#"{"Statement":"SELECT * FROM orders"}"#.to_owned(), false),
        (Id::ExecuteStatement, r#"{"Statement":"SELECT title FROM orders"}"#.to_owned(), true),
        (
            Id::ExecuteStatement,
            r#"{"Statement":"SELECT title FROM orders WHERE secret = 1"}"#.to_owned(),
            false,
        ),
        (Id::GetItem, format!(r#"{{{key},"ProjectionExpression":"title, ,"}}"#), false),
    ] {
        assert_eq!(world.check(&ann, operation, &body).is_ok(), allowed, "{body}");
    }
}

/// `Deny` with `ForAllValues` let a scan pass, which concerns every key and every attribute.
#[test]
fn what_is_denied_for_some_is_denied_for_all() {
    let world = World::new();
    let denying = |key: &str| {
        format!(
            r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"}},
            {{"Effect":"Deny","Action":"dynamodb:*","Resource":"*",
            "Condition":{{"ForAllValues:StringNotEquals":{{"dynamodb:{key}":["a"]}}}}}}]}}"#
        )
    };
    for key in ["LeadingKeys", "Attributes"] {
        let ann = caller("ann", &[&denying(key)]);
        assert!(world.check(&ann, OperationId::Scan, r#"{"TableName":"orders"}"#).is_err(), "{key}");
    }
}

/// Tenants whose policies confine them to their own partition keys send 100,000 requests of all kinds, at their own keys and
/// at those of others. Every item carries the name of the tenant that it belongs to.
#[test]
fn tenants_that_are_confined_by_leading_keys_stay_among_themselves() {
    const TENANTS: [&str; 3] = ["t0", "t1", "t2"];
    let world = World::new();
    let iterator = world.iterator();
    let policy = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*",
        "Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["${aws:username}"]}}}}"#;
    let callers = TENANTS.map(|name| caller(name, &[policy]));
    for tenant in TENANTS {
        for at in 0..20 {
            let item = format!(
                r#"{{"pk":{{"S":"{tenant}"}},"sk":{{"S":"{at}"}},"mark":{{"S":"of-{tenant}"}},"owner":{{"S":"{tenant}"}}}}"#
            );
            world.run(OperationId::PutItem, &format!(r#"{{"TableName":"orders","Item":{item}}}"#));
        }
    }
    // The stored items of each tenant.
    let items = |world: &World| {
        let all = world.run(OperationId::Scan, r#"{"TableName":"orders"}"#);
        let all: serde_json::Value = serde_json::from_str(&all).expect("JSON");
        let all = all["Items"].as_array().cloned().expect("items");
        TENANTS.map(|tenant| all.iter().filter(|item| item["pk"]["S"] == tenant).cloned().collect::<Vec<_>>())
    };
    let is_write = |operation: OperationId, body: &str| match operation {
        OperationId::ExecuteStatement => !body.contains("SELECT"),
        OperationId::GetItem | OperationId::Query | OperationId::Scan => false,
        OperationId::BatchGetItem | OperationId::TransactGetItems => false,
        _ => true,
    };
    let mut stored = items(&world);
    let mut dice = Random::new(20_261_117);
    let (mut allowed, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let me = dice.below(3) as usize;
        let tenant = TENANTS[me];
        let key_of = |dice: &mut Random| {
            let whose = *dice.pick(&TENANTS);
            (whose, format!(r#"{{"pk":{{"S":"{whose}"}},"sk":{{"S":"{}"}}}}"#, dice.below(25)))
        };
        let at = dice.below(25);
        let ((one, key), (other, second)) = (key_of(&mut dice), key_of(&mut dice));
        let item = |key: &str| key.replacen('{', &format!(r#"{{"mark":{{"S":"of-{tenant}"}},"#), 1);
        use OperationId as Id;
        let (operation, body) = match dice.below(24) {
            0 => (Id::GetItem, format!(r#"{{"TableName":"orders","Key":{key}}}"#)),
            1 => (Id::PutItem, format!(r#"{{"TableName":"orders","Item":{}}}"#, item(&key))),
            2 => (
                Id::UpdateItem,
                format!(
                    r#"{{"TableName":"orders","Key":{key},"UpdateExpression":"SET mark = :m","ExpressionAttributeValues":{{":m":{{"S":"of-{tenant}"}}}},"ReturnValues":"ALL_OLD"}}"#
                ),
            ),
            3 => {
                (Id::DeleteItem, format!(r#"{{"TableName":"orders","Key":{key},"ReturnValues":"ALL_OLD"}}"#))
            }
            4 => (
                Id::Query,
                format!(
                    r#"{{"TableName":"orders","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"{one}"}}}}}}"#
                ),
            ),
            5 => (
                Id::Query,
                format!(
                    r##"{{"TableName":"orders","IndexName":"by-owner","KeyConditionExpression":"#o = :p","ExpressionAttributeNames":{{"#o":"owner"}},"ExpressionAttributeValues":{{":p":{{"S":"{one}"}}}}}}"##
                ),
            ),
            6 => (Id::Scan, r#"{"TableName":"orders"}"#.to_owned()),
            7 => (
                Id::BatchGetItem,
                match key == second {
                    true => format!(r#"{{"RequestItems":{{"orders":{{"Keys":[{key}]}}}}}}"#),
                    false => format!(r#"{{"RequestItems":{{"orders":{{"Keys":[{key},{second}]}}}}}}"#),
                },
            ),
            8 => (
                Id::BatchWriteItem,
                match key == second {
                    true => {
                        format!(r#"{{"RequestItems":{{"orders":[{{"DeleteRequest":{{"Key":{key}}}}}]}}}}"#)
                    }
                    false => format!(
                        r#"{{"RequestItems":{{"orders":[{{"PutRequest":{{"Item":{}}}}},{{"DeleteRequest":{{"Key":{second}}}}}]}}}}"#,
                        item(&key)
                    ),
                },
            ),
            9 => (
                Id::TransactGetItems,
                format!(
                    r#"{{"TransactItems":[{{"Get":{{"TableName":"orders","Key":{key}}}}},{{"Get":{{"TableName":"{PREFIX}orders","Key":{second}}}}}]}}"#
                ),
            ),
            10 if key != second => (
                Id::TransactWriteItems,
                format!(
                    r#"{{"TransactItems":[{{"Put":{{"TableName":"orders","Item":{}}}}},{{"Delete":{{"TableName":"orders","Key":{second}}}}}]}}"#,
                    item(&key)
                ),
            ),
            11 => (
                Id::ExecuteStatement,
                format!(r#"{{"Statement":"SELECT * FROM orders WHERE pk = '{one}'"}}"#),
            ),
            12 => (
                Id::ExecuteStatement,
                format!(
                    r#"{{"Statement":"SELECT * FROM orders WHERE pk = ? OR pk = ?","Parameters":[{{"S":"{one}"}},{{"S":"{other}"}}]}}"#
                ),
            ),
            13 => (
                Id::ExecuteStatement,
                format!(
                    r#"{{"Statement":"UPDATE orders SET mark = 'of-{tenant}' WHERE pk = '{one}' AND sk = '{at}'"}}"#
                ),
            ),
            14 => (
                Id::ExecuteStatement,
                format!(r#"{{"Statement":"DELETE FROM orders WHERE pk = '{one}' AND sk = '{at}'"}}"#),
            ),
            15 => (
                Id::ExecuteStatement,
                format!(
                    r#"{{"Statement":"INSERT INTO orders VALUE {{'pk': '{one}', 'sk': '{at}', 'mark': 'of-{tenant}'}}"}}"#
                ),
            ),
            16 => (
                Id::BatchExecuteStatement,
                format!(
                    r#"{{"Statements":[{{"Statement":"DELETE FROM orders WHERE pk = '{one}' AND sk = '{at}'"}},
                    {{"Statement":"DELETE FROM orders WHERE pk = '{other}' AND sk = '25'"}}]}}"#
                ),
            ),
            17 => (
                Id::ExecuteTransaction,
                format!(
                    r#"{{"TransactStatements":[{{"Statement":"UPDATE orders SET mark = 'of-{tenant}' WHERE pk = '{one}' AND sk = '{at}'"}},
                    {{"Statement":"DELETE FROM orders WHERE pk = '{other}' AND sk = '25'"}}]}}"#
                ),
            ),
            18 if key != second => (
                Id::TransactWriteItems,
                format!(
                    r#"{{"TransactItems":[{{"Put":{{"TableName":"orders","Item":{}}}}},{{"ConditionCheck":{{"TableName":"orders","Key":{second},
                    "ConditionExpression":"attribute_not_exists(mark)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}}}]}}"#,
                    item(&key)
                ),
            ),
            19 => (Id::GetRecords, format!(r#"{{"ShardIterator":"{iterator}"}}"#)),
            20 => (
                Id::ExportTableToPointInTime,
                format!(r#"{{"TableArn":"{PREFIX}orders","S3Bucket":"of-{tenant}"}}"#),
            ),
            21 => (Id::DeleteTable, r#"{"TableName":"orders"}"#.to_owned()),
            22 => (
                Id::PutResourcePolicy,
                format!(
                    r#"{{"ResourceArn":"{PREFIX}orders","Policy":"{{\"Statement\":{{\"Effect\":\"Allow\",\"Principal\":{{\"AWS\":\"arn:aws:iam::000000000000:user/{tenant}\"}},\"Action\":\"dynamodb:*\",\"Resource\":\"*\"}}}}"}}"#
                ),
            ),
            _ => (
                Id::ExecuteStatement,
                format!(
                    r#"{{"Statement":"SELECT * FROM orders WHERE mark = 'of-{other}' AND pk <> '{tenant}'"}}"#
                ),
            ),
        };
        if world.check(&callers[me], operation, &body).is_err() {
            refused += 1;
            continue;
        }
        allowed += 1;
        let reply = world.runtime.block_on(world.database.call(call(operation, &body)));
        // An error may carry items, too: those that failed a condition.
        let answer = match reply.result {
            Ok(answer) => String::from_utf8(answer).expect("text"),
            Err(error) => format!("{error:?}"),
        };
        for stranger in TENANTS.iter().filter(|name| **name != tenant) {
            assert!(!answer.contains(&format!("of-{stranger}")), "{tenant} read {answer} with {body}");
        }
        if is_write(operation, &body) {
            let after = items(&world);
            for stranger in (0..TENANTS.len()).filter(|stranger| *stranger != me) {
                assert_eq!(after[stranger], stored[stranger], "{tenant} changed items with {body}");
            }
            stored = after;
        }
    }
    assert!(allowed > 10_000 && refused > 10_000, "{allowed} allowed, {refused} refused");
}
