//! Both databases as libraries: typed calls without HTTP, one thread, one call after the other.
//!
//! Both are given their own typed inputs, built beforehand from the same JSON, so that what is timed is the call.

use std::io;
use std::time::{Duration, Instant};

use serde_json::from_str;
use sortkey::operations;

use crate::compare::median;
use crate::report::Table;
use crate::workload::{self, INDEXED, PLAIN, WORKLOADS, Workload};

/// Calls between two looks at the clock of the run.
const CALLS: usize = 256;

/// Measures every workload on both and prints the table.
pub fn run(rounds: usize, turn: Duration) -> io::Result<()> {
    let ours = sortkey::Database::memory();
    let theirs = dynoxide::Database::memory().map_err(failed)?;
    for body in workload::create_tables() {
        ours.create_table(decode(&body)?).wait().map_err(failed)?;
        theirs.create_table(from_str(&body)?).map_err(failed)?;
    }
    for table in [PLAIN, INDEXED] {
        for body in workload::fill(table, 0..workload::CUSTOMERS) {
            ours.batch_write_item(decode(&body)?).wait().map_err(failed)?;
            theirs.batch_write_item(from_str(&body)?).map_err(failed)?;
        }
    }
    let mut table = Table::new(&["call", "Sortkey calls/s", "Dynoxide calls/s", "ratio"]);
    for workload in WORKLOADS {
        let bodies = workload.bodies(0, 1, workload::CUSTOMERS);
        let mut speeds = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            speeds.0.push(calls_of_sortkey(&ours, workload, &bodies, turn)?);
            speeds.1.push(calls_of_dynoxide(&theirs, workload, &bodies, turn)?);
        }
        let (ours, theirs) = (median(speeds.0.into_iter()), median(speeds.1.into_iter()));
        let cells = [
            workload.title.to_owned(),
            format!("{ours:.0}"),
            format!("{theirs:.0}"),
            format!("{:.1} x", ours / theirs),
        ];
        table.row(cells.to_vec());
    }
    println!("\n## In process, one thread, 100,000 items\n\n{table}");
    Ok(())
}

/// Calls per second.
fn calls_of_sortkey(
    database: &sortkey::Database,
    workload: &Workload,
    bodies: &[String],
    turn: Duration,
) -> io::Result<f64> {
    macro_rules! calls {
        ($input:ident, $method:ident) => {
            timed(bodies, turn, decode::<operations::$input>, |input| {
                database.$method(input).wait().map(drop).map_err(failed)
            })
        };
    }
    match workload.operation {
        "GetItem" => calls!(GetItemInput, get_item),
        "PutItem" => calls!(PutItemInput, put_item),
        "UpdateItem" => calls!(UpdateItemInput, update_item),
        "Query" => calls!(QueryInput, query),
        "BatchWriteItem" => calls!(BatchWriteItemInput, batch_write_item),
        "TransactWriteItems" => calls!(TransactWriteItemsInput, transact_write_items),
        other => Err(failed(format!("no call for {other}"))),
    }
}

/// Calls per second.
fn calls_of_dynoxide(
    database: &dynoxide::Database,
    workload: &Workload,
    bodies: &[String],
    turn: Duration,
) -> io::Result<f64> {
    macro_rules! calls {
        ($method:ident) => {
            timed(
                bodies,
                turn,
                |body| Ok(from_str(body)?),
                |input| database.$method(input).map(drop).map_err(failed),
            )
        };
    }
    match workload.operation {
        "GetItem" => calls!(get_item),
        "PutItem" => calls!(put_item),
        "UpdateItem" => calls!(update_item),
        "Query" => calls!(query),
        "BatchWriteItem" => calls!(batch_write_item),
        "TransactWriteItems" => calls!(transact_write_items),
        other => Err(failed(format!("no call for {other}"))),
    }
}

/// Calls per second of the time spent in calls: the watch is stopped while inputs are built.
fn timed<I>(
    bodies: &[String],
    turn: Duration,
    build: impl Fn(&str) -> io::Result<I>,
    call: impl Fn(I) -> io::Result<()>,
) -> io::Result<f64> {
    let mut bodies = bodies.iter().cycle();
    let mut calls = 0;
    let mut spent = Duration::ZERO;
    while spent < turn {
        let inputs: Vec<I> =
            bodies.by_ref().take(CALLS).map(|body| build(body)).collect::<io::Result<_>>()?;
        let start = Instant::now();
        for input in inputs {
            call(input)?;
        }
        spent += start.elapsed();
        calls += CALLS;
    }
    Ok(calls as f64 / spent.as_secs_f64())
}

fn decode<I: sortkey_api::shape::Decode + sortkey_api::shape::Check>(body: &str) -> io::Result<I> {
    sortkey_api::decode(body.as_bytes()).map_err(failed)
}

fn failed(error: impl std::fmt::Debug) -> io::Error {
    io::Error::other(format!("{error:?}"))
}
