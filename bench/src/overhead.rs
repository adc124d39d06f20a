//! What the runtime adds to the engine, in one process: the same requests, sent by the runtime and sent without it.
//!
//! One thread, one call after the other. Calls and requests are built while the watch stands.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pollster::block_on;
use serde_json::{Map, Value as Json};
use sortkey_engine::Engine;
use sortkey_runtime::{Caller, Embedded, Runtime};
use sortkey_storage_fjall::{FjallStore, Options};

use crate::compare::median;
use crate::directory::Scratch;
use crate::random::Random;
use crate::recorder::{Recorder, Request};
use crate::report::Table;
use crate::shop::{self, CUSTOMERS, Deed, ORDERS, failed};

/// Calls between two looks at the clock of the run.
const CALLS: usize = 256;

/// Measures in memory and below a directory, and prints a table of each.
pub fn run(directory: &Path, rounds: usize, turn: Duration) -> io::Result<()> {
    let memory = Engine::memory(sortkey_engine::Settings::default());
    measure("in memory", &memory, CUSTOMERS, rounds, turn)?;
    let scratch = Scratch::below(directory, "overhead")?;
    let store = FjallStore::open(scratch.path("shop"), Options::default()).map_err(failed)?;
    let disk = Engine::open(store, sortkey_engine::Settings::default());
    // Each order waits for its fsync, so there are fewer.
    measure("on disk", &disk, CUSTOMERS / 20, rounds, turn)
}

fn measure(place: &str, engine: &Engine, customers: usize, rounds: usize, turn: Duration) -> io::Result<()> {
    let bench = Bench::new(engine, customers)?;
    let mut table = Table::new(&["call", "request", "engine us", "runtime us", "ratio", "with its JSON us"]);
    for deed in Deed::ALL {
        let mut random = Random::new(7);
        let (mut bare, mut whole, mut printed) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            bare.push(bench.requests(deed, &mut random, turn)?);
            whole.push(bench.calls(deed, &mut random, turn, shop::call)?);
            printed.push(bench.calls(deed, &mut random, turn, shop::call_for_json)?);
        }
        let (bare, whole) = (median(bare.into_iter()), median(whole.into_iter()));
        let cells = [
            deed.call().to_owned(),
            deed.operation().to_owned(),
            format!("{bare:.2}"),
            format!("{whole:.2}"),
            format!("{:.2}", whole / bare),
            format!("{:.2}", median(printed.into_iter())),
        ];
        table.row(cells.to_vec());
    }
    println!("\n## The runtime and the engine, {place}, {} items\n\n{table}", customers * ORDERS);
    Ok(())
}

/// A way to call.
type Calling = fn(&Runtime, Deed, &Caller, Map<String, Json>) -> io::Result<()>;

/// One engine, asked through a runtime and directly.
pub struct Bench {
    engine: Engine,
    runtime: Runtime,
    /// The same design on a backend that writes down what it is sent.
    watched: Runtime,
    recorder: Arc<Recorder>,
    callers: Vec<Caller>,
}

impl Bench {
    /// Fills the engine with the orders of some customers.
    pub fn new(engine: &Engine, customers: usize) -> io::Result<Bench> {
        let runtime = shop::open(engine, customers)?;
        let recorder = Arc::new(Recorder::new(Embedded::new(engine.clone())));
        let watched = shop::runtime(recorder.clone())?;
        let caller = |customer| runtime.caller(shop::caller(customer)).map_err(failed);
        let callers = (0..customers).map(caller).collect::<io::Result<_>>()?;
        Ok(Bench { engine: engine.clone(), runtime, watched, recorder, callers })
    }

    /// So many calls, each with its caller.
    pub fn prepare(
        &self,
        deed: Deed,
        random: &mut Random,
        count: usize,
    ) -> Vec<(&Caller, Map<String, Json>)> {
        let one = |_| {
            let (customer, number) = (random.below(self.callers.len()), random.below(ORDERS));
            (&self.callers[customer], deed.arguments(customer, number))
        };
        (0..count).map(one).collect()
    }

    /// The requests that the runtime makes of such calls.
    pub fn record(&self, deed: Deed, random: &mut Random, count: usize) -> io::Result<Vec<Request>> {
        for (caller, arguments) in self.prepare(deed, random, count) {
            shop::call(&self.watched, deed, caller, arguments)?;
        }
        Ok(self.recorder.take())
    }

    /// Carries out one call.
    pub fn call(&self, deed: Deed, (caller, arguments): (&Caller, Map<String, Json>)) -> io::Result<()> {
        shop::call(&self.runtime, deed, caller, arguments)
    }

    /// Carries out one request.
    pub fn request(&self, request: Request) -> io::Result<()> {
        match request {
            Request::Get(input) => block_on(self.engine.get_item(*input)).map(drop).map_err(failed),
            Request::Put(input) => block_on(self.engine.put_item(*input)).map(drop).map_err(failed),
            Request::Query(input) => block_on(self.engine.query(*input)).map(drop).map_err(failed),
        }
    }

    /// Microseconds of one call.
    fn calls(&self, deed: Deed, random: &mut Random, turn: Duration, call: Calling) -> io::Result<f64> {
        let prepare = || Ok(self.prepare(deed, random, CALLS));
        timed(turn, prepare, |(caller, arguments)| call(&self.runtime, deed, caller, arguments))
    }

    /// Microseconds of one request.
    fn requests(&self, deed: Deed, random: &mut Random, turn: Duration) -> io::Result<f64> {
        timed(turn, || self.record(deed, random, CALLS), |request| self.request(request))
    }
}

fn timed<T>(
    turn: Duration,
    mut build: impl FnMut() -> io::Result<Vec<T>>,
    carry_out: impl Fn(T) -> io::Result<()>,
) -> io::Result<f64> {
    let (mut spent, mut done) = (Duration::ZERO, 0);
    while spent < turn {
        let built = build()?;
        done += built.len();
        let start = Instant::now();
        for each in built {
            carry_out(each)?;
        }
        spent += start.elapsed();
    }
    Ok(spent.as_secs_f64() * 1e6 / done as f64)
}
