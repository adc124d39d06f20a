//! Quotas: what is just allowed, and what is one too many.

use serde_json::{Value, json};

use crate::support::Database;

/// Sends a request and compares with `expected`: nothing if it works, otherwise the kind of the error and how its
/// message begins.
#[track_caller]
fn check(database: &Database, what: &str, operation: &str, body: &Value, expected: &str) {
    let told = match database.call(operation, body) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let same = if expected.is_empty() { told.is_empty() } else { told.starts_with(expected) };
    assert!(same, "{what}\n  told:     {told}\n  expected: {expected}");
}

fn put(more: Value) -> Value {
    let mut item = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    for (name, value) in more.as_object().unwrap() {
        item[name] = value.clone();
    }
    json!({"TableName": "table", "Item": item})
}

fn key(number: usize) -> Value {
    json!({"pk": {"S": number.to_string()}, "sk": {"S": "b"}})
}

#[test]
fn numbers() {
    let database = crate::database();
    let overflow = "ValidationException: Number overflow. Attempting to store a number with magnitude larger than supported range";
    let underflow = "ValidationException: Number underflow. Attempting to store a number with magnitude smaller than supported range";
    let digits = "ValidationException: Attempting to store more than 38 significant digits in a Number";
    let no_number = "ValidationException: The parameter cannot be converted to a numeric value";
    for (text, expected) in [
        ("9.9999999999999999999999999999999999999E+125", ""),
        ("1E-130", ""),
        ("-1E-130", ""),
        ("1E126", overflow),
        ("-1E126", overflow),
        ("1E-131", underflow),
        ("12345678901234567890123456789012345678", ""),
        ("123456789012345678901234567890123456789", digits),
        ("1E99999999999999999999", overflow),
        ("1E-99999999999999999999", underflow),
        ("0E99999999999999999999", ""),
        ("", no_number),
        ("abc", no_number),
        ("1 ", no_number),
        ("--1", no_number),
        ("1e", no_number),
        ("0x10", no_number),
        ("Infinity", no_number),
        ("NaN", no_number),
        (".", no_number),
    ] {
        check(&database, text, "PutItem", &put(json!({"n": {"N": text}})), expected);
        check(&database, text, "PutItem", &put(json!({"n": {"NS": [text]}})), expected);
        let nested = json!({"n": {"L": [{"M": {"x": {"N": text}}}]}});
        check(&database, text, "PutItem", &put(nested), expected);
    }
}

#[test]
fn items() {
    let database = crate::database();
    // The keys of the item have six bytes, and the name of the payload has one.
    let sized = |bytes: usize| put(json!({"x": {"S": "x".repeat(bytes - 7)}}));
    let batch =
        |bytes: usize| json!({"RequestItems": {"table": [{"PutRequest": {"Item": sized(bytes)["Item"]}}]}});
    let transaction = |bytes: usize| json!({"TransactItems": [{"Put": sized(bytes)}]});
    let too_large = "ValidationException: Item size has exceeded the maximum allowed size";
    for (bytes, expected) in [(400 * 1024, ""), (400 * 1024 + 1, too_large)] {
        check(&database, "PutItem", "PutItem", &sized(bytes), expected);
        check(&database, "BatchWriteItem", "BatchWriteItem", &batch(bytes), expected);
        check(&database, "TransactWriteItems", "TransactWriteItems", &transaction(bytes), expected);
    }
    let grow = json!({
        "TableName": "table", "Key": key(1), "UpdateExpression": "SET x = :x",
        "ExpressionAttributeValues": {":x": {"S": "x".repeat(400 * 1024)}}
    });
    let too_large = "ValidationException: Item size to update has exceeded the maximum allowed size";
    check(&database, "UpdateItem", "UpdateItem", &grow, too_large);
    let named = |bytes: usize| put(json!({"n".repeat(bytes): {"NULL": true}}));
    let long_name = "ValidationException: 1 validation error detected: Value ";
    for (bytes, expected) in [(65_535, ""), (65_536, long_name)] {
        check(&database, "a name", "PutItem", &named(bytes), expected);
    }
    let nested = |levels: usize| {
        let value = (1..levels).fold(json!({"L": []}), |inner, _| json!({"L": [inner]}));
        put(json!({"x": value}))
    };
    let too_deep = "ValidationException: Nesting Levels have exceeded supported limits";
    for (levels, expected) in [(32, ""), (33, too_deep), (60, too_deep)] {
        check(&database, "nesting", "PutItem", &nested(levels), expected);
    }
}

