//! Calls of patterns, operations, rules and entities.

use futures_util::future::BoxFuture;
use sortkey_design::program::{self, BindValue, Bound, Callee, EntityId, OperationId};
use sortkey_plan::{ReceiptCourse, receipt_course};
use sortkey_value::Item;

use super::given::{Given, admit_computed, bind, by_name, unknown};
use super::made::made;
use super::receipt::{self, Receipt};
use super::{Runner, plain};
use crate::answer::{public, select};
use crate::evaluate::{Scope, View};
use crate::read::{Found, Hit, Paging, Read};
use crate::session::Session;
use crate::values::Val;
use crate::{Failure, FailureKind};

impl<'a> Runner<'_, 'a> {
    /// A call of a pattern or an operation in an expression.
    pub(super) async fn call(
        &self,
        scope: &mut Scope<'a>,
        callee: Callee,
        arguments: &program::Arguments,
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let shared = scope.shared;
        let given = self.given(scope, callee, arguments, view).await?;
        let given = admit_computed(scope, callee, given)?;
        let mut inner = scope.fresh();
        inner.is_delivery = receipt::is_delivery(&shared.program, callee, arguments);
        if shared.program.is_system(callee) {
            inner.caller = None;
        }
        let name = shared.program.name(callee);
        if let Some(calls) = self.calls {
            calls.begun(name);
            if calls.records() {
                calls.made(made(scope, callee, &given));
            }
        }
        let value = self.answered(scope, inner, callee, given).await;
        if let Some(calls) = self.calls {
            calls.ended(value.as_ref().err().map(|failure| failure.kind.name()));
        }
        let value = value?;
        let selected = match callee {
            Callee::Pattern(id) => shared.reads[id].select.as_ref(),
            Callee::Operation(_) | Callee::Effect(_) => None,
        };
        match self.is_test {
            true => public(scope, value, selected),
            false => Ok(value),
        }
    }

    /// The answer of a pattern or an operation whose arguments are admitted.
    async fn answered(
        &self,
        scope: &mut Scope<'a>,
        mut inner: Scope<'a>,
        callee: Callee,
        given: Given,
    ) -> Result<Val, Failure> {
        Ok(match callee {
            Callee::Pattern(id) => {
                let read = &scope.shared.reads[id];
                bind(&mut inner, callee, given)?;
                let paging = Paging { to_the_end: !self.is_test, ..Paging::default() };
                let found = pattern(self.session, &mut inner, read, paging).await?;
                if let (Found::Item(None), Some(key)) = (&found, missed(&inner, read)) {
                    scope.miss(read.first(), key);
                }
                value_of(scope, found, read)?
            }
            Callee::Effect(id) => {
                // An effect outside cannot be undone: the operation does not start again from the beginning.
                self.session.wrote_something();
                let (result, is_answered) = crate::effects::perform(scope, id, given).await?;
                if !is_answered {
                    self.session.meets_trouble();
                }
                result
            }
            Callee::Operation(id) => match operation(self.session, inner, id, given).await? {
                Outcome::Value(value) => value,
                Outcome::Stored(entity, item) => {
                    let info = &scope.shared.entities[entity];
                    Val::item(entity, info.decode(&scope.shared.program, &item))
                }
            },
        })
    }

    /// The values of arguments; of what is copied, what the callee takes.
    async fn given(
        &self,
        scope: &mut Scope<'a>,
        callee: Callee,
        arguments: &program::Arguments,
        view: Option<View<'_>>,
    ) -> Result<Given, Failure> {
        let signature = scope.shared.program.signature(callee);
        if let Some(name) = arguments.unknown.first() {
            return Err(unknown(&scope.shared.program, callee, name));
        }
        let mut given = Given::with_capacity(arguments.values.len());
        for spread in &arguments.spreads {
            for (name, value) in scope.spread(*spread).into_iter().flatten() {
                given.extend(signature.find(name).map(|id| (id, value.clone())));
            }
        }
        for (id, value) in &arguments.values {
            given.push((*id, self.value(scope, value, view).await?));
        }
        Ok(given)
    }
}

/// Runs a pattern whose arguments are bound.
pub(crate) async fn pattern<'a>(
    session: &Session<'a>,
    scope: &mut Scope<'a>,
    read: &'a Read,
    paging: Paging<'_>,
) -> Result<Found, Failure> {
    if read.pattern.requires.is_none() {
        return read.run(session, scope, paging).await;
    }
    let runner = Runner::new(session, None);
    runner.before_read(scope, read).await?;
    if let Some(summary) = runner.summary(scope, read).await? {
        return Ok(summary);
    }
    let found = read.run(session, scope, paging).await?;
    runner.after_read(scope, read, found).await
}

