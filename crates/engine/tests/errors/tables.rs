//! UpdateTable, and what its answer and CreateTable's show.

use serde_json::{Value, json};

use crate::{database, key, refused_on};

#[test]
fn updates_of_indexes_are_looked_at_before_the_table() {
    let updates = |updates: Value| json!({"GlobalSecondaryIndexUpdates": updates});
    let nothing = "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, \
                   GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null";
    let delete = |name: &str| json!({"Delete": {"IndexName": name}});
    refused_on(
        &database(),
        "UpdateTable",
        "unknown",
        [
            (
                updates(json!([])),
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
                 GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required",
            ),
            (
                json!({"BillingMode": "PROVISIONED"}),
                "One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode \
                 is PROVISIONED",
            ),
            (updates(json!([{}])), nothing),
            (updates(json!([delete("abc"), {}])), nothing),
            (
                updates(json!([{"Delete": {"IndexName": "abc"}, "Update": {"IndexName": "abc"}}])),
                "One or more parameter values were invalid: Only one global secondary index action is allowed per \
                 GlobalSecondaryIndexUpdate object",
            ),
            (
                updates(json!([delete("abc"), delete("abc")])),
                "One or more parameter values were invalid: Only one global secondary index update per index is \
                 allowed simultaneously. Index: abc",
            ),
        ],
    );
}

#[test]
fn a_new_index_defines_its_attributes_as_they_are() {
    let create = |defined: Value| {
        let index =
            json!({"IndexName": "new", "KeySchema": key(&["c"]), "Projection": {"ProjectionType": "ALL"}});
        json!({"AttributeDefinitions": defined, "GlobalSecondaryIndexUpdates": [{"Create": index}]})
    };
    refused_on(
        &database(),
        "UpdateTable",
        "range",
        [
            (
                create(json!([])),
                "One or more parameter values were invalid: Some index key attributes are not defined in \
                 AttributeDefinitions. Keys: [c], AttributeDefinitions: []",
            ),
            (
                create(json!([{"AttributeName": "c", "AttributeType": "N"}])),
                "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your \
                 attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: \
                 key{a:S:HASH}, SchemaElement: key{c:S:RANGE}] New schema: Schema:[SchemaElement: key{c:N:HASH}]",
            ),
        ],
    );
}

#[test]
fn a_table_that_is_not_there() {
    let throughput = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let database = database();
    for (operation, body) in [
        ("UpdateTable", json!({"TableName": "unknown", "ProvisionedThroughput": throughput})),
        ("DescribeTable", json!({"TableName": "unknown"})),
        ("DeleteTable", json!({"TableName": "unknown"})),
    ] {
        let message = "Requested resource not found: Table: unknown not found".to_owned();
        assert_eq!(database.refused(operation, body), ("ResourceNotFoundException", message), "{operation}");
    }
}

#[test]
fn answers_show_what_a_change_begins_with() {
    let database = database();
    let units = |units: u64| json!({"ReadCapacityUnits": units, "WriteCapacityUnits": units});
    let index = json!({
        "IndexName": "by-b",
        "KeySchema": key(&["b"]),
        "Projection": {"ProjectionType": "ALL"},
        "ProvisionedThroughput": units(3)
    });
    let created = database.ok(
        "CreateTable",
        json!({
            "TableName": "new",
            "AttributeDefinitions": [
                {"AttributeName": "a", "AttributeType": "S"},
                {"AttributeName": "b", "AttributeType": "S"}
            ],
            "KeySchema": key(&["a"]),
            "GlobalSecondaryIndexes": [index],
            "ProvisionedThroughput": units(3)
        }),
    );
    let created = &created["TableDescription"];
    assert_eq!(created["TableStatus"], "CREATING");
    assert_eq!(created["GlobalSecondaryIndexes"][0]["IndexStatus"], "CREATING");
    let update = json!({"TableName": "new", "ProvisionedThroughput": units(5)});
    let updated = &database.ok("UpdateTable", update)["TableDescription"];
    assert_eq!(updated["TableStatus"], "UPDATING");
    assert_eq!(updated["ProvisionedThroughput"]["ReadCapacityUnits"], 3);
    let described = database.ok("DescribeTable", json!({"TableName": "new"}));
    assert_eq!(described["Table"]["ProvisionedThroughput"]["ReadCapacityUnits"], 5);
    assert_eq!(described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"], "ACTIVE");
}
