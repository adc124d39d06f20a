//! A design with some data, and three things that are done with it: as calls of the runtime, and as the requests that
//! the runtime makes of them.

use std::io;
use std::sync::Arc;

use pollster::block_on;
use serde_json::{Map, Value as Json, json};
use sortkey_design::{NoFiles, compile};
use sortkey_engine::Engine;
use sortkey_deploy::deploy;
use sortkey_core::{Arguments, Backend, Call, Caller, Pending, Reply, Runtime};
use sortkey_embedded::{Embedded, ephemeral};

/// The design.
pub const DESIGN: &str = include_str!("shop.sk");
/// Customers that have orders.
pub const CUSTOMERS: usize = 200;
/// Orders of a customer, which is a page.
pub const ORDERS: usize = 100;

/// The measured calls: the name of each, and the request that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A `get` by the whole key: GetItem.
    Get,
    /// A `create`: PutItem on condition that there is none, with one index.
    Create,
    /// A `list` of a hundred: Query.
    List,
}

impl Deed {
    /// All of them.
    pub const ALL: [Deed; 3] = [Deed::Get, Deed::Create, Deed::List];

    /// The pattern or operation.
    pub fn call(self) -> &'static str {
        match self {
            Deed::Get => "getOrder",
            Deed::Create => "placeOrder",
            Deed::List => "listOrders",
        }
    }

    /// DynamoDB's operation behind it.
    pub fn operation(self) -> &'static str {
        match self {
            Deed::Get => "GetItem",
            Deed::Create => "PutItem",
            Deed::List => "Query",
        }
    }

    /// The arguments of a call.
    pub fn arguments(self, customer: usize, number: usize) -> Map<String, Json> {
        match self {
            Deed::Get => [("orderId".to_owned(), order_id(customer, number).into())].into_iter().collect(),
            Deed::Create => new_order(customer, number),
            Deed::List => Map::new(),
        }
    }

    /// The body of the request that the runtime makes of the same; `unique` is in the key of a new order.
    pub fn body(self, customer: usize, number: usize, unique: usize) -> String {
        let partition = format!("CUSTOMER#{}", customer_id(customer));
        let key = |order: &str| json!({"PK": {"S": partition}, "SK": {"S": format!("ORDER#{order}")}});
        let mut body = match self {
            Deed::Get => json!({"Key": key(&order_id(customer, number))}),
            Deed::List => json!({
                "KeyConditionExpression": "PK = :v0 AND begins_with(SK, :v1)",
                "ExpressionAttributeValues": {":v0": {"S": partition}, ":v1": {"S": "ORDER#"}},
                "Limit": ORDERS,
            }),
            Deed::Create => json!({
                "Item": stored_order(key(&format!("ord_R{unique:025}")), customer, number),
                "ConditionExpression": "attribute_not_exists(PK)",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }),
        };
        body["TableName"] = json!("shop");
        // The runtime returns the consumed units to its callers, so it always asks.
        body["ReturnConsumedCapacity"] = json!("TOTAL");
        body.to_string()
    }
}

/// The attributes of a caller.
pub fn caller(customer: usize) -> Map<String, Json> {
    [("customerId".to_owned(), customer_id(customer).into())].into_iter().collect()
}

/// The id of a customer.
pub fn customer_id(customer: usize) -> String {
    format!("customer-{customer:06}")
}

/// The id of an order that is there from the beginning. Digits are letters of a ULID.
pub fn order_id(customer: usize, number: usize) -> String {
    format!("ord_{:026}", customer * ORDERS + number)
}

/// The arguments of a new order; its id, its time and its status are made.
pub fn new_order(customer: usize, number: usize) -> Map<String, Json> {
    let order = json!({
        "email": format!("customer{customer}@example.com"),
        "amount": (customer * 31 + number * 17) % 10_000,
        "quantity": 3,
        "address": {
            "street": format!("Long Street {number}"),
            "city": "Springfield",
            "zip": format!("{customer:05}"),
        },
        "tags": ["express", "gift", "repeat"],
        "note": "Please leave it with the neighbours if nobody answers the door, and ring twice.",
    });
    order.as_object().cloned().unwrap_or_default()
}

