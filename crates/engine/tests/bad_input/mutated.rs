//! Working requests that were tampered with, at random: there is an answer to each, and it is never that something
//! failed inside.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use sortkey_api::ErrorKind;
use sortkey_testkit::Random;

use crate::requests::working;
use crate::support::{Database, call};

/// How many requests each way of tampering makes.
const ROUNDS: usize = 8_000;

#[track_caller]
fn send(database: &Database, operation: &str, body: &[u8]) {
    let answer = catch_unwind(AssertUnwindSafe(|| call(&database.engine, operation, body)));
    let shown = String::from_utf8_lossy(body).chars().take(2_000).collect::<String>();
    match answer {
        Err(_) => panic!("{operation} panicked on {shown}"),
        Ok(Err(error)) if error.kind == ErrorKind::InternalServerError => {
            panic!("{operation} failed inside on {shown}: {error}")
        }
        Ok(_) => {}
    }
}

#[test]
fn values_are_replaced() {
    let database = crate::database();
    let mut requests = working(&database);
    // It would sooner or later be given the name of the table that all others need.
    requests.retain(|(operation, _)| *operation != "DeleteTable");
    let mut dice = Random::new(1);
    for _ in 0..ROUNDS {
        let (operation, body) = &requests[dice.below(requests.len())];
        let mut body = body.clone();
        for _ in 0..=dice.below(2) {
            let count = count(&body);
            let mut place = dice.below(count);
            let replacement = strange_value(&mut dice);
            replace(&mut body, &mut place, &mut Some(replacement));
        }
        send(&database, operation, body.to_string().as_bytes());
    }
    still_works(&database);
}

#[test]
fn bytes_are_changed() {
    let database = crate::database();
    let requests = working(&database);
    let mut dice = Random::new(2);
    for _ in 0..ROUNDS {
        let (operation, body) = &requests[dice.below(requests.len())];
        let mut body = body.to_string().into_bytes();
        for _ in 0..=dice.below(3) {
            let at = dice.below(body.len());
            match dice.below(4) {
                0 => body.truncate(at + 1),
                1 => body[at] = dice.below(256) as u8,
                2 => body[at] = *b"{}[]\":,\\0-(".get(dice.below(11)).unwrap(),
                _ => body.insert(at, *b"{}[]\":,\\0-(".get(dice.below(11)).unwrap()),
            }
        }
        send(&database, operation, &body);
    }
    still_works(&database);
}

#[test]
fn expressions_are_tampered_with() {
    const PIECES: &[&str] = &[
        "a",
        "b.c",
        "d[0]",
        "#n",
        ":v",
        "(",
        ")",
        "=",
        "<>",
        "<",
        ">=",
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
        ",",
        "+",
        "-",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size(",
        "contains(",
        "begins_with(",
        "attribute_exists(",
        "attribute_type(",
        "if_not_exists(",
        "list_append(",
        "[99999999999999999999]",
        ".",
        "#",
        ":",
        "é",
        "\u{0}",
        "name",
    ];
    let database = crate::database();
    let mut dice = Random::new(3);
    let values = [json!({"N": "1"}), json!({"S": "x"}), json!({"L": []}), json!({"SS": ["a"]})];
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    for _ in 0..ROUNDS {
        let count = 1 + dice.below(12);
        let expression: Vec<&str> = (0..count).map(|_| PIECES[dice.below(PIECES.len())]).collect();
        let expression = expression.join(if dice.below(4) == 0 { "" } else { " " });
        let (operation, member) = [
            ("UpdateItem", "UpdateExpression"),
            ("UpdateItem", "ConditionExpression"),
            ("GetItem", "ProjectionExpression"),
            ("Scan", "FilterExpression"),
            ("Query", "KeyConditionExpression"),
        ][dice.below(5)];
        let mut body = json!({"TableName": "table", member: expression});
        if matches!(operation, "UpdateItem" | "GetItem") {
            body["Key"] = key.clone();
        }
        if expression.contains("#n") {
            body["ExpressionAttributeNames"] = json!({"#n": "n"});
        }
        if expression.contains(":v") && operation != "GetItem" {
            body["ExpressionAttributeValues"] = json!({":v": values[dice.below(values.len())]});
        }
        send(&database, operation, body.to_string().as_bytes());
    }
    still_works(&database);
}

fn still_works(database: &Database) {
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    database.ok("PutItem", json!({"TableName": "table", "Item": key}));
    assert_eq!(database.ok("GetItem", json!({"TableName": "table", "Key": key}))["Item"], key);
}

fn strange_value(dice: &mut Random) -> Value {
    let deep = |depth: usize| (0..depth).fold(json!({"S": "x"}), |inner, _| json!({"L": [inner]}));
    match dice.below(24) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(0),
        4 => json!(i64::MAX),
        5 => json!(1e300),
        6 => json!(""),
        7 => json!("table"),
        8 => json!("x".repeat(70_000)),
        9 => json!("\u{0}é😀"),
        10 => json!([]),
        11 => json!({}),
        12 => json!([null, {}, []]),
        13 => json!({"S": "x"}),
        14 => json!({"N": "1E126"}),
        15 => json!({"NS": []}),
        16 => json!({"SS": ["a", "a"]}),
        17 => json!({"B": "not base64"}),
        18 => json!({"M": {"": {"NULL": false}}}),
        19 => deep(33),
        20 => deep(60),
        21 => json!({"S": "a", "N": "1"}),
        22 => json!("arn:aws:dynamodb:us-east-1:000000000000:table/table/stream/x"),
        _ => json!("1E400"),
    }
}

/// How many values there are in a document.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Puts the replacement in the place of the value with this number.
fn replace(value: &mut Value, place: &mut usize, replacement: &mut Option<Value>) {
    if *place == 0 {
        if let Some(replacement) = replacement.take() {
            *value = replacement;
        }
        return;
    }
    *place -= 1;
    let inside: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    for value in inside {
        let size = count(value);
        if *place < size {
            return replace(value, place, replacement);
        }
        *place -= size;
    }
}