/// The key of the item that a pattern looked for, if its arguments give it.
fn missed(scope: &Scope<'_>, read: &Read) -> Option<sortkey_value::Map> {
    let info = &scope.shared.entities[read.first()];
    let given = info.keys.iter().filter_map(|id| match read.pattern.bind(Bound::Attribute(*id))?.value {
        BindValue::Parameter(local) => Some((info.name_of(*id).clone(), scope.get(local)?.clone())),
        _ => None,
    });
    crate::read::key_of(scope, info, &given.collect())
}

/// The result of a pattern as a value; `select` keeps the named attributes.
pub(crate) fn value_of(scope: &Scope<'_>, found: Found, read: &Read) -> Result<Val, Failure> {
    let chosen = |hit: Hit| match (&read.select, hit.into_val(scope)) {
        (Some(chosen), Val::Item(mut record)) => {
            select(scope, &mut record, chosen)?;
            Ok(Val::Item(record))
        }
        (_, value) => Ok(value),
    };
    Ok(match found {
        Found::Item(item) => item.map_or(Ok(Val::Absent), chosen)?,
        Found::Items { items, .. } => {
            Val::List(items.into_iter().map(chosen).collect::<Result<_, Failure>>()?)
        }
        Found::Count(count) => Val::integer(count),
        Found::Exists(exists) => Val::Bool(exists),
        // One sum is a number, several are named.
        Found::Sums(sums) if sums.len() == 1 => sums.into_iter().next().map_or(Val::Absent, |(_, sum)| sum),
        Found::Sums(sums) => Val::Map(sums),
    })
}

/// The result of an operation.
pub(crate) enum Outcome {
    Value(Val),
    /// An item of an entity as it is stored; clients may see all of it.
    Stored(EntityId, Item),
}

/// Runs an operation.
pub(crate) async fn operation<'a>(
    session: &Session<'a>,
    scope: Scope<'a>,
    id: OperationId,
    given: Given,
) -> Result<Outcome, Failure> {
    // An operation that makes no calls needs no future of its own on the heap, which would be a large one.
    let Some(entity) = scope.shared.created[id] else {
        return composed(session, scope, id, given).await;
    };
    let operation = &scope.shared.program.operations[id];
    let fields = by_name(&operation.signature, given);
    let item = plain::create(session, &scope, entity, operation, fields).await?;
    Ok(Outcome::Stored(entity, item))
}

/// Runs an operation of statements, which may call others. If somebody else changed what it read, and nothing was written yet,
/// it starts again.
fn composed<'f, 'a>(
    session: &'f Session<'a>,
    mut scope: Scope<'a>,
    id: OperationId,
    given: Given,
) -> BoxFuture<'f, Result<Outcome, Failure>>
where
    'a: 'f,
{
    Box::pin(async move {
        let operation = &scope.shared.program.operations[id];
        let fingerprint = receipt::fingerprint(&scope, operation, &given);
        bind(&mut scope, Callee::Operation(id), given)?;
        let bound = scope.mark();
        let mut attempt = 0;
        loop {
            attempt += 1;
            scope.forget_since(bound);
            let receipt = Receipt::of(operation, &scope, fingerprint);
            let course = match receipt {
                Some(_) => receipt_course(&scope.shared.program, operation),
                None => ReceiptCourse::default(),
            };
            let runner = Runner { course, ..Runner::new(session, Some(operation)) };
            let written = session.writes();
            let mut failure = match runner.body(&mut scope, operation, receipt.as_ref()).await {
                Ok(value) => {
                    let noted = runner.noted.lock().take();
                    if let (Some(noted), Some(receipt)) = (noted, &receipt) {
                        let (home, _) = receipt.place(&scope, operation)?;
                        noted.complete(session, &scope, home, &value).await?;
                    }
                    return Ok(Outcome::Value(value));
                }
                Err(failure) => failure,
            };
            if failure.kind == FailureKind::Conflict
                && attempt < crate::write::ATTEMPTS
                && session.writes() == written
            {
                continue;
            }
            // A repeat of a completed call may fail anywhere; its receipt shows that it was completed. The receipt that this call
            // has written itself shows nothing of the kind.
            let is_own = runner.noted.lock().is_some();
            if let Some(receipt) = receipt.filter(|_| !is_own) {
                match runner.earlier(&mut scope, operation, &receipt).await {
                    Ok(Some(value)) => return Ok(Outcome::Value(value)),
                    Ok(None) => {}
                    Err(later) => failure = later,
                }
            }
            for (error, handler) in &operation.handlers {
                if scope.shared.errors[*error] == failure.kind {
                    runner.block(&mut scope, handler).await?;
                }
            }
            return Err(failure);
        }
    })
}
