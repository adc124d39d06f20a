//! Writers with predictable steps: when the process dies, the steps that must have survived can be computed.
//!
//! Step `n` of writer `w` depends on the seed, `w` and `n` only. A writer works on keys of its own, and moves money
//! between accounts that all share. It does one step at a time and prints each step that is done, so at most
//! one step of each writer is in doubt when the process ends.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value as Json, json};

use super::Random;
use super::database::Database;

pub(crate) const TABLE: &str = "Crash";
pub(crate) const BULK: &str = "Bulk";
pub(crate) const BULK_KEYS: u64 = 20;
pub(crate) const WRITERS: usize = 8;
pub(crate) const ACCOUNTS: u64 = 10;
pub(crate) const BALANCE: i64 = 1_000;
const KEYS: u64 = 40;

/// The key of an item: partition and sort key.
pub(crate) type Place = (String, String);
/// The items of a writer, without their keys.
pub(crate) type Items = BTreeMap<Place, Item>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) step: u64,
    /// The key of the index; an item without it is not in the index.
    pub(crate) group: Option<String>,
    pub(crate) updates: Option<u64>,
    pub(crate) padding: Option<String>,
}

/// A change of one item.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Put(Item),
    Update { step: u64, group: String },
    Delete,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Single(Place, Action),
    /// All or none.
    Transaction(Vec<(Place, Action)>),
    /// Each for itself.
    Batch(Vec<(Place, Action)>),
    Transfer {
        from: u64,
        to: u64,
        amount: u64,
    },
}

/// The action of writer `writer` in its step `step`.
pub(crate) fn step(seed: u64, writer: usize, step: u64) -> Step {
    let mut random = Random::new(seed ^ (writer as u64) << 56 ^ step.wrapping_mul(0xD6E8_FEB8_6659_FD93));
    random.next();
    match random.below(100) {
        0..35 => Step::Single(place(writer, random.below(KEYS)), put(&mut random, step)),
        35..60 => Step::Single(place(writer, random.below(KEYS)), update(&mut random, step)),
        60..70 => Step::Single(place(writer, random.below(KEYS)), Action::Delete),
        70..80 => {
            let places = places(writer, &mut random, 3);
            let actions = [put(&mut random, step), Action::Delete, update(&mut random, step)];
            Step::Transaction(places.into_iter().zip(actions).collect())
        }
        80..90 => {
            let places = places(writer, &mut random, 5).into_iter();
            let action = |place| match random.below(3) {
                0 => (place, Action::Delete),
                _ => (place, put(&mut random, step)),
            };
            Step::Batch(places.map(action).collect())
        }
        _ => {
            let from = random.below(ACCOUNTS);
            let to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS;
            Step::Transfer { from, to, amount: random.below(20) }
        }
    }
}

fn place(writer: usize, number: u64) -> Place {
    (format!("w{writer}p{}", number % 7), format!("k{number:02}"))
}

/// Different places.
fn places(writer: usize, random: &mut Random, count: u64) -> Vec<Place> {
    let first = random.below(KEYS);
    (0..count).map(|at| place(writer, (first + at * 7) % KEYS)).collect()
}

fn put(random: &mut Random, step: u64) -> Action {
    let length = if random.below(50) == 0 { 20_000 } else { random.below(200) };
    Action::Put(Item {
        step,
        group: (random.below(3) > 0).then(|| format!("g{}", random.below(5))),
        updates: None,
        padding: Some(random.bytes(length as usize / 2).iter().map(|byte| format!("{byte:02x}")).collect()),
    })
}

fn update(random: &mut Random, step: u64) -> Action {
    Action::Update { step, group: format!("g{}", random.below(5)) }
}

impl Step {
    /// The step's changes to the items of its writer.
    pub(crate) fn changes(&self) -> &[(Place, Action)] {
        match self {
            Step::Single(..) | Step::Transfer { .. } => &[],
            Step::Transaction(changes) | Step::Batch(changes) => changes,
        }
    }

    pub(crate) fn apply(&self, items: &mut Items) {
        if let Step::Single(place, action) = self {
            action.apply(place, items);
        }
        for (place, action) in self.changes() {
            action.apply(place, items);
        }
    }
}

