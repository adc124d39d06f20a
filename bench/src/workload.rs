//! The six requests that are measured, over one set of orders.
//!
//! 1,000 customers have 100 orders each. Connections own customers, so that two never meet on an item: what is
//! measured is the cost of a request, not of a conflict. Every write changes its item, and every put moves its
//! index entry, since a write that changes nothing may cost less than it should.

use std::ops::Range;

use serde_json::{Value, json};

use crate::random::Random;

/// Customers, each with a partition of [`ORDERS`].
pub const CUSTOMERS: usize = 1000;
/// Orders of a customer.
pub const ORDERS: usize = 100;
/// A table without indexes.
pub const PLAIN: &str = "orders";
/// A table with one global index.
pub const INDEXED: &str = "orders-by-day";
/// Writes in a batch.
const BATCH: usize = 25;

/// One kind of request.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name in the table of results.
    pub title: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// A part of every right answer.
    pub expect: &'static str,
    /// Different requests that a connection sends in turn; fewer where they are large.
    pub variety: usize,
    /// Writes the body of a request for a customer. Turns alternate between even and odd over the same choices, so
    /// that a write can differ from the one before it.
    body: fn(customer: usize, random: &mut Random, turn: usize) -> Value,
}

/// All that are measured.
pub const WORKLOADS: &[Workload] = &[
    Workload { title: "GetItem", operation: "GetItem", expect: "\"Item\"", variety: 256, body: get_item },
    Workload { title: "PutItem, one GSI", operation: "PutItem", expect: "{}", variety: 256, body: put_item },
    Workload {
        title: "UpdateItem, condition",
        operation: "UpdateItem",
        expect: "{}",
        variety: 256,
        body: update_item,
    },
    Workload {
        title: "Query, 100 items",
        operation: "Query",
        expect: "\"Count\":100",
        variety: 64,
        body: query,
    },
    Workload {
        title: "BatchWriteItem, 25",
        operation: "BatchWriteItem",
        expect: "\"UnprocessedItems\":{}",
        variety: 64,
        body: batch_write_item,
    },
    Workload {
        title: "TransactWriteItems, 2",
        operation: "TransactWriteItems",
        expect: "{}",
        variety: 256,
        body: transact_write_items,
    },
];

impl Workload {
    /// The bodies that connection `connection` of `connections` sends in turn, about the first `customers`.
    pub fn bodies(&self, connection: usize, connections: usize, customers: usize) -> Vec<String> {
        let own = customers / connections;
        let half = |turn: usize| {
            // Equal seeds make equal choices in both turns.
            let mut random = Random::new(connection as u64 + 1);
            (0..self.variety / 2)
                .map(|_| {
                    let customer = connection + random.below(own) * connections;
                    (self.body)(customer, &mut random, turn).to_string()
                })
                .collect::<Vec<_>>()
        };
        [half(0), half(1)].concat()
    }
}

/// Bodies of CreateTable for the two tables.
pub fn create_tables() -> Vec<String> {
    vec![create_table(PLAIN, false), create_table(INDEXED, true)]
}

