use super::*;

fn check(error: &ApiError, expected: &str) {
    let mut out = Vec::new();
    error.write_json(&mut out);
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn bodies() {
    let item = Item::from([("pk", "a")]);
    check(
        &ApiError::validation("a \"quoted\" text"),
        r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"a \"quoted\" text"}"#,
    );
    check(
        &ApiError::unknown_operation(),
        r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#,
    );
    check(
        &ApiError::from(crate::json::Malformed),
        r#"{"__type":"com.amazon.coral.service#SerializationException"}"#,
    );
    check(
        &ApiError::serialization("Unexpected field type"),
        r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"Unexpected field type"}"#,
    );
    check(
        &ApiError::table_not_found("t"),
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found: Table: t not found"}"#,
    );
    check(
        &ApiError::conditional_check_failed(Some(item.clone())),
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Message":"The conditional request failed","Item":{"pk":{"S":"a"}}}"#,
    );
    check(
        &ApiError::conditional_check_failed(None),
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}"#,
    );
    let failed = CancellationReason {
        item: Some(item),
        ..CancellationReason::new("ConditionalCheckFailed", "The conditional request failed")
    };
    check(
        &ApiError::transaction_canceled(vec![CancellationReason::none(), failed]),
        concat!(
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","#,
            r#""Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]","#,
            r#""CancellationReasons":[{"Code":"None"},"#,
            r#"{"Code":"ConditionalCheckFailed","Item":{"pk":{"S":"a"}},"Message":"The conditional request failed"}]}"#,
        ),
    );
    check(
        &ApiError::throughput_exceeded(vec![ThrottlingReason { reason: "r".into(), resource: "arn".into() }]),
        concat!(
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","#,
            r#""message":"The level of configured provisioned throughput for the table was exceeded. "#,
            r#"Consider increasing your provisioning level with the UpdateTable API.","#,
            r#""ThrottlingReasons":[{"reason":"r","resource":"arn"}]}"#,
        ),
    );
}

#[test]
fn statuses() {
    assert_eq!(ApiError::internal().status(), 500);
    for kind in ErrorKind::ALL {
        assert!([400, 413, 500, 503].contains(&kind.status()), "{kind:?}");
    }
}