impl Action {
    pub(crate) fn apply(&self, place: &Place, items: &mut Items) {
        match self {
            Action::Put(item) => drop(items.insert(place.clone(), item.clone())),
            Action::Delete => drop(items.remove(place)),
            Action::Update { step, group } => {
                let new = Item { step: 0, group: None, updates: None, padding: None };
                let item = items.entry(place.clone()).or_insert(new);
                item.step = *step;
                item.group = Some(group.clone());
                item.updates = Some(item.updates.unwrap_or(0) + 1);
            }
        }
    }
}

impl Item {
    pub(crate) fn to_json(&self, place: &Place) -> Json {
        let mut json = key(place);
        json["step"] = json!({ "N": self.step.to_string() });
        if let Some(group) = &self.group {
            json["group"] = json!({ "S": group });
        }
        if let Some(updates) = self.updates {
            json["updates"] = json!({ "N": updates.to_string() });
        }
        if let Some(padding) = &self.padding {
            json["padding"] = json!({ "S": padding });
        }
        json
    }

    pub(crate) fn from_json(json: &Json) -> (Place, Item) {
        let text = |name: &str, kind: &str| json[name][kind].as_str().map(str::to_owned);
        let number = |name: &str| text(name, "N").map(|text| text.parse().unwrap());
        let item = Item {
            step: number("step").unwrap(),
            group: text("group", "S"),
            updates: number("updates"),
            padding: text("padding", "S"),
        };
        ((text("pk", "S").unwrap(), text("sk", "S").unwrap()), item)
    }
}

pub(crate) fn key((partition, sort): &Place) -> Json {
    json!({ "pk": { "S": partition }, "sk": { "S": sort } })
}

/// Creates the tables and the accounts, if they are not there.
pub(crate) fn prepare(database: &Database) {
    let bulk = json!({
        "TableName": BULK,
        "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        "BillingMode": "PAY_PER_REQUEST"
    });
    let _ = database.call("CreateTable", &bulk);
    // It is there already, unless the process ended before this had happened once.
    let _ = database.call(
        "CreateTable",
        &json!({
            "TableName": TABLE,
            "AttributeDefinitions": [
                { "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "sk", "AttributeType": "S" },
                { "AttributeName": "group", "AttributeType": "S" }, { "AttributeName": "step", "AttributeType": "N" }
            ],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }, { "AttributeName": "sk", "KeyType": "RANGE" }],
            "GlobalSecondaryIndexes": [{
                "IndexName": "byGroup",
                "KeySchema": [
                    { "AttributeName": "group", "KeyType": "HASH" }, { "AttributeName": "step", "KeyType": "RANGE" }
                ],
                "Projection": { "ProjectionType": "ALL" }
            }],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" }
        }),
    );
    let continuous = json!({
        "TableName": TABLE, "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": true }
    });
    database.call("UpdateContinuousBackups", &continuous).unwrap();
    let first = json!({ "TableName": TABLE, "Key": key(&("account".into(), "0".into())) });
    if database.call("GetItem", &first).unwrap().get("Item").is_some() {
        return;
    }
    let account = |number: u64| {
        let item = json!({
            "pk": { "S": "account" }, "sk": { "S": number.to_string() }, "balance": { "N": BALANCE.to_string() }
        });
        json!({ "Put": { "TableName": TABLE, "Item": item } })
    };
    let accounts: Vec<Json> = (0..ACCOUNTS).map(account).collect();
    database.call("TransactWriteItems", &json!({ "TransactItems": accounts })).unwrap();
}

/// Writes from the given steps on, for ever, or until the database fails; prints `done <writer> <step>` or, for a
/// transaction that met another, `cancelled <writer> <step>`, and why it ended.
pub(crate) fn run(database: &Database, seed: u64, first_steps: &[u64]) {
    std::thread::scope(|scope| {
        for (writer, first) in first_steps.iter().enumerate() {
            scope.spawn(move || {
                for number in *first.. {
                    let done = perform(database, writer, number, &step(seed, writer, number));
                    let word = match done {
                        Ok(()) => "done",
                        Err(error) if error.message.contains("TransactionConflict") => "cancelled",
                        Err(error) => {
                            say(&format!("failed {writer} {number} {}\n", error.message));
                            return;
                        }
                    };
                    say(&format!("{word} {writer} {number}\n"));
                }
            });
        }
    });
}