/// The body of a CreateTable for a table of orders.
pub fn create_table(table: &str, indexed: bool) -> String {
    let key = |partition: &str, sort: &str| json!([{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]);
    let mut attributes = vec![("pk", "S"), ("sk", "S")];
    let mut body = json!({
        "TableName": table,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key("pk", "sk"),
    });
    if indexed {
        attributes.extend([("day", "S"), ("amount", "N")]);
        body["GlobalSecondaryIndexes"] = json!([{
            "IndexName": "by-day",
            "KeySchema": key("day", "amount"),
            "Projection": {"ProjectionType": "ALL"},
        }]);
    }
    let definition = |(name, kind): (&str, &str)| json!({"AttributeName": name, "AttributeType": kind});
    body["AttributeDefinitions"] = attributes.into_iter().map(definition).collect();
    body.to_string()
}

/// Bodies of BatchWriteItem that fill a table with the orders of a range of customers.
pub fn fill(table: &str, customers: Range<usize>) -> Vec<String> {
    let mut bodies = Vec::new();
    for customer in customers {
        for first in (0..ORDERS).step_by(BATCH) {
            let orders = (first..first + BATCH).map(|number| order(customer, number, 0));
            bodies.push(batch(table, orders).to_string());
        }
    }
    bodies
}

/// Bodies of BatchWriteItem that fill the plain table with 100,000 items of 1 KB.
pub fn fill_kilobytes() -> Vec<String> {
    let item = |number: usize| {
        let mut item = key(number / ORDERS, number % ORDERS);
        // The keys and their names are 31 bytes, and "body" is 4.
        item["body"] = json!({"S": "x".repeat(1024 - 31 - 4)});
        item
    };
    let firsts = (0..CUSTOMERS * ORDERS).step_by(BATCH);
    firsts.map(|first| batch(PLAIN, (first..first + BATCH).map(item)).to_string()).collect()
}

/// The body of a Query of one customer's orders.
pub fn query_of(table: &str, customer: usize) -> Value {
    json!({
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": format!("customer#{customer:06}")}},
    })
}

fn get_item(customer: usize, random: &mut Random, _turn: usize) -> Value {
    json!({"TableName": PLAIN, "Key": key(customer, random.below(ORDERS))})
}

fn put_item(customer: usize, random: &mut Random, turn: usize) -> Value {
    json!({"TableName": INDEXED, "Item": order(customer, random.below(ORDERS), turn)})
}

fn update_item(customer: usize, random: &mut Random, _turn: usize) -> Value {
    ship(customer, random.below(ORDERS))
}

fn query(customer: usize, _random: &mut Random, _turn: usize) -> Value {
    query_of(PLAIN, customer)
}

fn batch_write_item(customer: usize, random: &mut Random, turn: usize) -> Value {
    let first = random.below(ORDERS - BATCH);
    batch(PLAIN, (first..first + BATCH).map(|number| order(customer, number, turn)))
}

fn transact_write_items(customer: usize, random: &mut Random, turn: usize) -> Value {
    let (first, second) = (random.below(ORDERS / 2), ORDERS / 2 + random.below(ORDERS / 2));
    json!({"TransactItems": [
        {"Update": ship(customer, first)},
        {"Put": {"TableName": PLAIN, "Item": order(customer, second, turn)}},
    ]})
}

/// An update that counts, on a condition that holds.
fn ship(customer: usize, number: usize) -> Value {
    json!({
        "TableName": PLAIN,
        "Key": key(customer, number),
        "UpdateExpression": "SET #q = #q + :one, changed = :now",
        "ConditionExpression": "attribute_exists(pk) AND paid = :true",
        "ExpressionAttributeNames": {"#q": "quantity"},
        "ExpressionAttributeValues": {
            ":one": {"N": "1"},
            ":now": {"N": "1767225600123"},
            ":true": {"BOOL": true},
        },
    })
}

fn batch(table: &str, items: impl Iterator<Item = Value>) -> Value {
    let puts: Value = items.map(|item| json!({"PutRequest": {"Item": item}})).collect();
    json!({"RequestItems": {table: puts}})
}

/// The key of an order.
pub fn key(customer: usize, number: usize) -> Value {
    json!({"pk": {"S": format!("customer#{customer:06}")}, "sk": {"S": format!("order#{number:06}")}})
}

/// An order of about 400 bytes. Turns differ in the amount, which sorts the index.
fn order(customer: usize, number: usize, turn: usize) -> Value {
    let amount = (customer * 31 + number * 17) % 10_000 + turn * 10_000;
    json!({
        "pk": {"S": format!("customer#{customer:06}")},
        "sk": {"S": format!("order#{number:06}")},
        "day": {"S": format!("2026-01-{:02}", number % 28 + 1)},
        "amount": {"N": format!("{amount}.95")},
        "quantity": {"N": "3"},
        "changed": {"N": "0"},
        "paid": {"BOOL": true},
        "email": {"S": format!("customer{customer}@example.com")},
        "address": {"M": {
            "street": {"S": format!("Long Street {number}")},
            "city": {"S": "Springfield"},
            "zip": {"S": format!("{customer:05}")},
        }},
        "tags": {"SS": ["express", "gift", "repeat"]},
        "lines": {"L": [{"S": "two blue shirts"}, {"S": "one pair of trousers"}]},
        "note": {"S": "Please leave it with the neighbours if nobody answers the door, and ring twice."},
    })
}
