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

use crate::fill::{OF_A_SELLER, sellers};
use crate::recorder::Recorder;
use crate::world::World;

/// As many transactions as the copy has in flight.
const IN_FLIGHT: usize = 4;
/// The bounds that are tried, in items a second, and for how long each.
const RATES: [u64; 4] = [200, 1_000, 3_000, 6_000];
const TURN: Duration = Duration::from_secs(4);

pub fn run(directory: Option<&Path>, items: usize) {
    let prepared = |world: &World| {
        sellers(&world.old_alone(), 0..items.div_ceil(OF_A_SELLER));
        world.make_tables();
        let runner = world.runner(world.backend());
        block_on(runner.prepare()).expect("prepared");
        block_on(runner.start()).expect("started");
    };
    let worlds: [Box<dyn Fn() -> World>; 4] = match directory {
        Some(directory) => {
            let folders = ["a", "b", "c", "d"].map(|name| directory.join(name));
            prepared(&World::open(folders[0].clone()));
            for copy in &folders[1..] {
                let copied = Command::new("cp").arg("-r").args([&folders[0], copy]).status().expect("cp");
                assert!(copied.success());
            }
            folders.map(|folder| Box::new(move || World::open(folder.clone())) as Box<dyn Fn() -> World>)
        }
        None => {
            let world = World::in_memory();
            prepared(&world);
            [(); 4].map(|()| {
                let fork = world.fork();
                Box::new(move || fork.clone()) as Box<dyn Fn() -> World>
            })
        }
    };
    println!(
        "| what | items | seconds | items/s | CPU seconds | items per CPU second |\n|---|---|---|---|---|---|"
    );
    let [first, second, third, fourth] = worlds;
    measure_copy(&first());
    let transactions = record_copy(&second());
    measure_raw(&third(), transactions);
    println!("\n| asked for, items/s | held | off by |\n|---|---|---|");
    measure_rates(&fourth());
}

/// The begin of a measurement, by the clock and by the processor; the latter is steadier on a busy machine.
struct Begun {
    at: Instant,
    cpu: f64,
}

impl Begun {
    fn now() -> Begun {
        Begun { at: Instant::now(), cpu: cpu_seconds() }
    }

    fn row(&self, what: &str, items: u64) {
        let (seconds, cpu) = (self.at.elapsed().as_secs_f64(), cpu_seconds() - self.cpu);
        let (rate, per_cpu) = (items as f64 / seconds, items as f64 / cpu);
        println!("| {what} | {items} | {seconds:.2} | {rate:.0} | {cpu:.2} | {per_cpu:.0} |");
    }
}

/// Processor time of this process, user and kernel, on all of its threads.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn measure_copy(world: &World) {
    let runner = world.runner(world.backend());
    let begun = Begun::now();
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    let state = block_on(runner.state()).expect("read").expect("begun");
    begun.row("copy", state.walks.values().map(|walk| walk.copied).sum());
    let begun = Begun::now();
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    begun.row("verify, both sides", report.items);
    assert_eq!(report.differences, 0, "{:?}", report.listed);
}

/// The transactions of the copy that were carried out, in their order.
fn record_copy(world: &World) -> Vec<TransactWriteItemsInput> {
    let recorder = Arc::new(Recorder::new(Embedded::new(world.engine.clone()), true));
    let runner = world.runner(recorder.clone());
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    std::mem::take(&mut *recorder.transactions.lock().expect("no panic"))
}

/// The transactions of the copy on a database as the copy found it.
fn measure_raw(world: &World, transactions: Vec<TransactWriteItemsInput>) {
    let recorder = Recorder::new(Embedded::new(world.engine.clone()), false);
    let begun = Begun::now();
    // Writes of the runner's state come first, one at a time; writes of the copy are sent concurrently.
    let (own, copied): (Vec<_>, Vec<_>) =
        transactions.into_iter().partition(|input| input.transact_items.len() == 1);
    for input in own.into_iter().take(IN_FLIGHT + 1) {
        block_on(recorder.send(Request::TransactWriteItems(Box::new(input)))).expect("as before");
    }
    let send = |input: TransactWriteItemsInput| async {
        let again = input.clone();
        recorder.send(Request::TransactWriteItems(Box::new(input))).await.err().map(|_| again)
    };
    let sent = stream::iter(copied).map(send).buffer_unordered(IN_FLIGHT);
    // A load that conflicts with another one in flight is sent again.
    let refused: Vec<_> = block_on(sent.filter_map(std::future::ready).collect());
    for input in refused {
        block_on(recorder.send(Request::TransactWriteItems(Box::new(input)))).expect("as before");
    }
    begun.row("the same transactions, raw", recorder.carried.load(Ordering::Relaxed));
}

fn measure_rates(world: &World) {
    let recorder = Arc::new(Recorder::new(Embedded::new(world.engine.clone()), false));
    let (runner, other) = (world.runner(recorder.clone()), world.runner(world.backend()));
    block_on(other.rate(Some(Rate::Items(RATES[0])))).expect("bounded");
    std::thread::scope(|scope| {
        scope.spawn(|| block_on(runner.copy(&mut |_| ())));
        for rate in RATES {
            block_on(other.rate(Some(Rate::Items(rate)))).expect("bounded");
            // A segment reads it with its next page.
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
