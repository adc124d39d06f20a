//! How fast the copy is, beside the transactions that it sends, sent without it; and how well it keeps a bound.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use sortkey_api::operations::TransactWriteItemsInput;
use sortkey_api::{Backend as _, Request};
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::Rate;

use crate::fill::fill;
use crate::recorder::Recorder;
use crate::world::World;

/// As many transactions as the copy has in flight.
const IN_FLIGHT: usize = 4;
/// The bounds that are tried, in items a second, and for how long each.
const RATES: [u64; 4] = [200, 1_000, 3_000, 6_000];
const TURN: Duration = Duration::from_secs(4);

pub fn run(directory: &Path, items: usize) {
    let [first, second, third] = ["a", "b", "c"].map(|name| directory.join(name));
    {
        let world = World::open(first.clone());
        fill(&world.old_alone(), items);
        world.make_tables();
        let runner = world.runner(world.backend());
        block_on(runner.prepare()).expect("prepared");
        block_on(runner.start()).expect("started");
    }
    for copy in [&second, &third] {
        let copied = Command::new("cp").arg("-r").args([&first, copy]).status().expect("cp");
        assert!(copied.success());
    }
    println!("| what | items | seconds | items/s | transactions/s |\n|---|---|---|---|---|");
    let transactions = measure_copy(&first);
    measure_raw(&second, transactions);
    println!("\n| asked for, items/s | held | off by |\n|---|---|---|");
    measure_rates(&third);
}

fn row(what: &str, items: u64, transactions: usize, spent: Duration) {
    let seconds = spent.as_secs_f64();
    println!(
        "| {what} | {items} | {seconds:.2} | {:.0} | {:.0} |",
        items as f64 / seconds,
        transactions as f64 / seconds
    );
}

fn measure_copy(directory: &Path) -> Vec<TransactWriteItemsInput> {
    let world = World::open(directory.to_owned());
    let recorder = Arc::new(Recorder::new(Embedded::new(world.engine.clone()), true));
    let runner = world.runner(recorder.clone());
    let begun = Instant::now();
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    let spent = begun.elapsed();
    let state = block_on(runner.state()).expect("read").expect("begun");
    let transactions = std::mem::take(&mut *recorder.transactions.lock().expect("no panic"));
    row("copy", state.walks.values().map(|walk| walk.copied).sum(), transactions.len(), spent);
    let begun = Instant::now();
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    row("verify, both sides", report.items, 0, begun.elapsed());
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    transactions
}

/// The transactions of the copy on a database as the copy found it.
fn measure_raw(directory: &Path, transactions: Vec<TransactWriteItemsInput>) {
    let world = World::open(directory.to_owned());
    let recorder = Recorder::new(Embedded::new(world.engine.clone()), false);
    let count = transactions.len();
    let begun = Instant::now();
    // What runners say of themselves comes first and is one at a time; the copy's own are sent side by side.
    let (own, copied): (Vec<_>, Vec<_>) =
        transactions.into_iter().partition(|input| input.transact_items.len() == 1);
    for input in own.into_iter().take(IN_FLIGHT + 1) {
        block_on(recorder.send(Request::TransactWriteItems(Box::new(input)))).expect("as before");
    }
    let sent = stream::iter(copied)
        .map(|input| recorder.send(Request::TransactWriteItems(Box::new(input))))
        .buffer_unordered(IN_FLIGHT);
    let refused = block_on(sent.filter(|answer| std::future::ready(answer.is_err())).count());
    row("the same transactions, raw", recorder.carried.load(Ordering::Relaxed), count, begun.elapsed());
    println!("\n{refused} of the raw transactions met another one in flight.");
}

fn measure_rates(directory: &Path) {
    let world = World::open(directory.to_owned());
    let recorder = Arc::new(Recorder::new(Embedded::new(world.engine.clone()), false));
    let (runner, other) = (world.runner(recorder.clone()), world.runner(world.backend()));
    block_on(other.rate(Some(Rate::Items(RATES[0])))).expect("bounded");
    std::thread::scope(|scope| {
        scope.spawn(|| block_on(runner.copy(&mut |_| ())));
        for rate in RATES {
            block_on(other.rate(Some(Rate::Items(rate)))).expect("bounded");
            // A segment learns of it with its next page.
            std::thread::sleep(Duration::from_secs(6));
            let (before, begun) = (recorder.carried.load(Ordering::Relaxed), Instant::now());
            std::thread::sleep(TURN);
            let carried = recorder.carried.load(Ordering::Relaxed) - before;
            let held = carried as f64 / begun.elapsed().as_secs_f64();
            println!("| {rate} | {held:.0} | {:+.1} % |", 100.0 * (held / rate as f64 - 1.0));
        }
        block_on(other.rate(None)).expect("unbounded");
    });
}
