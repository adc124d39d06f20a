//! Runs the `test` blocks of a design: each on its own fork of an embedded database, with a stopped clock.
//!
//! A test sees what clients see: pages, failures by name, no secrets. Outside `as` it runs as `system`. A test with a `race`
//! runs once for every order of its requests.

mod effects;
mod elsewhere;
pub mod invariants;
mod mutants;
mod race;
mod reach;
mod record;
mod show;
mod statement;
mod survey;
#[cfg(test)]
mod walk;

use effects::Stubs;
pub use mutants::{Mutant, mutants};
use race::{Order, Scheduled, Scheduler, Taken};
pub use survey::{Survey, survey};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use sortkey_design::model::{StringFormat, Test, Type};
use sortkey_design::{Design, Program, TEST_FAILED};
use sortkey_diagnostics::{Diagnostic, Span};
use sortkey_engine::Engine;

use sortkey_core::internals::Calls;
use sortkey_core::{Backend, Ids, KeyError, Pending, Problem, Runtime, Settings};
use sortkey_deploy::{DeployError, deploy};
use sortkey_embedded::{Embedded, KeyFile, ephemeral};

/// When tests begin: a whole second, so that times of every unit agree. 2026-01-01T00:00:00Z.
const START_MS: u64 = 1_767_225_600_000;

/// The maximum number of orders of a race that are all tried.
const MOST_ORDERS: usize = 256;
/// How many further orders of a larger race are picked.
const PICKED_ORDERS: u64 = 64;

/// The tests of a design, with its tables already there.
pub struct Suite {
    design: Arc<Design>,
    /// Compiled once: a race runs its test hundreds of times.
    program: Arc<Program>,
    engine: Engine,
    parameters: BTreeMap<String, String>,
    /// How many requests each test may send; empty if that is not limited.
    limits: Vec<u64>,
}

/// The engine of a test, behind backends that observe or order its requests.
pub(crate) struct Wrapped {
    pub(crate) backend: Arc<dyn Backend>,
    /// Decides the order of races.
    pub(crate) scheduler: Option<Arc<Scheduler>>,
    /// Observes calls.
    pub(crate) calls: Option<Arc<dyn Calls>>,
}

/// The outcome of one test.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The sentence of the test.
    pub title: String,
    /// Why it failed; none if it passed.
    pub failure: Option<Diagnostic>,
}