#[test]
fn keys() {
    let database = crate::database();
    let item = |partition: usize, sort: usize| {
        let key = json!({"pk": {"S": "p".repeat(partition)}, "sk": {"S": "s".repeat(sort)}});
        json!({"TableName": "table", "Item": key, "Key": key})
    };
    let empty = |name: &str| {
        format!(
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key attribute \
             cannot contain an empty string value. Key: {name}"
        )
    };
    let long = "ValidationException: One or more parameter values were invalid: ";
    for (partition, sort, expected) in [
        (2048, 1024, String::new()),
        (2049, 1, format!("{long}Size of hashkey has exceeded the maximum size limit of2048 bytes")),
        (
            1,
            1025,
            format!("{long}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
        ),
        (0, 1, empty("pk")),
        (1, 0, empty("sk")),
    ] {
        for operation in ["PutItem", "GetItem", "DeleteItem", "UpdateItem"] {
            check(&database, operation, operation, &item(partition, sort), &expected);
        }
    }
    let mismatch = "ValidationException: The provided key element does not match the schema";
    for key in [
        json!({"pk": {"S": "a"}}),
        json!({"pk": {"S": "a"}, "sk": {"N": "1"}}),
        json!({"pk": {"S": "a"}, "sk": {"S": "b"}, "kind": {"S": "c"}}),
        json!({"pk": {"S": "a"}, "other": {"S": "b"}}),
        json!({}),
    ] {
        let body = json!({"TableName": "table", "Key": key});
        for operation in ["GetItem", "DeleteItem", "UpdateItem"] {
            check(&database, &format!("{operation} {key}"), operation, &body, mismatch);
        }
        let batch = json!({"RequestItems": {"table": {"Keys": [key]}}});
        check(&database, "BatchGetItem", "BatchGetItem", &batch, mismatch);
    }
}

#[test]
fn counts() {
    let database = crate::database();
    let keys = |count: usize| (0..count).map(key).collect::<Vec<_>>();
    let batch_get = |count: usize| json!({"RequestItems": {"table": {"Keys": keys(count)}}});
    let batch_write = |count: usize| {
        let writes: Vec<_> =
            keys(count).into_iter().map(|key| json!({"PutRequest": {"Item": key}})).collect();
        json!({"RequestItems": {"table": writes}})
    };
    let transact = |count: usize, kind: &str, member: &str| {
        let parts = keys(count).into_iter().map(|key| json!({kind: {"TableName": "table", member: key}}));
        json!({"TransactItems": parts.collect::<Vec<_>>()})
    };
    let violated = "ValidationException: 1 validation error detected: Value ";
    check(&database, "100 keys", "BatchGetItem", &batch_get(100), "");
    check(&database, "101 keys", "BatchGetItem", &batch_get(101), violated);
    check(&database, "25 writes", "BatchWriteItem", &batch_write(25), "");
    check(&database, "26 writes", "BatchWriteItem", &batch_write(26), violated);
    check(&database, "100 puts", "TransactWriteItems", &transact(100, "Put", "Item"), "");
    check(&database, "101 puts", "TransactWriteItems", &transact(101, "Put", "Item"), violated);
    check(&database, "100 gets", "TransactGetItems", &transact(100, "Get", "Key"), "");
    check(&database, "101 gets", "TransactGetItems", &transact(101, "Get", "Key"), violated);
    // Fifty and fifty-one keys of two tables.
    database.create_table("second", true, json!({}));
    let two = json!({"RequestItems": {"table": {"Keys": keys(50)}, "second": {"Keys": keys(51)}}});
    let too_many = "ValidationException: Too many items requested for the BatchGetItem call";
    check(&database, "101 keys of two tables", "BatchGetItem", &two, too_many);
    let large: Vec<Value> = (0..11)
        .map(|number| {
            let mut item = key(number);
            item["x"] = json!({"S": "x".repeat(390 * 1024)});
            json!({"Put": {"TableName": "table", "Item": item}})
        })
        .collect();
    let body = json!({"TransactItems": large});
    assert!(
        matches!(database.call("TransactWriteItems", &body), Err(error) if error.kind.name() == "ValidationException")
    );
}

#[test]
fn expressions() {
    let database = crate::database();
    let filter = |expression: String| {
        let mut body = json!({"TableName": "table", "FilterExpression": expression});
        if expression.contains(":v") {
            body["ExpressionAttributeValues"] = json!({":v": {"N": "1"}});
        }
        body
    };
    let invalid = "ValidationException: Invalid FilterExpression: ";
    let padded = |bytes: usize| format!("n = :v{}", " ".repeat(bytes - 6));
    let joined = |operators: usize| {
        // Every comparison and every OR is an operator.
        vec!["n = :v"; operators.div_ceil(2)].join(" OR ")
    };
    let members = |count: usize| format!("n IN ({})", vec![":v"; count].join(", "));
    let too_long = format!("{invalid}Expression size has exceeded the maximum allowed size");
    for (what, expression, expected) in [
        ("4,096 bytes", padded(4096), String::new()),
        ("4,097 bytes", padded(4097), too_long.clone()),
        ("299 operators", joined(299), String::new()),
        ("301 operators", joined(301), format!("{invalid}The expression contains")),
        ("100 members", members(100), String::new()),
        ("101 members", members(101), invalid.to_owned()),
        ("4,096 parentheses", "(".repeat(4096), invalid.to_owned()),
        ("5,000 parentheses", "(".repeat(5000), too_long.clone()),
        (
            "2,000 parentheses around",
            format!("{}n = :v{}", "(".repeat(2000), ")".repeat(2000)),
            invalid.to_owned(),
        ),
        ("1,000 times NOT", format!("{}n = :v", "NOT ".repeat(1000)), invalid.to_owned()),
        ("800 calls", format!("{}n{} = :v", "size(".repeat(600), ")".repeat(600)), invalid.to_owned()),
        ("a path of 33", format!("n{} = :v", ".n".repeat(32)), invalid.to_owned()),
        ("a large index", "n[99999999999] = :v".into(), invalid.to_owned()),
        ("nothing", String::new(), format!("{invalid}The expression can not be empty;")),
    ] {
        check(&database, what, "Scan", &filter(expression), &expected);
    }
}

#[test]
fn tables() {
    let database = crate::database();
    let with = |member: &str, value: Value| {
        let mut body = json!({
            "TableName": "another",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST"
        });
        body[member] = value;
        body
    };
    let invalid = "ValidationException: One or more parameter values were invalid: ";
    let element = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let global = |number: usize| {
        json!({
            "IndexName": format!("index{number}"), "KeySchema": [element("pk", "HASH")],
            "Projection": {"ProjectionType": "ALL"}
        })
    };
    let globals = |count: usize| json!((0..count).map(global).collect::<Vec<_>>());
    for (what, member, value, expected) in [
        ("a name of two", "TableName", json!("ab"), "ValidationException: "),
        ("a name of 256", "TableName", json!("n".repeat(256)), "ValidationException: "),
        ("a strange name", "TableName", json!("a b c"), "ValidationException: "),
        (
            "a table that exists",
            "TableName",
            json!("table"),
            "ResourceInUseException: Table already exists: table",
        ),
        ("no key", "KeySchema", json!([]), "ValidationException: "),
        ("an undefined key", "KeySchema", json!([element("sk", "HASH")]), "ValidationException: "),
        (
            "no partition key",
            "KeySchema",
            json!([element("pk", "RANGE")]),
            "ValidationException: Invalid KeySchema",
        ),
        (
            "an unused definition",
            "AttributeDefinitions",
            json!([
                {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}
            ]),
            invalid,
        ),
        (
            "an unknown type",
            "AttributeDefinitions",
            json!([{"AttributeName": "pk", "AttributeType": "X"}]),
            "ValidationException: 1 validation error detected",
        ),
        ("an unknown mode", "BillingMode", json!("FREE"), "ValidationException: 1 validation error detected"),
        ("no global indexes", "GlobalSecondaryIndexes", json!([]), invalid),
        ("20 indexes", "GlobalSecondaryIndexes", globals(20), ""),
        ("21 indexes", "GlobalSecondaryIndexes", globals(21), invalid),
        ("one index twice", "GlobalSecondaryIndexes", json!([global(1), global(1)]), invalid),
        ("a stream without a view", "StreamSpecification", json!({"StreamEnabled": true}), invalid),
    ] {
        check(&database, what, "CreateTable", &with(member, value), expected);
    }
}
