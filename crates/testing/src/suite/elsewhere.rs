//! A test on a remote DynamoDB: on tables of its own, which are deleted with it.
//!
//! Nothing can be forked there, so every test creates the design's tables under a prefix that nobody else uses. Its clock
//! is stopped at the present, since a remote DynamoDB removes items that are expired by its own clock.

use std::sync::Arc;
use std::time::Duration;

use sortkey_api::operations::{DeleteTableInput, UpdateTableInput};
use sortkey_design::model::Test;

use super::effects::Stubs;
use super::{Outcome, Suite, failed, statement, undeployed};
use sortkey_core::{Backend, Clock as _, Pending, Problem, Requests as _, Runtime, Settings};
use sortkey_deploy::deploy;
use sortkey_embedded::{SystemClock, pause};

impl Suite {
    /// Runs one test, by its place, on a backend. The tables that it creates begin with `prefix`, and are deleted.
    pub async fn run_on(&self, at: usize, backend: Arc<dyn Backend>, prefix: &str) -> Outcome {
        let Some(test) = self.design.tests.get(at) else {
            return Outcome { title: String::new(), failure: None };
        };
        let mut made = Vec::new();
        let failure = self.on(test, at, &backend, prefix, &mut made).await;
        for table in &made {
            remove(backend.as_ref(), table).await;
        }
        Outcome { title: test.title.clone(), failure }
    }

    async fn on(
        &self,
        test: &Test,
        at: usize,
        backend: &Arc<dyn Backend>,
        prefix: &str,
        made: &mut Vec<String>,
    ) -> Option<sortkey_diagnostics::Diagnostic> {
        // The engine is empty here and lends its clock.
        let Some(clock) = self.engine.fork() else {
            return Some(failed(test.span, "the clock of the tests cannot be forked"));
        };
        clock.stop_clock_at(SystemClock.now_ms() / 1_000 * 1_000);
        let stubs = Arc::new(Stubs::default());
        let settings = match self.settings(&clock, &test.title) {
            Ok(settings) => Settings {
                table_prefix: Some(prefix.to_owned()),
                effects: Arc::<Stubs>::clone(&stubs),
                ..settings
            },
            Err(problem) => return Some(failed(problem.span, problem.message)),
        };
        let wait = |length: Duration| -> Pending<'_, ()> {
            Box::pin(async move {
                pause(length).await;
                Ok(())
            })
        };
        let first = |problems: Vec<Problem>| {
            problems.into_iter().next().map(|problem| failed(test.span, problem.message))
        };
        match deploy(&self.design, &settings.naming(), backend.as_ref(), &wait, &mut |_| {}).await {
            Ok(deployed) => made.extend(deployed.tables),
            Err(error) => return first(undeployed(error)),
        }
        match Runtime::of_program(Arc::clone(&self.program), Arc::clone(backend), settings) {
            Ok(runtime) => statement::run(&runtime, &clock, &stubs, at, None, None).await.err(),
            Err(problems) => first(problems),
        }
    }
}

/// Deletes a table of a test. A table that is left over harms nothing, so an error does not fail the test.
async fn remove(backend: &dyn Backend, table: &str) {
    let unprotected = UpdateTableInput {
        table_name: table.into(),
        deletion_protection_enabled: Some(false),
        ..UpdateTableInput::default()
    };
    let _ = backend.update_table(unprotected).await;
    let _ = backend.delete_table(DeleteTableInput { table_name: table.into() }).await;
}
