//! Calls to be measured: those that the tests of a design make, and calls with made-up arguments over generated data.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use sortkey_design::program::{Callee, EntityId};
use sortkey_design::{Design, Program};
use sortkey_engine::Engine;
use sortkey_plan::actions;

use super::fit::Comparison;
use super::meter::Meter;
use super::report::Report;
use crate::seeding::{Dice, LATEST_MS, Pool, Story, plant, tell};
use crate::suite::{Suite, Wrapped};
use sortkey_core::{Backend, Failure, FailureKind, Ids, KeyError, Pending, Problem, Runtime, Settings};
use sortkey_deploy::{Naming, deploy};
use sortkey_embedded::{Embedded, ephemeral};

/// How many times as often a callee is tried that never succeeded.
const PATIENCE: u64 = 8;

/// Runs the tests of a design, even if they fail, and measures every call that they make.
pub async fn tests(
    design: Arc<Design>,
    parameters: BTreeMap<String, String>,
) -> Result<Report, Vec<Problem>> {
    let suite = Suite::new(Arc::clone(&design), parameters).await?;
    let plain = suite.plain()?;
    let comparison = Comparison::new(&plain);
    let program = Arc::clone(&plain.shared().program);
    let mut report = Report::new(&program);
    for at in 0..suite.tests().len() {
        let mut used: Option<Arc<Meter>> = None;
        let wrap = |engine: Embedded| {
            let meter = Arc::new(Meter::new(engine));
            used = Some(Arc::clone(&meter));
            Wrapped { backend: Arc::clone(&meter) as Arc<dyn Backend>, scheduler: None, calls: Some(meter) }
        };
        suite.run_wrapped(at, wrap).await;
        for call in used.iter().flat_map(|meter| meter.calls()) {
            report.add(&program, comparison, &call.name, &call.requests, call.failed.as_deref());
        }
    }
    Ok(report)
}

/// Fills the tables of a design in memory with at most so many items of a kind, and calls every pattern and operation a
/// number of times. The seed decides everything.
pub async fn trial(
    design: Arc<Design>,
    parameters: BTreeMap<String, String>,
    most: u64,
    calls: u64,
    seed: u64,
) -> Result<Report, Failure> {
    let broken = |what: String| Failure::new(FailureKind::Internal, what);
    let naming = Naming { prefix: None, parameters: parameters.clone() };
    let engine = Engine::memory(sortkey_engine::Settings {
        seed,
        // No expiry in the background: only the calls themselves are measured.
        expiry_interval: None,
        ..sortkey_engine::Settings::default()
    });
    engine.stop_clock_at(LATEST_MS);
    let clock = Arc::new(Embedded::new(engine.clone()));
    let meter = Arc::new(Meter::new(Embedded::new(engine)));
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    let deployed = deploy(&design, &naming, &*meter, &pause, &mut |_| {}).await;
    deployed.map_err(|error| broken(format!("{error:?}")))?;
    let random = |error: KeyError| broken(error.to_string());
    let settings = Settings {
        clock,
        ids: Arc::new(Ids::seeded(seed)),
        parameters,
        bcrypt_cost: 4,
        ..ephemeral().map_err(random)?
    };
    let backend: Arc<dyn Backend> = Arc::clone(&meter) as Arc<dyn Backend>;
    let runtime = Runtime::new(Arc::clone(&design), backend, settings)
        .map_err(|problems| broken(problems.into_iter().map(|each| each.message).collect()))?;
    let comparison = Comparison::new(&runtime);
    let program = &runtime.shared().program;
    let report = Mutex::new(Report::new(program));
    let mut called = |callee: Callee, failure: Option<&Failure>| {
        let failed = failure.map(|failure| failure.kind.name());
        report.lock().add(program, comparison, program.name(callee), &meter.take(), failed);
    };
    let ids = Ids::seeded(seed);
    let (mut dice, mut pool) = (Dice::generous(&ids), Pool::default());
    plant(&runtime, most, &mut dice, &mut pool, &mut called, &mut |_| {}).await.map_err(random)?;
    // Arguments are random, so that many calls fail: callees that never succeeded are tried more often.
    for round in 0..calls.saturating_mul(PATIENCE) {
        for callee in program.callees() {
            if round >= calls && report.lock().has_succeeded(program.name(callee)) {
                continue;
            }
            let about = match subject(program, callee) {
                Some(entity) => pool.pick(&program.entities[entity].name, &mut dice).map_err(random)?,
                None => None,
            };
            let story = Story::about(program, &pool, about);
            let told = tell(&runtime, callee, story, &mut dice).await.map_err(random)?;
            called(callee, told.answer.as_ref().err());
        }
    }
    Ok(report.into_inner())
}

/// The entity that a pattern or an operation is about.
fn subject(program: &Program, callee: Callee) -> Option<EntityId> {
    match callee {
        Callee::Pattern(id) => program.patterns[id].entities.first().copied(),
        Callee::Operation(id) => actions(&program.operations[id]).first().map(|action| action.entity),
        Callee::Effect(_) => None,
    }
}
