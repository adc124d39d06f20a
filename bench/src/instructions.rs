//! One operation, a given number of times, and nothing else: what `callgrind.sh` counts instructions of.

use std::io;

use sortkey_api::OperationId;
use sortkey_engine::{Engine, Settings};

use crate::workload::{self, INDEXED, PLAIN, WORKLOADS};

/// Customers loaded: enough for a tree of some depth, few enough for a machine that runs fifty times slower.
const LOADED: usize = 20;

/// Calls one workload `calls` times, from the bytes of the request to the bytes of the answer.
pub fn run(operation: &str, calls: usize) -> io::Result<()> {
    let failed = |error: String| io::Error::other(error);
    let workload = WORKLOADS.iter().find(|workload| workload.operation == operation);
    let workload = workload.ok_or_else(|| failed(format!("{operation} is not measured")))?;
    let operation = OperationId::from_name(operation).ok_or_else(|| failed("no such operation".into()))?;
    let engine = Engine::memory(Settings::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        for body in workload::create_tables() {
            engine.call(OperationId::CreateTable, body.as_bytes()).await;
        }
        for table in [PLAIN, INDEXED] {
            for body in workload::fill(table, 0..LOADED) {
                engine.call(OperationId::BatchWriteItem, body.as_bytes()).await;
            }
        }
        let bodies = workload.bodies(0, 1, LOADED);
        for body in bodies.iter().cycle().take(calls) {
            let answer = engine.call(operation, body.as_bytes()).await;
            answer.result.map_err(|error| failed(format!("{error:?}")))?;
        }
        Ok(())
    })
}