/// The arguments of `importOrder` for the order with the id that [`order_id`] gives.
pub fn known_order(customer: usize, number: usize) -> Map<String, Json> {
    let mut order = new_order(customer, number);
    order.insert("customerId".to_owned(), customer_id(customer).into());
    order.insert("orderId".to_owned(), order_id(customer, number).into());
    order
}

/// An order as the runtime stores it.
fn stored_order(key: Json, customer: usize, number: usize) -> Json {
    let order_id = key["SK"]["S"].as_str().unwrap_or_default().trim_start_matches("ORDER#").to_owned();
    let mut item = key;
    let more = json!({
        "GSI1PK": {"S": format!("DAY#{}#2026-01-01", customer_id(customer))},
        "GSI1SK": {"S": format!("2026-01-01T00:00:00.000Z#{order_id}")},
        "customerId": {"S": customer_id(customer)},
        "orderId": {"S": order_id},
        "placedAt": {"S": "2026-01-01T00:00:00.000Z"},
        "day": {"S": "2026-01-01"},
        "status": {"S": "placed"},
        "email": {"S": format!("customer{customer}@example.com")},
        "amount": {"N": ((customer * 31 + number * 17) % 10_000).to_string()},
        "quantity": {"N": "3"},
        "gift": {"BOOL": false},
        "address": {"M": {
            "street": {"S": format!("Long Street {number}")},
            "city": {"S": "Springfield"},
            "zip": {"S": format!("{customer:05}")},
        }},
        "tags": {"SS": ["express", "gift", "repeat"]},
        "note": {"S": "Please leave it with the neighbours if nobody answers the door, and ring twice."},
    });
    if let (Some(item), Some(more)) = (item.as_object_mut(), more.as_object()) {
        item.extend(more.clone());
    }
    item
}

/// A runtime of the design on a backend.
pub fn runtime(backend: Arc<dyn Backend>) -> io::Result<Runtime> {
    let design = compile("shop.sk", DESIGN, &NoFiles).design;
    Runtime::new(design, backend, ephemeral().map_err(failed)?).map_err(failed)
}

/// A runtime on an engine, with its tables and the orders of some customers.
pub fn open(engine: &Engine, customers: usize) -> io::Result<Runtime> {
    let embedded = Embedded::new(engine.clone());
    let runtime = runtime(Arc::new(embedded.clone()))?;
    let pause = |_| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    let naming = sortkey_deploy::Naming::default();
    block_on(deploy(runtime.design(), &naming, &embedded, &pause, &mut |_| {})).map_err(failed)?;
    for customer in 0..customers {
        for number in 0..ORDERS {
            let arguments = known_order(customer, number).try_into().map_err(failed)?;
            let call = Call { name: "importOrder", arguments, ..Call::default() };
            block_on(runtime.call(call)).map_err(failed)?;
        }
    }
    Ok(runtime)
}

/// Calls, waits for the answer, and leaves it as it is stored, as the engine does.
pub fn call(runtime: &Runtime, deed: Deed, caller: &Caller, arguments: Arguments) -> io::Result<()> {
    let call = Call { name: deed.call(), caller: Some(caller), arguments, ..Call::default() };
    block_on(runtime.reply(call)).0.map(drop).map_err(failed)
}

/// Like `call`, from the text of the arguments to the text of the answer.
pub fn call_by_text(runtime: &Runtime, deed: Deed, caller: &Caller, arguments: &[u8]) -> io::Result<()> {
    let arguments = Arguments::read(arguments).map_err(failed)?;
    let call = Call { name: deed.call(), caller: Some(caller), arguments, ..Call::default() };
    let answer = block_on(runtime.reply(call)).0.and_then(Reply::look).map_err(failed)?;
    let mut text = Vec::new();
    answer.write_json(&mut text);
    std::hint::black_box(text);
    Ok(())
}

/// Any error as one of this program.
pub fn failed(error: impl std::fmt::Debug) -> io::Error {
    io::Error::other(format!("{error:?}"))
}
