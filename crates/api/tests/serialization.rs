//! Bodies that are not the JSON of an input, with AWS's error for each.

use sortkey_api::operations::*;
use sortkey_api::{ApiError, Operation, decode};

const PACKAGE: &str = "com.amazonaws.dynamodb.v20120810";
const STRUCTURE: &str = "Start of structure or map found where not expected";

#[track_caller]
fn check<O: Operation>(body: &str, expected: &str) {
    match decode::<O::Input>(body.as_bytes()) {
        Ok(_) => assert_eq!("accepted", expected, "{body}"),
        Err(error) => assert_eq!(error, ApiError::serialization(expected), "{body}"),
    }
}

/// Puts each JSON value into the hole of the body.
#[track_caller]
fn check_all<O: Operation>(body: &str, cases: &[(&str, &str)]) {
    for (value, expected) in cases {
        check::<O>(&body.replace('_', value), expected);
    }
}

#[test]
fn not_json() {
    for body in ["", "hi", "[]", "5", "\"x\"", "null", "{", "{}}", "{\"TableName\":\"abc\",}", "{\"x\":[1,]}"]
    {
        check::<ListTables>(body, "");
    }
    assert!(decode::<ListTablesInput>(b"{\"x\":\"\xff\"}").is_err());
    assert_eq!(decode::<ListTablesInput>(b" { } "), Ok(ListTablesInput::default()));
}

#[test]
fn hostile_nesting() {
    for nested in ["[".repeat(10_000), r#"{"x":"#.repeat(10_000)] {
        check::<PutItem>(&format!(r#"{{"unknown":{nested}"#), "");
    }
    let nested = r#"{"L":["#.repeat(10_000);
    check::<PutItem>(&format!(r#"{{"TableName":"abc","Item":{{"a":{nested}"#), "");
}

#[test]
fn unknown_members_are_ignored() {
    let input =
        decode::<DescribeTableInput>(br#"{"a":[{"b":[1,"x",{}]},null],"TableName":"abc","z":1e3}"#).unwrap();
    assert_eq!(input.table_name.name(), "abc");
}

#[test]
fn strings() {
    check_all::<PutItem>(
        r#"{"TableName":_}"#,
        &[
            ("true", "TRUE_VALUE cannot be converted to String"),
            ("false", "FALSE_VALUE cannot be converted to String"),
            ("23", "NUMBER_VALUE cannot be converted to String"),
            ("-2147483648", "NUMBER_VALUE cannot be converted to String"),
            ("34.56", "DECIMAL_VALUE cannot be converted to String"),
            ("[]", "Unrecognized collection type class java.lang.String"),
            ("{}", STRUCTURE),
        ],
    );
    check::<PutItem>(r#"{"ReturnValues":5}"#, "NUMBER_VALUE cannot be converted to String");
}

#[test]
fn numbers_and_booleans() {
    check_all::<Query>(
        r#"{"Limit":_}"#,
        &[
            ("\"23\"", "STRING_VALUE cannot be converted to Integer"),
            ("true", "TRUE_VALUE cannot be converted to Integer"),
            ("[]", "Unrecognized collection type class java.lang.Integer"),
            ("{}", STRUCTURE),
        ],
    );
    check_all::<CreateTable>(
        r#"{"ProvisionedThroughput":{"ReadCapacityUnits":_}}"#,
        &[
            ("\"23\"", "STRING_VALUE cannot be converted to Long"),
            ("[]", "Unrecognized collection type class java.lang.Long"),
        ],
    );
    check_all::<GetItem>(
        r#"{"ConsistentRead":_}"#,
        &[
            ("\"23\"", "Unexpected token received from parser"),
            ("23", "NUMBER_VALUE cannot be converted to Boolean"),
            ("34.56", "DECIMAL_VALUE cannot be converted to Boolean"),
            ("[]", "Unrecognized collection type class java.lang.Boolean"),
            ("{}", STRUCTURE),
        ],
    );
}

#[test]
fn collections() {
    check_all::<GetItem>(
        r#"{"AttributesToGet":_}"#,
        &[("\"23\"", "Unexpected field type"), ("23", "Unexpected field type"), ("{}", STRUCTURE)],
    );
    let values =
        format!("Unrecognized collection type java.util.Map<java.lang.String, {PACKAGE}.AttributeValue>");
    check_all::<GetItem>(r#"{"Key":_}"#, &[("\"23\"", "Unexpected field type"), ("[]", &values)]);
    let cast = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')";
    check_all::<BatchGetItem>(r#"{"RequestItems":{"a":{"Keys":[_]}}}"#, &[("23", cast), ("[]", &values)]);
    check_all::<BatchWriteItem>(r#"{"RequestItems":{"a":_}}"#, &[("23", cast), ("{}", STRUCTURE)]);
    let lists = format!(
        "Unrecognized collection type java.util.Map<java.lang.String, java.util.List<{PACKAGE}.WriteRequest>>"
    );
    check::<BatchWriteItem>(r#"{"RequestItems":[]}"#, &lists);
    let names = "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>";
    check::<Query>(r#"{"ExpressionAttributeNames":[]}"#, names);
}

#[test]
fn structures() {
    let class = |name: &str| format!("Unrecognized collection type class {PACKAGE}.{name}");
    check_all::<CreateTable>(
        r#"{"ProvisionedThroughput":_}"#,
        &[("23", "Unexpected field type"), ("[]", &class("ProvisionedThroughput"))],
    );
    check_all::<CreateTable>(
        r#"{"KeySchema":[_]}"#,
        &[("23", "Unexpected value type in payload"), ("[]", &class("KeySchemaElement"))],
    );
    check_all::<PutItem>(
        r#"{"Expected":{"a":_}}"#,
        &[("\"x\"", "Unexpected value type in payload"), ("[]", &class("ExpectedAttributeValue"))],
    );
    check_all::<PutItem>(
        r#"{"Expected":{"a":{"Value":_}}}"#,
        &[("\"x\"", "Unexpected field type"), ("[]", &class("AttributeValue"))],
    );
}
