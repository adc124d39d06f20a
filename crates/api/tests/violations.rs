//! Inputs that break constraints, with AWS's error for each.

use sortkey_api::operations::*;
use sortkey_api::{ApiError, Operation, decode};

#[track_caller]
fn check<O: Operation>(body: &str, expected: &str) {
    match decode::<O::Input>(body.as_bytes()) {
        Ok(_) => assert_eq!("", expected, "{body}"),
        Err(error) => assert_eq!(error, ApiError::validation(expected), "{body}"),
    }
}

/// The message for several violations.
fn detected(violations: &[&str]) -> String {
    let plural = if violations.len() == 1 { "" } else { "s" };
    format!("{} validation error{plural} detected: {}", violations.len(), violations.join("; "))
}

const NULL: &str = "failed to satisfy constraint: Member must not be null";

#[test]
fn table_names() {
    let long = "a".repeat(256);
    for (name, rule) in [
        ("", "Member must have length greater than or equal to 1"),
        ("ab", "Member must have length greater than or equal to 3"),
        ("bad table!@#", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        (long.as_str(), "Member must have length less than or equal to 255"),
    ] {
        let expected = format!("Value '{name}' at 'tableName' failed to satisfy constraint: {rule}");
        check::<PutItem>(&format!(r#"{{"TableName":"{name}","Item":{{}}}}"#), &detected(&[&expected]));
        check::<DescribeTable>(&format!(r#"{{"TableName":"{name}"}}"#), &detected(&[&expected]));
    }
    check::<Scan>(
        r#"{"TableName":"a;"}"#,
        &detected(&[
            "Value 'a;' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            "Value 'a;' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
        ]),
    );
    check::<Scan>(r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/orders"}"#, "");
}

#[test]
fn missing_members() {
    let table = format!("Value null at 'tableName' {NULL}");
    check::<PutItem>("{}", &detected(&[&table, &format!("Value null at 'item' {NULL}")]));
    check::<PutItem>(r#"{"TableName":null,"Item":{}}"#, &detected(&[&table]));
    check::<Query>("{}", &detected(&[&table]));
    check::<BatchWriteItem>("{}", &detected(&[&format!("Value null at 'requestItems' {NULL}")]));
    for check in [check::<CreateTable>, check::<DescribeTable>, check::<DeleteTable>, check::<UpdateTable>] {
        check("{}", "The parameter 'TableName' is required but was not present in the request");
    }
    check::<TagResource>("{}", "Invalid TableArn");
    check::<TagResource>(r#"{"ResourceArn":"a"}"#, &detected(&[&format!("Value null at 'tags' {NULL}")]));
}

#[test]
fn violations_stand_in_the_order_of_aws() {
    check::<PutItem>(
        r#"{"TableName":"abc;","ReturnConsumedCapacity":"hi","ReturnItemCollectionMetrics":"hi","ReturnValues":"hi"}"#,
        &detected(&[
            "Value 'hi' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
            "Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            "Value null at 'item' failed to satisfy constraint: Member must not be null",
            "Value 'hi' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
            "Value 'hi' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
        ]),
    );
}

#[test]
fn at_most_ten_violations_are_reported() {
    let indexes = "{},".repeat(9) + "{}";
    let body = format!(
        r#"{{"TableName":"abc","AttributeDefinitions":[],"KeySchema":[{{"KeyType":"HASH","AttributeName":"a"}}],"LocalSecondaryIndexes":[{indexes}]}}"#
    );
    let members = ["indexName", "keySchema", "projection"];
    let expected: Vec<String> = (0..10)
        .map(|n| {
            format!("Value null at 'localSecondaryIndexes.{}.member.{}' {NULL}", n / 3 + 1, members[n % 3])
        })
        .collect();
    check::<CreateTable>(&body, &detected(&expected.iter().map(String::as_str).collect::<Vec<_>>()));
}

#[test]
fn numbers() {
    check::<Query>(
        r#"{"TableName":"abc","Limit":0}"#,
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    );
    check::<Scan>(
        r#"{"TableName":"abc","Limit":0}"#,
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    );
    check::<Scan>(
        r#"{"TableName":"abc","Segment":1000000,"TotalSegments":-1}"#,
        &detected(&[
            "Value '-1' at 'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1",
            "Value '1000000' at 'segment' failed to satisfy constraint: Member must have value less than or equal to 999999",
        ]),
    );
    check::<ListTables>(
        r#"{"Limit":101}"#,
        &detected(&[
            "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100",
        ]),
    );
    check::<ListTables>(r#"{"Limit":99.9}"#, "");
}

#[test]
fn key_schemas() {
    check::<CreateTable>(
        concat!(
            r#"{"TableName":"abc","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"INVALID"}],"#,
            r#""KeySchema":[{"AttributeName":"pk","KeyType":"INVALID"}]}"#
        ),
        &detected(&[
            "Value 'INVALID' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
            "Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]",
        ]),
    );
    let element = |name: &str| format!(r#"{{"AttributeName":"{name}","KeyType":"HASH"}}"#);
    let schema = [element("a"), element("b"), element("c")].join(",");
    check::<CreateTable>(
        &format!(r#"{{"TableName":"abc","AttributeDefinitions":[],"KeySchema":[{schema}]}}"#),
        concat!(
            "1 validation error detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), ",
            "KeySchemaElement(attributeName=b, keyType=HASH), KeySchemaElement(attributeName=c, keyType=HASH)]' ",
            "at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2",
        ),
    );
    let index = format!(r#"{{"IndexName":"ix1","KeySchema":[{schema}],"Projection":{{}}}}"#);
    let own = element("a");
    check::<CreateTable>(
        &format!(
            r#"{{"TableName":"abc","AttributeDefinitions":[],"KeySchema":[{own}],"GlobalSecondaryIndexes":[{index}]}}"#
        ),
        "",
    );
}

#[test]
fn batches() {
    check::<BatchGetItem>(
        r#"{"RequestItems":{}}"#,
        "The requestItems parameter is required for BatchGetItem",
    );
    check::<BatchWriteItem>(
        r#"{"RequestItems":{}}"#,
        "The requestItems parameter is required for BatchWriteItem",
    );
    let keys = r#"{"a":{"S":"x"}},"#.repeat(100) + r#"{"a":{"S":"x"}}"#;
    check::<BatchGetItem>(
        &format!(r#"{{"RequestItems":{{"abc":{{"Keys":[{keys}]}}}}}}"#),
        "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100",
    );
    check::<BatchWriteItem>(
        r#"{"RequestItems":{"aa;":[{"PutRequest":{},"DeleteRequest":{}}]}}"#,
        &detected(&[
            concat!(
                "Value '{aa;=[WriteRequest(deleteRequest=DeleteRequest(key={}), putRequest=PutRequest(item={}))]}' ",
                "at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: ",
                "[Member must have length less than or equal to 255, Member must have length greater than or equal to 3, ",
                "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
            ),
            "Value null at 'requestItems.aa;.member.1.member.deleteRequest.key' failed to satisfy constraint: Member must not be null",
            "Value null at 'requestItems.aa;.member.1.member.putRequest.item' failed to satisfy constraint: Member must not be null",
        ]),
    );
    let empty = "Value '{abc=[]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]";
    check::<BatchWriteItem>(r#"{"RequestItems":{"abc":[]}}"#, &detected(&[empty]));
    let table = "arn:aws:dynamodb:us-east-1:000000000000:table/orders";
    check::<BatchGetItem>(&format!(r#"{{"RequestItems":{{"{table}":{{"Keys":[{{}}]}}}}}}"#), "");
}

#[test]
fn transactions() {
    check::<TransactGetItems>(
        r#"{"TransactItems":[]}"#,
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
    check::<TransactWriteItems>(
        r#"{"TransactItems":[{"Put":{"Item":{}}}]}"#,
        &detected(&[&format!("Value null at 'transactItems.1.member.put.tableName' {NULL}")]),
    );
}

#[test]
fn legacy_conditions() {
    let operators =
        "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]";
    check::<Query>(
        r#"{"TableName":"abc","QueryFilter":{"a":{},"b":{"ComparisonOperator":""}},"AttributesToGet":[],"ConditionalOperator":"AN"}"#,
        &detected(&[
            &format!("Value null at 'queryFilter.a.member.comparisonOperator' {NULL}"),
            &format!(
                "Value '' at 'queryFilter.b.member.comparisonOperator' failed to satisfy constraint: Member must satisfy enum value set: {operators}"
            ),
            "Value 'AN' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: [OR, AND]",
            "Value '[]' at 'attributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1",
        ]),
    );
}

#[test]
fn faults_of_values_do_not_preempt_constraints() {
    let put = decode::<PutItemInput>(br#"{"TableName":"abc","Item":{"a":{"SS":[]}}}"#).unwrap();
    assert!(put.item.checked().is_err());
    check::<PutItem>(
        r#"{"TableName":"","Item":{"a":{"SS":[]}}}"#,
        "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
}

#[test]
fn inputs_built_in_rust_are_checked_too() {
    let input = GetItemInput { table_name: "t!".into(), key: [("pk", "a")].into(), ..Default::default() };
    let error = sortkey_api::check(&input).unwrap_err();
    assert!(error.message.starts_with("2 validation errors detected: Value 't!' at 'tableName'"), "{error}");
    let input = GetItemInput { table_name: "orders".into(), ..input };
    assert_eq!(sortkey_api::check(&input), Ok(()));
}

/// Names of attributes are keys of a map; nothing looked at how long they are.
#[test]
fn attribute_names() {
    let put = |name: &str| format!(r#"{{"TableName": "table", "Item": {{"{name}": {{"NULL": true}}}}}}"#);
    check::<PutItem>(&put(&"a".repeat(65_535)), "");
    let long = "a".repeat(65_536);
    let rule = "Map keys must satisfy constraint: [Member must have length less than or equal to 65535]";
    let violation = format!(
        "Value '{{{long}=AttributeValue(NULL=true)}}' at 'item' failed to satisfy constraint: {rule}"
    );
    check::<PutItem>(&put(&long), &detected(&[&violation]));
}
