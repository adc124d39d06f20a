//! The time that the runtime adds to the engine, in one process: equal requests, sent by the runtime and sent without it.
//!
//! One thread, one call after the other. The watch is stopped while calls and requests are built.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pollster::block_on;
use serde_json::{Map, Value as Json};
use sortkey_api::{OperationId, Request};
use sortkey_engine::Engine;
use sortkey_core::{Arguments, Caller, Runtime};
use sortkey_embedded::Embedded;
use sortkey_storage_fjall::{FjallStore, Options};

use crate::compare::median;
use crate::directory::Scratch;
use crate::random::Random;
use crate::recorder::Recorder;
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
    let mut table = Table::new(&["call", "request", "from", "engine us", "runtime us", "ratio"]);
    for deed in Deed::ALL {
        for (form, from) in [(Form::Text, "text to text"), (Form::Stored, "typed to stored")] {
            let mut random = Random::new(7);
            let (mut bare, mut whole) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                bare.push(bench.requests(deed, form, &mut random, turn)?);
                whole.push(bench.calls(deed, form, &mut random, turn)?);
            }
            let (bare, whole) = (median(bare.into_iter()), median(whole.into_iter()));
            let ratio = format!("{:.2}", whole / bare);
            let cells =
                [deed.call(), deed.operation(), from, &format!("{bare:.2}"), &format!("{whole:.2}"), &ratio];
            table.row(cells.map(str::to_owned).to_vec());
        }
    }
    println!("\n## The runtime and the engine, {place}, {} items\n\n{table}", customers * ORDERS);
    Ok(())
}

/// The form in which a call begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON on both sides, as clients write and read it: DynamoDB's for the engine, the design's for the runtime.
    Text,
    /// Values that were built before, and an answer in the form in which it is stored.
    Stored,
}

/// One engine, asked through a runtime and directly.
pub struct Bench {
    engine: Engine,
    runtime: Runtime,
    /// The design on a backend that records the requests.
    watched: Runtime,
    recorder: Arc<Recorder>,
    callers: Vec<Caller>,
    /// Orders that requests have placed.
    placed: AtomicUsize,
}

impl Bench {
    /// Fills the engine with the orders of some customers.
    pub fn new(engine: &Engine, customers: usize) -> io::Result<Bench> {
        let runtime = shop::open(engine, customers)?;
        let recorder = Arc::new(Recorder::new(Embedded::new(engine.clone())));
        let watched = shop::runtime(recorder.clone())?;
        let caller = |customer| runtime.caller(shop::caller(customer)).map_err(failed);
        let callers = (0..customers).map(caller).collect::<io::Result<_>>()?;
        Ok(Bench { engine: engine.clone(), runtime, watched, recorder, callers, placed: AtomicUsize::new(0) })
    }

    /// So many calls, each with its caller.
    pub fn prepare(
        &self,
        deed: Deed,
        random: &mut Random,
        count: usize,
    ) -> io::Result<Vec<(&Caller, Arguments)>> {
        let typed = |(caller, arguments): (_, Map<String, Json>)| {
            Ok((caller, arguments.try_into().map_err(failed)?))
        };
        self.given(deed, random, count).map(typed).collect()
    }

    fn given(
        &self,
        deed: Deed,
        random: &mut Random,
        count: usize,
    ) -> impl Iterator<Item = (&Caller, Map<String, Json>)> {
        (0..count).map(move |_| {
            let (customer, number) = (random.below(self.callers.len()), random.below(ORDERS));
            (&self.callers[customer], deed.arguments(customer, number))
        })
    }

    /// The requests that the runtime makes of such calls.
    pub fn record(&self, deed: Deed, random: &mut Random, count: usize) -> io::Result<Vec<Request>> {
        for (caller, arguments) in self.prepare(deed, random, count)? {
            shop::call(&self.watched, deed, caller, arguments)?;
        }
        Ok(self.recorder.take())
    }

    /// Carries out one call.
    pub fn call(&self, deed: Deed, (caller, arguments): (&Caller, Arguments)) -> io::Result<()> {
        shop::call(&self.runtime, deed, caller, arguments)
    }

    /// Like `call`, from the text of the arguments.
    pub fn call_by_text(&self, deed: Deed, (caller, arguments): (&Caller, Vec<u8>)) -> io::Result<()> {
        shop::call_by_text(&self.runtime, deed, caller, &arguments)
    }

    /// Carries out one request.
    pub fn request(&self, request: Request) -> io::Result<()> {
        match request {
            Request::GetItem(input) => block_on(self.engine.get_item(*input)).map(drop).map_err(failed),
            Request::PutItem(input) => block_on(self.engine.put_item(*input)).map(drop).map_err(failed),
            Request::Query(input) => block_on(self.engine.query(*input)).map(drop).map_err(failed),
            other => Err(failed(format!("{} is not measured", other.operation().name()))),
        }
    }

    /// Like `request`, from the body.
    pub fn request_by_text(&self, deed: Deed, body: &str) -> io::Result<()> {
        let operation =
            OperationId::from_name(deed.operation()).ok_or_else(|| failed("no such operation"))?;
        let answer = block_on(self.engine.call(operation, body.as_bytes()));
        answer.result.map(|text| drop(std::hint::black_box(text))).map_err(failed)
    }

    /// So many bodies of requests. New orders are new for good.
    pub fn bodies(&self, deed: Deed, random: &mut Random, count: usize) -> Vec<String> {
        let one = |_| {
            let (customer, number) = (random.below(self.callers.len()), random.below(ORDERS));
            deed.body(customer, number, self.placed.fetch_add(1, Ordering::Relaxed))
        };
        (0..count).map(one).collect()
    }

    /// So many calls as texts, each with its caller.
    pub fn texts(&self, deed: Deed, random: &mut Random, count: usize) -> Vec<(&Caller, Vec<u8>)> {
        let text = |(caller, arguments)| (caller, Json::Object(arguments).to_string().into_bytes());
        self.given(deed, random, count).map(text).collect()
    }

    /// Microseconds of one call.
    fn calls(&self, deed: Deed, form: Form, random: &mut Random, turn: Duration) -> io::Result<f64> {
        match form {
            Form::Stored => {
                timed(turn, || self.prepare(deed, random, CALLS), |each| self.call(deed, each))
            }
            Form::Text => {
                timed(turn, || Ok(self.texts(deed, random, CALLS)), |each| self.call_by_text(deed, each))
            }
        }
    }

    /// Microseconds of one request.
    fn requests(&self, deed: Deed, form: Form, random: &mut Random, turn: Duration) -> io::Result<f64> {
        match form {
            Form::Stored => timed(turn, || self.record(deed, random, CALLS), |each| self.request(each)),
            Form::Text => {
                timed(turn, || Ok(self.bodies(deed, random, CALLS)), |each| self.request_by_text(deed, &each))
            }
        }
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
