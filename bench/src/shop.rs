//! A design with some data, and three things that are done with it: as calls of the runtime, and as the requests that
//! the runtime makes of them.

use std::io;
use std::sync::Arc;

use pollster::block_on;
use serde_json::{Map, Value as Json, json};
use sortkey_design::{NoFiles, compile};
use sortkey_engine::Engine;
use sortkey_runtime::deploy::deploy;
use sortkey_runtime::{Backend, Call, Caller, Embedded, Pending, Runtime, Settings};

/// The design.
pub const DESIGN: &str = include_str!("shop.sk");
/// Customers that have orders.
pub const CUSTOMERS: usize = 200;
/// Orders of a customer, which is a page.
pub const ORDERS: usize = 100;

/// What is measured: how it is called, and which request it becomes.
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

/// What a new order is given; its id, its time and its status are made.
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

/// A runtime of the design on a backend.
pub fn runtime(backend: Arc<dyn Backend>) -> io::Result<Runtime> {
    let design = Arc::new(compile("shop.sk", DESIGN, &NoFiles).design);
    Runtime::new(design, backend, Settings::ephemeral().map_err(failed)?).map_err(failed)
}

/// A runtime on an engine, with its tables and the orders of some customers.
pub fn open(engine: &Engine, customers: usize) -> io::Result<Runtime> {
    let embedded = Embedded::new(engine.clone());
    let runtime = runtime(Arc::new(embedded.clone()))?;
    let pause = |_| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    let naming = sortkey_runtime::deploy::Naming::default();
    block_on(deploy(runtime.design(), &naming, &embedded, &pause, &mut |_| {})).map_err(failed)?;
    for customer in 0..customers {
        for number in 0..ORDERS {
            let arguments = known_order(customer, number);
            let call = Call { name: "importOrder", arguments, ..Call::default() };
            block_on(runtime.call(call)).map_err(failed)?;
        }
    }
    Ok(runtime)
}

/// Calls, waits for the answer, and leaves it as it is stored, as the engine does.
pub fn call(runtime: &Runtime, deed: Deed, caller: &Caller, arguments: Map<String, Json>) -> io::Result<()> {
    let call = Call { name: deed.call(), caller: Some(caller), arguments, ..Call::default() };
    block_on(runtime.reply(call)).0.map(drop).map_err(failed)
}

/// The same with the answer written as JSON.
pub fn call_for_json(
    runtime: &Runtime,
    deed: Deed,
    caller: &Caller,
    arguments: Map<String, Json>,
) -> io::Result<()> {
    let call = Call { name: deed.call(), caller: Some(caller), arguments, ..Call::default() };
    let reply = block_on(runtime.reply(call)).0.map_err(failed)?;
    let mut text = Vec::new();
    reply.write_json(&mut text);
    std::hint::black_box(text);
    Ok(())
}

/// Any error as one of this program.
pub fn failed(error: impl std::fmt::Debug) -> io::Error {
    io::Error::other(format!("{error:?}"))
}
