//! One operation, a given number of times, and nothing else: what `callgrind.sh` counts instructions of.

use std::io;

use sortkey_api::OperationId;
use sortkey_engine::{Engine, Settings};

use crate::overhead::{Bench, Form};
use crate::random::Random;
use crate::shop::Deed;
use crate::workload::{self, INDEXED, PLAIN, WORKLOADS};

/// Customers loaded: enough for a tree of some depth, few enough for a machine that runs fifty times slower.
const LOADED: usize = 20;

/// Loads some customers and calls one workload `calls` times, from the bytes of the request to the bytes of the answer.
pub fn run(operation: &str, calls: usize) -> io::Result<()> {
    let failed = |error: String| io::Error::other(error);
    let workload = WORKLOADS.iter().find(|workload| workload.operation == operation);
    let workload = workload.ok_or_else(|| failed(format!("{operation} is not measured")))?;
    let operation = OperationId::from_name(operation).ok_or_else(|| failed("no such operation".into()))?;
    let engine = Engine::memory(Settings::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let call = |operation, body: &str| {
        let answer = runtime.block_on(engine.call(operation, body.as_bytes()));
        answer.result.map(drop).map_err(|error| failed(format!("{error:?}")))
    };
    for body in workload::create_tables() {
        call(OperationId::CreateTable, &body)?;
    }
    for body in [PLAIN, INDEXED].iter().flat_map(|table| workload::fill(table, 0..LOADED)) {
        call(OperationId::BatchWriteItem, &body)?;
    }
    let bodies = workload.bodies(0, 1, LOADED);
    measured_calls(bodies.iter().cycle().take(calls), |body| call(operation, body))
}

/// Carries out one deed `calls` times, through the runtime or by the requests that the runtime makes of it.
pub fn run_deed(deed: &str, by_runtime: bool, form: Form, calls: usize) -> io::Result<()> {
    let deed = Deed::ALL.into_iter().find(|each| each.call() == deed || each.operation() == deed);
    let deed = deed.ok_or_else(|| io::Error::other("not measured"))?;
    let bench = Bench::new(&Engine::memory(Settings::default()), LOADED)?;
    let mut random = Random::new(7);
    match (by_runtime, form) {
        (true, Form::Stored) => {
            let prepared = bench.prepare(deed, &mut random, calls)?;
            measured_calls(prepared.into_iter(), |each| bench.call(deed, each))
        }
        (true, Form::Text) => {
            let prepared = bench.texts(deed, &mut random, calls);
            measured_calls(prepared.into_iter(), |each| bench.call_by_text(deed, each))
        }
        (false, Form::Stored) => {
            let recorded = bench.record(deed, &mut random, calls)?;
            measured_calls(recorded.into_iter(), |each| bench.request(each))
        }
        (false, Form::Text) => {
            let bodies = bench.bodies(deed, &mut random, calls);
            measured_calls(bodies.into_iter(), |each| bench.request_by_text(deed, &each))
        }
    }
}

/// The part that is counted: `callgrind.sh` finds it by its name.
#[inline(never)]
fn measured_calls<T>(given: impl Iterator<Item = T>, call: impl Fn(T) -> io::Result<()>) -> io::Result<()> {
    for each in given {
        call(each)?;
    }
    Ok(())
}
