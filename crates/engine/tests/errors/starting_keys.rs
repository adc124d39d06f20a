//! `ExclusiveStartKey` of queries and scans.

use serde_json::{Value, json};

use crate::{database, refused_on};

const INVALID: &str = "The provided starting key is invalid";
const NOT_THE_SCHEMA: &str = "The provided key element does not match the schema";
const INVALID_SCHEMA: &str =
    "The provided starting key is invalid: The provided key element does not match the schema";

fn query(condition: &str, start: Value) -> Value {
    let mut body = json!({"KeyConditionExpression": condition, "ExclusiveStartKey": start});
    let values = [":x", ":y"].into_iter().filter(|name| condition.contains(name));
    body["ExpressionAttributeValues"] = values
        .map(|name| (name.to_owned(), json!({"S": &name[1..]})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    body
}

#[test]
fn values_are_looked_at_before_the_table() {
    let value = |value: Value| json!({"ExclusiveStartKey": {"a": value}});
    refused_on(
        &database(),
        "Scan",
        "unknown",
        [
            (
                value(json!({})),
                "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one \
                 of the supported datatypes",
            ),
            (
                value(json!({"S": "a", "N": "1"})),
                "The provided starting key is invalid: Supplied AttributeValue has more than one datatypes set, \
                 must contain exactly one of the supported datatypes",
            ),
            (
                value(json!({"NULL": false})),
                "The provided starting key is invalid: One or more parameter values were invalid: Null attribute \
                 value types must have the value of true",
            ),
            // Numbers and the members of sets are converted before they are read as a key.
            (
                value(json!({"SS": ["a", "a"]})),
                "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
            ),
        ],
    );
}

#[test]
fn a_query_holds_it_against_the_key_of_what_it_reads_first() {
    let database = database();
    let s = |text: &str| json!({"S": text});
    refused_on(
        &database,
        "Query",
        "range",
        [
            (query("a = :x", json!({"a": s("x")})), INVALID),
            (query("a = :x", json!({"a": s("x"), "z": s("x")})), INVALID),
            (query("a = :x", json!({"a": {"N": "1"}, "z": s("x")})), NOT_THE_SCHEMA),
            (query("a = :x", json!({"a": s("x"), "b": {"N": "1"}})), NOT_THE_SCHEMA),
            // The partition attribute, its condition, the sort attribute: in this order.
            (query("z = :x", json!({"a": {"N": "1"}, "b": s("x")})), NOT_THE_SCHEMA),
            (
                query("z = :x", json!({"a": s("x"), "b": {"N": "1"}})),
                "Query condition missed key schema element: a",
            ),
            (query("a = :x AND z = :x", json!({"a": s("x"), "b": {"N": "1"}})), NOT_THE_SCHEMA),
            (
                query("a = :x AND z = :x", json!({"a": s("x"), "b": s("x")})),
                "Query condition missed key schema element: b",
            ),
        ],
    );
    let global = |condition: &str, start: Value| {
        let mut body = query(condition, start);
        body["IndexName"] = json!("global");
        body
    };
    refused_on(
        &database,
        "Query",
        "range",
        [
            (global("c = :x", json!({"a": s("x"), "b": s("x"), "c": s("x")})), INVALID),
            (global("c = :x", json!({"a": s("x"), "z": s("x"), "c": s("x"), "d": s("x")})), INVALID_SCHEMA),
            (
                global("c = :x", json!({"a": {"N": "1"}, "b": s("x"), "c": s("x"), "d": s("x")})),
                INVALID_SCHEMA,
            ),
        ],
    );
}

#[test]
fn a_query_could_have_ended_there() {
    let start = json!({"a": {"S": "x"}, "b": {"S": "x"}});
    refused_on(
        &database(),
        "Query",
        "range",
        [
            (
                query("a = :y", start.clone()),
                "The provided starting key is outside query boundaries based on provided conditions",
            ),
            (
                query("a = :x AND b > :y", start.clone()),
                "The provided starting key does not match the range key predicate",
            ),
            (
                query("a = :y AND b > :y", start.clone()),
                "The provided starting key does not match the range key predicate",
            ),
            (
                query("a = :y AND b < :y", start),
                "The query can return at most one row and cannot be restarted",
            ),
        ],
    );
}

#[test]
fn a_scan_holds_it_against_the_key_of_an_index_first() {
    let database = database();
    let s = |text: &str| json!({"S": text});
    let scan = |start: Value| json!({"ExclusiveStartKey": start});
    refused_on(
        &database,
        "Scan",
        "hash",
        [
            (scan(json!({})), INVALID_SCHEMA),
            (scan(json!({"z": s("x")})), INVALID_SCHEMA),
            (scan(json!({"a": {"N": "1"}})), INVALID_SCHEMA),
        ],
    );
    let global = |start: Value| json!({"IndexName": "global", "ExclusiveStartKey": start});
    refused_on(
        &database,
        "Scan",
        "range",
        [
            (global(json!({"a": s("x")})), INVALID),
            (global(json!({"a": s("x"), "b": s("x"), "c": s("x"), "z": s("x")})), INVALID),
            (global(json!({"a": s("x"), "b": s("x"), "c": {"N": "1"}, "d": s("x")})), NOT_THE_SCHEMA),
            (global(json!({"a": s("x"), "b": {"N": "1"}, "c": s("x"), "d": s("x")})), INVALID_SCHEMA),
        ],
    );
}

#[test]
fn a_scan_goes_on_in_the_segment_it_was_in() {
    let database = database();
    let scan = |segment: u32| {
        let start = json!({"a": {"S": "x"}});
        json!({"TableName": "hash", "Segment": segment, "TotalSegments": 2, "ExclusiveStartKey": start})
    };
    let answers = [0, 1].map(|segment| database.call("Scan", &scan(segment)));
    // The segment of a key is up to the engine; that each key belongs to exactly one is not.
    let refused: Vec<String> =
        answers.into_iter().filter_map(Result::err).map(|error| error.message).collect();
    let [message] = refused.as_slice() else { panic!("one segment refuses the key: {refused:?}") };
    let expected = "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with \
                    correct Segment. TotalSegments: 2 Segment: ";
    assert!(message.starts_with(expected), "{message}");
}

// F-83: a query that can return one item cannot go on behind it.
#[test]
fn a_query_of_one_item_cannot_be_restarted() {
    let key = json!({"a": {"S": "x"}});
    let query = json!({
        "KeyConditionExpression": "a = :a",
        "ExpressionAttributeValues": {":a": {"S": "x"}},
        "ExclusiveStartKey": key
    });
    let message = "The provided exclusive start key is invalid: ExclusiveStartKey: {a=AttributeValue: {S:x}}";
    refused_on(&database(), "Query", "hash", [(query, message)]);
}
