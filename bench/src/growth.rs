//! A table with two global indexes that grows to 2,000,000 items of about 400 bytes: what reading costs at 100,000 and at
//! the end, how long it takes to open 1,000,000, and how much memory it needs. Reads are measured at both sizes when
//! the server has come to rest: filling leaves compactions behind, which are a cost of writing.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::compare;
use crate::directory::Scratch;
use crate::http;
use crate::load;
use crate::process::Server;
use crate::programs::Programs;
use crate::random::Random;
use crate::report::Table;
use crate::workload::{self, ORDERS};

const TABLE: &str = "grown";
/// The server's memory for data that was read before, as given on its command line.
const CACHE_MB: u64 = 256;
const CONNECTIONS: usize = 16;
const TURN: Duration = Duration::from_secs(3);
/// Compactions end long before.
const MAX_REST_SECONDS: usize = 300;

/// Measures and prints the table. Everything is divided by `shrink`.
pub fn run(programs: &Programs, directory: &Path, shrink: usize) -> io::Result<()> {
    let scratch = Scratch::below(directory, "growth")?;
    let data = scratch.path("data");
    let cache = CACHE_MB.to_string();
    let start = || programs.sortkey_in(&data, &["--cache", &cache]);
    let [few, half, all] = [1_000, 10_000, 20_000].map(|customers| customers / shrink);
    let mut table = Table::new(&["what", "measured", "target"]);

    let server = start()?;
    ask(&server, "CreateTable", &create())?;
    fill(&server, 0..few)?;
    let reads_of_few = reads_per_second(&server, few)?;
    fill(&server, few..half)?;
    server.stop()?;
    let (server, opened) = time_to_answer(start)?;
    row(&mut table, &format!("opening {} items after a stop", half * ORDERS), seconds(opened), "< 3 s");
    // One more second of writes, then the end without warning.
    fill(&server, half..half + few / 2)?;
    drop(server);
    let (server, opened) = time_to_answer(start)?;
    row(&mut table, &format!("opening {} items after kill -9", half * ORDERS), seconds(opened), "< 3 s");
    fill(&server, half + few / 2..all)?;
    let reads_of_all = reads_per_second(&server, all)?;
    row(&mut table, &format!("GetItem per second, {} items", few * ORDERS), format!("{reads_of_few:.0}"), "");
    let share = format!("{reads_of_all:.0} ({:.2} of the above)", reads_of_all / reads_of_few);
    row(&mut table, &format!("GetItem per second, {} items", all * ORDERS), share, ">= 0.5");
    let memory = format!("{:.0} MB", server.resident_bytes()? as f64 / 1e6);
    let most = format!("< {} MB", 2 * CACHE_MB + 200);
    row(&mut table, &format!("memory with {} items, cache {CACHE_MB} MB", all * ORDERS), memory, &most);
    println!("\n## Growing, two global indexes\n\n{table}");
    Ok(())
}

fn row(table: &mut Table, what: &str, measured: String, target: &str) {
    table.row(vec![what.to_owned(), measured, target.to_owned()]);
}

fn seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}

/// Starts a server; the time until it has answered a read.
fn time_to_answer(start: impl Fn() -> io::Result<Server>) -> io::Result<(Server, Duration)> {
    let server = start()?;
    ask(&server, "GetItem", &get(0, 0))?;
    let elapsed = server.started.elapsed();
    Ok((server, elapsed))
}

/// Waits until the server does nothing of its own any more: a second that costs less than a fiftieth of one core.
fn rest(server: &Server) -> io::Result<()> {
    for _ in 0..MAX_REST_SECONDS {
        let before = server.cpu_time()?;
        std::thread::sleep(Duration::from_secs(1));
        if server.cpu_time()? - before < Duration::from_millis(20) {
            return Ok(());
        }
    }
    Err(io::Error::other("the server does not come to rest"))
}

/// Reads of items all over the table.
fn reads_per_second(server: &Server, customers: usize) -> io::Result<f64> {
    rest(server)?;
    let requests: Vec<_> = (0..CONNECTIONS)
        .map(|connection| {
            let mut random = Random::new(connection as u64 + 1);
            let read = |_| http::request("GetItem", &get(random.below(customers), random.below(ORDERS)));
            (0..4_000).map(read).collect::<Vec<_>>().into()
        })
        .collect();
    load::run_for(server.address, TURN / 3, &requests)?;
    Ok(load::run_for(server.address, TURN, &requests)?.throughput())
}

/// Fills in portions, since a million prepared requests would take more memory than the server.
fn fill(server: &Server, customers: std::ops::Range<usize>) -> io::Result<()> {
    let (first, end) = (customers.start, customers.end);
    for first in (first..end).step_by(500) {
        let portion = workload::fill(TABLE, first..(first + 500).min(end));
        compare::fill(server, &portion, CONNECTIONS)?;
    }
    Ok(())
}

fn get(customer: usize, number: usize) -> String {
    json!({"TableName": TABLE, "Key": workload::key(customer, number)}).to_string()
}

fn create() -> String {
    let key = |partition: &str, sort: &str| json!([{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]);
    let index = |name: &str, partition: &str| json!({"IndexName": name, "KeySchema": key(partition, "amount"), "Projection": {"ProjectionType": "ALL"}});
    let attribute = |(name, kind): (&str, &str)| json!({"AttributeName": name, "AttributeType": kind});
    let attributes = [("pk", "S"), ("sk", "S"), ("day", "S"), ("email", "S"), ("amount", "N")];
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key("pk", "sk"),
        "AttributeDefinitions": attributes.map(attribute),
        "GlobalSecondaryIndexes": [index("by-day", "day"), index("by-email", "email")],
    })
    .to_string()
}

fn ask(server: &Server, operation: &str, body: &str) -> io::Result<()> {
    load::run_once(server.address, &load::deal(vec![http::request(operation, body)], 1)).map(drop)
}
