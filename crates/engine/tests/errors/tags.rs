//! TagResource, UntagResource and ListTagsOfResource.

use serde_json::json;

use crate::{database, refused};

const UNKNOWN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/unknown";
const SHORT: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/ab";
const INVALID: &str = "Invalid TableArn: Invalid ResourceArn provided as input \
                       arn:aws:dynamodb:us-east-1:000000000000:table/ab";

#[test]
fn arns_and_lists_are_looked_at_before_the_table() {
    let database = database();
    refused(
        &database,
        "TagResource",
        [
            (json!({"ResourceArn": SHORT, "Tags": []}), INVALID),
            (json!({"ResourceArn": "it", "Tags": []}), "Invalid TableArn: ARNs must start with 'arn:': it"),
            (json!({"ResourceArn": UNKNOWN, "Tags": []}), "Atleast one Tag needs to be provided as Input."),
        ],
    );
    refused(
        &database,
        "UntagResource",
        [
            (json!({"ResourceArn": SHORT, "TagKeys": []}), INVALID),
            (
                json!({"ResourceArn": UNKNOWN, "TagKeys": []}),
                "Atleast one Tag Key needs to be provided as Input.",
            ),
        ],
    );
    refused(&database, "ListTagsOfResource", [(json!({"ResourceArn": SHORT}), INVALID)]);
}

#[test]
fn tags_are_few_and_plain() {
    let database = database();
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/hash";
    let many: Vec<_> = (0..51).map(|at| json!({"Key": at.to_string(), "Value": ""})).collect();
    refused(
        &database,
        "TagResource",
        [
            (
                json!({"ResourceArn": arn, "Tags": many}),
                "Number of Tags exceed the current limit for the provided ResourceArn",
            ),
            (
                json!({"ResourceArn": arn, "Tags": [{"Key": "hi!", "Value": "x"}]}),
                "The Tag Key provided is invalid, Key: hi!",
            ),
            (
                json!({"ResourceArn": arn, "Tags": [{"Key": "hi", "Value": "x!"}]}),
                "The Tag Value provided is invalid, Value: x!",
            ),
            (
                json!({"ResourceArn": arn, "Tags": [{"Key": "aws:hi", "Value": "x"}]}),
                "Tag Key cannot be prefixed with aws:, Key: aws:hi",
            ),
            (
                json!({"ResourceArn": arn, "Tags": [{"Key": "hi", "Value": "x"}, {"Key": "hi", "Value": "y"}]}),
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found hi",
            ),
        ],
    );
}

#[test]
fn a_table_that_is_not_there() {
    let database = database();
    let tags = json!([{"Key": "team", "Value": "blue"}]);
    for (operation, body, message) in [
        (
            "TagResource",
            json!({"ResourceArn": UNKNOWN, "Tags": tags}),
            "Requested resource not found: ResourcArn: \
             arn:aws:dynamodb:us-east-1:000000000000:table/unknown not found",
        ),
        (
            "UntagResource",
            json!({"ResourceArn": UNKNOWN, "TagKeys": ["team"]}),
            "Requested resource not found",
        ),
    ] {
        let refused = database.refused(operation, body);
        assert_eq!(refused, ("ResourceNotFoundException", message.to_owned()), "{operation}");
    }
}