/// Overwrites a few large items, for ever or until the database fails, so that journals are replaced and tables written
/// while the others work; prints `bulk <number>`.
pub(crate) fn run_bulk(database: &Database, first: u64) {
    for number in first.. {
        let item =
            json!({ "pk": { "S": (number % BULK_KEYS).to_string() }, "padding": { "S": bulk(number) } });
        if database.call("PutItem", &json!({ "TableName": BULK, "Item": item })).is_err() {
            return;
        }
        say(&format!("bulk {number}\n"));
    }
}

/// The contents of the item with a number.
pub(crate) fn bulk(number: u64) -> String {
    format!("{number:016}").repeat(20_000)
}

/// One write to the pipe, so that lines of several threads do not mix.
pub(crate) fn say(line: &str) {
    let mut pipe = std::io::stdout().lock();
    pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).unwrap();
}

pub(crate) fn perform(
    database: &Database,
    writer: usize,
    number: u64,
    step: &Step,
) -> Result<(), sortkey_api::ApiError> {
    match step {
        Step::Single(place, Action::Put(item)) => {
            database.call("PutItem", &json!({ "TableName": TABLE, "Item": item.to_json(place) })).map(drop)
        }
        Step::Single(place, Action::Delete) => {
            database.call("DeleteItem", &json!({ "TableName": TABLE, "Key": key(place) })).map(drop)
        }
        Step::Single(place, action @ Action::Update { .. }) => {
            database.call("UpdateItem", &transacted(place, action)["Update"]).map(drop)
        }
        Step::Transaction(changes) => {
            let items: Vec<Json> = changes.iter().map(|(place, action)| transacted(place, action)).collect();
            transact(database, writer, number, items)
        }
        Step::Batch(changes) => {
            let write = |(place, action): &(Place, Action)| match action {
                Action::Put(item) => json!({ "PutRequest": { "Item": item.to_json(place) } }),
                _ => json!({ "DeleteRequest": { "Key": key(place) } }),
            };
            let writes: Vec<Json> = changes.iter().map(write).collect();
            database.call("BatchWriteItem", &json!({ "RequestItems": { TABLE: writes } })).map(drop)
        }
        Step::Transfer { from, to, amount } => {
            let update = |account: u64, sign: &str| {
                json!({ "Update": {
                    "TableName": TABLE,
                    "Key": key(&("account".into(), account.to_string())),
                    "UpdateExpression": format!("SET balance = balance {sign} :amount"),
                    "ExpressionAttributeValues": { ":amount": { "N": amount.to_string() } }
                } })
            };
            let ledger = json!({ "Update": {
                "TableName": TABLE,
                "Key": key(&("ledger".into(), writer.to_string())),
                "UpdateExpression": "SET last_step = :step ADD transfers :one",
                "ExpressionAttributeValues": { ":step": { "N": number.to_string() }, ":one": { "N": "1" } }
            } });
            transact(database, writer, number, vec![update(*from, "-"), update(*to, "+"), ledger])
        }
    }
}

fn transact(
    database: &Database,
    writer: usize,
    number: u64,
    items: Vec<Json>,
) -> Result<(), sortkey_api::ApiError> {
    let token = format!("{writer}-{number}");
    database
        .call("TransactWriteItems", &json!({ "TransactItems": items, "ClientRequestToken": token }))
        .map(drop)
}

/// A change as a part of a transaction.
fn transacted(place: &Place, action: &Action) -> Json {
    match action {
        Action::Put(item) => json!({ "Put": { "TableName": TABLE, "Item": item.to_json(place) } }),
        Action::Delete => json!({ "Delete": { "TableName": TABLE, "Key": key(place) } }),
        Action::Update { step, group } => json!({ "Update": {
            "TableName": TABLE,
            "Key": key(place),
            "UpdateExpression": "SET step = :step, #group = :group ADD updates :one",
            "ExpressionAttributeNames": { "#group": "group" },
            "ExpressionAttributeValues": {
                ":step": { "N": step.to_string() }, ":group": { "S": group }, ":one": { "N": "1" }
            }
        } }),
    }
}
