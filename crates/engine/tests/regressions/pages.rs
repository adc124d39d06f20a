//! Pages that end by their size.

use serde_json::json;

use crate::support::Database;

/// A page ended before the item that would have made it larger than a megabyte. AWS counts first and looks then: that
/// item still belongs to the page, which is why a full page there costs 128.5 units and not 128.
#[test]
fn the_item_that_reaches_a_megabyte_belongs_to_the_page() {
    let database = Database::new();
    database.create_table("table", true, json!({}));
    let put = |sort_key: &str, bytes: usize| {
        // Together with their names the keys have eight bytes, and the name of the payload has one.
        let item = json!({"pk": {"S": "aa"}, "sk": {"S": sort_key}, "x": {"S": "x".repeat(bytes - 9)}});
        database.ok("PutItem", json!({"TableName": "table", "Item": item}));
    };
    let query = |more: serde_json::Value| {
        let mut body = json!({
            "TableName": "table",
            "KeyConditionExpression": "pk = :a",
            "ExpressionAttributeValues": {":a": {"S": "aa"}},
            "ReturnConsumedCapacity": "TOTAL",
            "Select": "COUNT"
        });
        body["ExclusiveStartKey"] = more;
        database.ok("Query", body)
    };
    const MEGABYTE: usize = 1024 * 1024;
    let third = 350 * 1024;
    put("s1", third);
    put("s2", third);
    put("s3", MEGABYTE - 2 * third - 1);
    put("s4", third);
    let page = query(json!(null));
    assert_eq!(page["Count"], 4, "{page}");
    assert_eq!(page["LastEvaluatedKey"]["sk"]["S"], "s4");
    assert_eq!(page["ConsumedCapacity"]["CapacityUnits"], 172.0);
    // Nothing is behind it, but that takes another look.
    let rest = query(page["LastEvaluatedKey"].clone());
    assert_eq!((&rest["Count"], &rest["LastEvaluatedKey"]), (&json!(0), &json!(null)));
    database.ok("DeleteItem", json!({"TableName": "table", "Key": {"pk": {"S": "aa"}, "sk": {"S": "s4"}}}));
    let page = query(json!(null));
    assert_eq!((&page["Count"], &page["LastEvaluatedKey"]), (&json!(3), &json!(null)));
    assert_eq!(page["ConsumedCapacity"]["CapacityUnits"], 128.0);
    put("s3", MEGABYTE - 2 * third);
    let page = query(json!(null));
    assert_eq!((&page["Count"], &page["LastEvaluatedKey"]["sk"]["S"]), (&json!(3), &json!("s3")));
}
