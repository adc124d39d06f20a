//! Scan.

use serde_json::json;

use crate::{database, refused_on};

#[test]
fn parameters_are_looked_at_one_after_the_other() {
    let filter =
        |values: serde_json::Value| json!({"z": {"ComparisonOperator": "EQ", "AttributeValueList": values}});
    refused_on(
        &database(),
        "Scan",
        "unknown",
        [
            (
                json!({"AttributesToGet": ["a", "a"], "ScanFilter": filter(json!([{}]))}),
                "One or more parameter values were invalid: Duplicate value in attribute name: a",
            ),
            (
                json!({"ScanFilter": filter(json!([{}])), "ExclusiveStartKey": {"a": {}}}),
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
            ),
            (
                json!({"ScanFilter": filter(json!([])), "ExclusiveStartKey": {"a": {}}}),
                "One or more parameter values were invalid: Invalid number of argument(s) for the EQ \
                 ComparisonOperator",
            ),
            (
                json!({"ExclusiveStartKey": {"a": {}}, "Segment": 1}),
                "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one \
                 of the supported datatypes",
            ),
            (
                json!({"Segment": 1, "FilterExpression": ""}),
                "The TotalSegments parameter is required but was not present in the request when Segment parameter \
                 is present",
            ),
            (
                json!({"TotalSegments": 1, "FilterExpression": ""}),
                "The Segment parameter is required but was not present in the request when parameter TotalSegments \
                 is present",
            ),
            (
                json!({"Segment": 2, "TotalSegments": 2, "FilterExpression": ""}),
                "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is \
                 not less than TotalSegments: 2",
            ),
            (
                json!({"FilterExpression": "", "ProjectionExpression": ""}),
                "Invalid FilterExpression: The expression can not be empty;",
            ),
        ],
    );
}
