//! Paths that lead into key attributes.

use serde_json::{Value, json};

use crate::support::Database;

/// Keys are strings, numbers and binaries, so no path leads into one. AWS refuses such paths in projections, filters and
/// updates; the engine took them for paths that find nothing.
#[test]
fn paths_into_keys_are_refused() {
    let database = Database::new();
    database.create_table(
        "table",
        true,
        json!({
            "AttributeDefinitions": [{"AttributeName": "kind", "AttributeType": "S"}],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by-kind",
                "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"}
            }]
        }),
    );
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let requests: [(&str, Value, &str); 8] = [
        ("GetItem", json!({"Key": key, "ProjectionExpression": "sk.a"}), "Key: sk"),
        ("GetItem", json!({"Key": key, "ProjectionExpression": "kind[0]"}), "IndexKey: kind"),
        ("Scan", json!({"ProjectionExpression": "pk[1]"}), "Key: pk"),
        ("Scan", json!({"FilterExpression": "attribute_exists(kind.a)"}), "IndexKey: kind"),
        ("Scan", json!({"IndexName": "by-kind", "FilterExpression": "attribute_exists(sk.a)"}), "Key: sk"),
        (
            "Query",
            json!({
                "KeyConditionExpression": "pk = :a",
                "FilterExpression": "attribute_exists(kind.a)",
                "ExpressionAttributeValues": {":a": {"S": "a"}}
            }),
            "IndexKey: kind",
        ),
        ("UpdateItem", json!({"Key": key, "UpdateExpression": "REMOVE kind.a"}), "IndexKey: kind"),
        ("UpdateItem", json!({"Key": key, "UpdateExpression": "SET a = sk[0]"}), "Key: sk"),
    ];
    for (operation, mut body, which) in requests {
        body["TableName"] = json!("table");
        let message = format!(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {which}"
        );
        let refused = database.refused(operation, body.clone());
        assert_eq!(refused, ("ValidationException", message), "{operation} {body}");
    }
}