impl Outcome {
    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl Suite {
    /// Creates the tables of a design in memory. Parameters without a value and without a default are called `test`.
    pub async fn new(
        design: Arc<Design>,
        mut parameters: BTreeMap<String, String>,
    ) -> Result<Suite, Vec<Problem>> {
        for parameter in design.parameters.iter().filter(|parameter| parameter.default.is_none()) {
            let plain = matches!(parameter.ty, Type::String { format: StringFormat::Plain, .. });
            if plain {
                parameters.entry(parameter.name.text.clone()).or_insert_with(|| "test".to_owned());
            }
        }
        let engine = Engine::memory(sortkey_engine::Settings {
            seed: 1,
            // Expired items stay in the table: a test shows that they are hidden, not that they are deleted.
            expiry_interval: None,
            ..sortkey_engine::Settings::default()
        });
        engine.stop_clock_at(START_MS);
        let program = Arc::new(Program::of(&design));
        let suite = Suite { design, program, engine, parameters, limits: Vec::new() };
        let backend = Embedded::new(suite.engine.clone());
        let naming = suite.settings(&suite.engine, "").map_err(|problem| vec![problem])?.naming();
        let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        deploy(&suite.design, &naming, &backend, &pause, &mut |_| {}).await.map_err(undeployed)?;
        // Fail early, once for all tests, if the design cannot run.
        suite.plain()?;
        Ok(suite)
    }

    /// The tests, in the order of the text.
    pub fn tests(&self) -> &[Test] {
        &self.design.tests
    }

    /// Runs one test, by its place: in every order of its races, or in many where there are too many. The failure is that of
    /// the first order that fails.
    pub async fn run(&self, at: usize) -> Outcome {
        let (mut outcome, mut taken) = self.run_in(at, &Order::default()).await;
        let further = Order::held_back(&taken).chain(Order::picked(PICKED_ORDERS));
        for _ in 1..MOST_ORDERS {
            let Some(next) = Order::after(&taken).filter(|_| outcome.passed()) else { return outcome };
            (outcome, taken) = self.run_in(at, &next).await;
        }
        for order in further {
            if !outcome.passed() {
                break;
            }
            (outcome, _) = self.run_in(at, &order).await;
        }
        outcome
    }

    /// Runs one test, by its place, in the order of its text: [`run`](Suite::run) tries the other orders of a race.
    pub async fn run_once(&self, at: usize) -> Outcome {
        self.run_in(at, &Order::default()).await.0
    }

    /// How many requests a test sends in the order of its text; none if it fails.
    async fn requests(&self, at: usize) -> Option<u64> {
        let scheduler = Arc::new(Scheduler::new(&Order::default(), None));
        let wrap = |inner| Wrapped {
            backend: Arc::new(Scheduled { inner, scheduler: Arc::clone(&scheduler) }),
            scheduler: Some(Arc::clone(&scheduler)),
            calls: None,
        };
        self.run_wrapped(at, wrap).await.passed().then(|| scheduler.sent())
    }

    /// Runs one test, by its place, in an order that a failure has shown.
    pub async fn replay(&self, at: usize, choices: &[usize]) -> Outcome {
        self.run_in(at, &Order { choices: choices.to_vec(), ..Order::default() }).await.0
    }

    async fn run_in(&self, at: usize, order: &Order) -> (Outcome, Taken) {
        let scheduler = Arc::new(Scheduler::new(order, self.limits.get(at).copied()));
        let wrap = |inner| Wrapped {
            backend: Arc::new(Scheduled { inner, scheduler: Arc::clone(&scheduler) }),
            scheduler: Some(Arc::clone(&scheduler)),
            calls: None,
        };
        let Some(mut outcome) = scheduler.within(self.run_wrapped(at, wrap)).await else {
            let failure = failed(Span::default(), "this test goes on without end");
            return (Outcome { title: String::new(), failure: Some(failure) }, scheduler.taken());
        };
        let taken = scheduler.taken();
        // An order without a choice is the only one, and not worth showing.
        if taken.chosen.iter().any(|(_, width)| *width > 1) {
            outcome.failure = outcome.failure.map(|failure| in_order(failure, &taken));
        }
        (outcome, taken)
    }

    /// Runs one test on a backend that wraps the engine.
    pub(crate) async fn run_wrapped(
        &self,
        at: usize,
        wrap: impl FnOnce(Embedded) -> Wrapped + Send,
    ) -> Outcome {
        let Some(test) = self.design.tests.get(at) else {
            return Outcome { title: String::new(), failure: None };
        };
        let outcome = |failure| Outcome { title: test.title.clone(), failure };
        let Some(engine) = self.engine.fork() else {
            return outcome(Some(failed(test.span, "the database of the tests cannot be forked")));
        };
        let Wrapped { backend, scheduler, calls } = wrap(Embedded::new(engine.clone()));
        let stubs = Arc::new(Stubs::default());
        let runtime = match self.runtime(&engine, &test.title, backend, &stubs) {
            Ok(runtime) => runtime,
            Err(problems) => {
                let first = problems.into_iter().next();
                return outcome(first.map(|problem| failed(problem.span, problem.message)));
            }
        };
        let watch = statement::Watch {
            scheduler: scheduler.as_deref(),
            calls: calls.as_deref(),
            ..statement::Watch::default()
        };
        let done = match statement::run(&runtime, &engine, &stubs, at, watch).await {
            Ok(()) => invariants::check(&runtime, test).await,
            failed => failed,
        };
        outcome(done.err())
    }

    /// The design on its empty tables.
    pub(crate) fn plain(&self) -> Result<Runtime, Vec<Problem>> {
        let backend = Arc::new(Embedded::new(self.engine.clone()));
        self.runtime(&self.engine, "", backend, &Arc::default())
    }

    fn runtime(
        &self,
        engine: &Engine,
        title: &str,
        backend: Arc<dyn Backend>,
        stubs: &Arc<Stubs>,
    ) -> Result<Runtime, Vec<Problem>> {
        let settings = self.settings(engine, title).map_err(|problem| vec![problem])?;
        let settings = Settings { effects: Arc::<Stubs>::clone(stubs), ..settings };
        Runtime::of_program(Arc::clone(&self.program), backend, settings)
    }

    fn settings(&self, engine: &Engine, title: &str) -> Result<Settings, Problem> {
        let no_keys = |error: KeyError| Problem { message: error.to_string(), span: Span::default() };
        let digest = Sha256::digest(title.as_bytes());
        let seed = digest.iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        Ok(Settings {
            clock: Arc::new(Embedded::new(engine.clone())),
            ids: Arc::new(Ids::seeded(seed)),
            keyring: Arc::new(KeyFile::from_key(digest.into())),
            parameters: self.parameters.clone(),
            // The cheapest that bcrypt allows: a test asks whether it is used, not whether it is slow.
            bcrypt_cost: 4,
            ..ephemeral().map_err(no_keys)?
        })
    }
}

fn undeployed(error: DeployError) -> Vec<Problem> {
    match error {
        DeployError::Refused(diagnostics) | DeployError::NotUnique(diagnostics) => diagnostics
            .into_iter()
            .map(|each| Problem { span: each.primary.span, message: each.title })
            .collect(),
        DeployError::Failed { table, doing, error } => {
            vec![Problem { message: format!("{table}: {doing}: {error}"), span: Span::default() }]
        }
        DeployError::Stopped { table, failure } => {
            vec![Problem { message: format!("{table}: {failure}"), span: Span::default() }]
        }
    }
}

/// A failure with the order of requests that led to it.
fn in_order(mut failure: Diagnostic, taken: &Taken) -> Diagnostic {
    let choices: Vec<String> = taken.chosen.iter().map(|(choice, _)| choice.to_string()).collect();
    failure = failure.note(format!("In this order (branch: request): {}", taken.log.join("; ")));
    failure.note(format!("Replay it with --order {}", choices.join(",")))
}

/// A test that failed at a place.
fn failed(span: Span, title: impl Into<String>) -> Diagnostic {
    TEST_FAILED.at(span, title)
}
