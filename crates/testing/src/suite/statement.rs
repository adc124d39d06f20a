//! The statements of tests.

use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};
use sortkey_design::program::{
    AttributeId, EffectId, ErrorId, Expr, ExprKind, ParameterId, Statement, StatementKind, Value,
};
use sortkey_diagnostics::Diagnostic;
use sortkey_engine::Engine;

use super::effects::{Prepared, Stubs};
use super::failed;
use super::race::Scheduler;
use super::show::{compared, shown};
use sortkey_core::internals::{
    Admit, Calls, Fields, Origin, Runner, Scope, Session, Val, caller, public, to_json,
};
use sortkey_core::{Failure, Runtime};
use sortkey_work::Work;

/// A test that is being run.
struct Test<'a> {
    runtime: &'a Runtime,
    engine: &'a Engine,
    /// The prepared results of effects.
    stubs: &'a Stubs,
    /// Runs the workers.
    work: Work,
    /// Decides the order of races; none where the backend does.
    scheduler: Option<&'a Scheduler>,
    /// Observes its calls.
    calls: Option<&'a dyn Calls>,
    /// Called when items past their time have been deleted.
    expired: &'a (dyn Fn() + Sync),
}

/// The order and the observer of a test.
pub(super) struct Watch<'a> {
    /// Decides the order of races; none where the backend does.
    pub(super) scheduler: Option<&'a Scheduler>,
    /// Observes its calls.
    pub(super) calls: Option<&'a dyn Calls>,
    /// Called when items past their time have been deleted.
    pub(super) expired: &'a (dyn Fn() + Sync),
}

impl Default for Watch<'_> {
    fn default() -> Self {
        Watch { scheduler: None, calls: None, expired: &|| () }
    }
}

/// Runs a test of a design, by its place.
pub(super) async fn run(
    runtime: &Runtime,
    engine: &Engine,
    stubs: &Stubs,
    at: usize,
    watch: Watch<'_>,
) -> Result<(), Diagnostic> {
    let Some(test) = runtime.shared().program.tests.get(at) else { return Ok(()) };
    let mut scope = runtime.scope(None);
    let no_work = |failure: Failure| failed(sortkey_diagnostics::Span::default(), failure.message);
    let work = Work::new(runtime.clone(), Arc::new(|_, _, _| {})).map_err(no_work)?;
    let Watch { scheduler, calls, expired } = watch;
    Test { runtime, engine, stubs, work, scheduler, calls, expired }.block(&mut scope, &test.body).await
}

