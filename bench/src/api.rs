//! The operations API beside the DynamoDB API: one server, the same items, the same work asked for in both ways.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::compare::{Plan, Turns};
use crate::directory::Scratch;
use crate::http;
use crate::load::{self, Requests};
use crate::process::Server;
use crate::programs::Programs;
use crate::random::Random;
use crate::report::Table;
use crate::shop::{self, CUSTOMERS, Deed, ORDERS};

/// Different requests that a connection sends in turn.
const VARIETY: usize = 256;
/// Orders that a connection places in a turn; each has a new key, so none can be sent twice.
const PLACED: usize = 500;

/// Measures in memory and on disk, and prints a table of each.
pub fn run(programs: &Programs, directory: &Path, plan: Plan) -> io::Result<()> {
    let scratch = Scratch::below(directory, "api")?;
    let design = scratch.path("shop.sk");
    std::fs::write(&design, shop::DESIGN)?;
    measure("in memory", &programs.up(&design, None)?, CUSTOMERS, plan)?;
    measure("on disk", &programs.up(&design, Some(&scratch.path("data")))?, CUSTOMERS / 2, plan)
}

fn measure(place: &str, server: &Server, customers: usize, plan: Plan) -> io::Result<()> {
    let orders = (0..customers).flat_map(|customer| (0..ORDERS).map(move |number| (customer, number)));
    let place_order = |(customer, number)| {
        http::post("/api/importOrder", &caller(customer), &object(shop::known_order(customer, number)))
    };
    load::run_once(server.address, &load::deal(orders.map(place_order).collect(), plan.connections))?;
    let mut table = Table::new(&["what", "asked by", "req/s", "p50 us", "p99 us", "CPU us/req", "ratio"]);
    for deed in Deed::ALL {
        let mut turns: [Turns; 2] = Default::default();
        for round in 0..plan.rounds {
            for (api, turns) in [Api::Raw, Api::Design].into_iter().zip(&mut turns) {
                let requests = requests(api, deed, customers, plan.connections, round);
                match deed {
                    Deed::Create => turns.take_once(server, &requests)?,
                    Deed::Get | Deed::List => turns.take(server, plan.turn, &requests)?,
                }
            }
        }
        let [raw, design] = turns;
        table.row(raw.cells(deed.operation(), "DynamoDB API", String::new()));
        let speed = 100.0 * design.throughput() / raw.throughput();
        let thrift = 100.0 * raw.cpu_us() / design.cpu_us();
        table.row(design.cells("", deed.call(), format!("{speed:.0} %; by CPU {thrift:.0} %")));
    }
    let items = customers * ORDERS;
    println!("\n## The operations API, {place}, {} connections, {items} items\n\n{table}", plan.connections);
    Ok(())
}

/// How something is asked for.
#[derive(Clone, Copy, Debug)]
enum Api {
    /// As DynamoDB's clients do.
    Raw,
    /// As the design's clients do.
    Design,
}

/// The requests of every connection. Connections own customers, so that two never meet on an item.
fn requests(api: Api, deed: Deed, customers: usize, connections: usize, round: usize) -> Vec<Requests> {
    let count = if deed == Deed::Create { PLACED } else { VARIETY };
    let of = |connection: usize| -> Requests {
        let mut random = Random::new(connection as u64 + 1);
        let one = |place: usize| {
            let customer = connection + random.below(customers / connections) * connections;
            let number = random.below(ORDERS);
            match api {
                Api::Design => designed(deed, customer, number),
                Api::Raw => raw(deed, customer, number, (round * connections + connection) * PLACED + place),
            }
        };
        Arc::from((0..count).map(one).collect::<Vec<_>>())
    };
    (0..connections).map(of).collect()
}

fn designed(deed: Deed, customer: usize, number: usize) -> Vec<u8> {
    let caller = caller(customer);
    match deed {
        Deed::Get => {
            http::get(&format!("/api/getOrder?orderId={}", shop::order_id(customer, number)), &caller)
        }
        Deed::List => http::get("/api/listOrders", &caller),
        Deed::Create => http::post("/api/placeOrder", &caller, &object(shop::new_order(customer, number))),
    }
}

/// The request that the runtime makes of the same; `unique` is in the key of a new order.
fn raw(deed: Deed, customer: usize, number: usize, unique: usize) -> Vec<u8> {
    http::request(deed.operation(), &deed.body(customer, number, unique))
}

fn caller(customer: usize) -> String {
    object(shop::caller(customer))
}

fn object(fields: Map<String, Json>) -> String {
    Json::Object(fields).to_string()
}