impl<'a> Test<'a> {
    fn block<'f>(
        &'f self,
        scope: &'f mut Scope<'a>,
        statements: &'a [Statement],
    ) -> BoxFuture<'f, Result<(), Diagnostic>> {
        Box::pin(async move {
            for statement in statements {
                self.statement(scope, statement).await?;
            }
            Ok(())
        })
    }

    async fn statement(&self, scope: &mut Scope<'a>, statement: &'a Statement) -> Result<(), Diagnostic> {
        match &statement.kind {
            StatementKind::Let { local, name, value, error } => {
                let value =
                    self.value(scope, value).await.map_err(|failure| unexpected(statement, &failure))?;
                if let (true, Some(error)) = (value.is_absent(), error) {
                    let error = self.error(*error);
                    return Err(failed(statement.span, format!("`{name}` is absent: {error}")));
                }
                scope.set(*local, value);
            }
            StatementKind::Do(value) => {
                self.value(scope, value).await.map_err(|failure| unexpected(statement, &failure))?;
            }
            StatementKind::Expect { value, fails, using } => {
                self.expect(scope, statement, value, *fails, *using).await?;
            }
            StatementKind::Advance { by_ms } => {
                self.engine.advance_clock(i64::try_from(*by_ms).unwrap_or(i64::MAX));
                scope.now_ms = self.runtime.scope(None).now_ms;
            }
            StatementKind::Given { effect, arguments, result, fails } => {
                let prepared = self
                    .prepared(scope, *effect, arguments, result.as_ref(), *fails)
                    .map_err(|failure| unexpected(statement, &failure))?;
                self.stubs.prepare(prepared);
            }
            StatementKind::Did { effect, arguments, times } => {
                if let Some(problem) = self.did(scope, statement, *effect, arguments, *times) {
                    return Err(problem);
                }
            }
            StatementKind::Work => {
                // Expired items are deleted now, so that workers triggered by that can be tested.
                let expired = self.engine.expire_now();
                expired.map_err(|error| failed(statement.span, error.message))?;
                (self.expired)();
                let settled = self.work.settle().await;
                if let Some(effect) = self.stubs.unprepared() {
                    let title = "an effect was done, and no `given` says what comes of it";
                    return Err(failed(statement.span, title).note(effect));
                }
                settled.map_err(|failure| unexpected(statement, &failure))?;
            }
            StatementKind::As { caller, body } => {
                let fields = self.caller(scope, caller).map_err(|failure| unexpected(statement, &failure))?;
                let before = scope.caller.replace(fields);
                let done = self.block(scope, body).await;
                scope.caller = before;
                done?;
            }
            StatementKind::Race { bodies, succeeds } => {
                self.race(scope, statement, bodies, *succeeds).await?
            }
            _ => {
                let session = self.runtime.session();
                let runner = Runner::of_test(&session, self.calls);
                let one = std::slice::from_ref(statement);
                runner.block(scope, one).await.map_err(|failure| unexpected(statement, &failure))?;
            }
        }
        Ok(())
    }

    fn prepared(
        &self,
        scope: &Scope<'a>,
        effect: EffectId,
        arguments: &[(ParameterId, Expr)],
        result: Option<&Expr>,
        fails: Option<ErrorId>,
    ) -> Result<Prepared, Failure> {
        let program = self.runtime.program();
        let declared = &program.effects[effect];
        let outcome = match (result, fails) {
            (_, Some(error)) => Err(self.error(error).to_owned()),
            (Some(result), _) => Ok(to_json(program, &declared.result, &scope.eval(result, None)?)),
            (None, None) => Ok(serde_json::json!({})),
        };
        let arguments = self.arguments(scope, effect, arguments)?;
        Ok(Prepared { effect: declared.name.to_string(), arguments, outcome })
    }

    /// Arguments of an effect as it would get them.
    fn arguments(
        &self,
        scope: &Scope<'a>,
        effect: EffectId,
        arguments: &[(ParameterId, Expr)],
    ) -> Result<serde_json::Value, Failure> {
        let program = self.runtime.program();
        let parameters = &program.effects[effect].signature.parameters;
        let one = |(id, value): &(ParameterId, Expr)| {
            let parameter = &parameters[*id];
            let value = scope.eval(value, None)?;
            let value = Admit::computed(scope).value(&parameter.ty, value, &parameter.name)?;
            Ok((parameter.name.to_string(), to_json(program, &parameter.ty, &value)))
        };
        arguments
            .iter()
            .map(one)
            .collect::<Result<serde_json::Map<_, _>, Failure>>()
            .map(serde_json::Value::Object)
    }

    /// The problem with the claim that an effect was done; none if it was.
    fn did(
        &self,
        scope: &Scope<'a>,
        statement: &Statement,
        effect: EffectId,
        arguments: &[(ParameterId, Expr)],
        times: Option<u64>,
    ) -> Option<Diagnostic> {
        let arguments = match self.arguments(scope, effect, arguments) {
            Ok(arguments) => arguments,
            Err(failure) => return Some(unexpected(statement, &failure)),
        };
        let name = &self.runtime.program().effects[effect].name;
        let count = self.stubs.count(name, &arguments);
        let is_right = times.map_or(count > 0, |times| times == count as u64);
        if is_right {
            return None;
        }
        let wanted = times.map_or("at least once".to_owned(), |times| format!("{times} times"));
        let title = format!("`{name}` was done {count} times, not {wanted}");
        let all = self.stubs.show(name);
        Some(all.into_iter().take(8).fold(failed(statement.span, title), Diagnostic::note))
    }

    /// The name of an error.
    fn error(&self, error: ErrorId) -> &'a str {
        &self.runtime.shared().program.errors[error]
    }

    fn caller(&self, scope: &Scope<'a>, parts: &[(AttributeId, Expr)]) -> Result<Arc<Fields>, Failure> {
        let mut fields = Fields::new();
        for (id, value) in parts {
            fields.insert(scope.shared.program.caller[*id].name.clone(), scope.eval(value, None)?);
        }
        caller(scope, fields, Origin::Expression, false)
    }

    async fn value(&self, scope: &mut Scope<'a>, value: &'a Value) -> Result<Val, Failure> {
        let session = self.runtime.session();
        self.measured(scope, value, &session).await
    }

    async fn measured(
        &self,
        scope: &mut Scope<'a>,
        value: &'a Value,
        session: &Session<'a>,
    ) -> Result<Val, Failure> {
        let value = Runner::of_test(session, self.calls).evaluate(scope, value).await?;
        public(scope, value)
    }

    async fn expect(
        &self,
        scope: &mut Scope<'a>,
        statement: &Statement,
        value: &'a Value,
        fails: Option<ErrorId>,
        using: Option<u64>,
    ) -> Result<(), Diagnostic> {
        let session = self.runtime.session();
        let outcome = self.measured(scope, value, &session).await;
        match (outcome, fails.map(|error| self.error(error))) {
            (Err(failure), Some(name)) if *name == *failure.kind.name() => {}
            (Err(failure), Some(name)) => {
                return Err(failed(
                    statement.span,
                    format!("this fails with {}, not with {name}", failure.kind.name()),
                )
                .note(failure.message));
            }
            (Ok(value), Some(name)) => {
                return Err(failed(statement.span, format!("this was expected to fail with {name}"))
                    .note(format!("It gave {}.", shown(scope, &value))));
            }
            (Err(failure), None) => return Err(unexpected(statement, &failure)),
            (Ok(Val::Bool(false)), None) => {
                let mut problem = failed(statement.span, "this does not hold");
                for note in self.sides(scope, value).await {
                    problem = problem.note(note);
                }
                return Err(problem);
            }
            (Ok(_), None) => {}
        }
        let requests = session.consumed().requests;
        match using {
            Some(expected) if expected != requests => {
                Err(failed(statement.span, format!("this took {requests} requests, not {expected}")))
            }
            _ => Ok(()),
        }
    }

    /// The two sides of a comparison, evaluated once more for the message.
    async fn sides(&self, scope: &mut Scope<'a>, value: &'a Value) -> Vec<String> {
        let Value::Expr(Expr { kind, .. }) = value else { return Vec::new() };
        let session = self.runtime.session();
        let runner = Runner::of_test(&session, self.calls);
        match kind {
            ExprKind::Binary { left, right, .. } => {
                let left = runner.value(scope, left, None).await;
                let right = runner.value(scope, right, None).await;
                match (left, right) {
                    (Ok(left), Ok(right)) => compared(scope, &left, &right),
                    _ => Vec::new(),
                }
            }
            ExprKind::Absent(operand) | ExprKind::Exists(operand) | ExprKind::Not(operand) => {
                match runner.value(scope, operand, None).await {
                    Ok(value) => vec![format!("It is {}.", shown(scope, &value))],
                    Err(_) => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    async fn race(
        &self,
        scope: &Scope<'a>,
        statement: &Statement,
        bodies: &'a [Vec<Statement>],
        succeeds: u64,
    ) -> Result<(), Diagnostic> {
        let runs = bodies.iter().map(|body| {
            let mut scope = scope.clone();
            let run: BoxFuture<'_, Result<(), Diagnostic>> =
                Box::pin(async move { self.block(&mut scope, body).await });
            run
        });
        let outcomes = match self.scheduler {
            Some(scheduler) => scheduler.race(runs.collect()).await,
            None => join_all(runs).await,
        };
        let succeeded = outcomes.iter().filter(|outcome| outcome.is_ok()).count() as u64;
        if succeeded == succeeds {
            return Ok(());
        }
        let mut problem = failed(statement.span, format!("{succeeded} of these succeeded, not {succeeds}"));
        for (at, outcome) in outcomes.into_iter().enumerate() {
            if let Err(outcome) = outcome {
                let why = outcome.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
                problem = problem.note(format!("branch {}: {}{why}", at + 1, outcome.title));
            }
        }
        Err(problem)
    }
}

fn unexpected(statement: &Statement, failure: &Failure) -> Diagnostic {
    let problem = failed(statement.span, format!("this fails with {}", failure.kind.name()));
    match &failure.field {
        Some(field) => problem.note(format!("{}: {}", field, failure.message)),
        None => problem.note(failure.message.clone()),
    }
}
