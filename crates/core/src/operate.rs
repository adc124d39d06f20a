//! Operations: statements carried out one after the other.
//!
//! A block evaluates values, a value may call an operation, and an operation is a block again. This recursion is bounded:
//! the parser bounds how deep blocks and expressions nest, and the compiler refuses calls that go in a circle or nest more
//! than 32 deep (`elaborate/circles.rs` of `design`).

mod batch;
mod call;
mod caller;
mod cascade;
mod each;
mod given;
mod made;
mod notes;
mod plain;
mod receipt;
mod refused;
mod requires;
mod settle;
mod transact;
mod uncount;
mod version;

pub(crate) use call::{Outcome, operation, pattern, value_of};
pub use caller::caller;
pub(crate) use cascade::{Cascade, cascades};
pub(crate) use given::{Given, admit_all, admit_computed, bind};
pub(crate) use plain::created;
pub(crate) use version::expected;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value as Json;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, EntityId, Operation, Statement, StatementKind, Value};
use sortkey_plan::is_result_seen;
use sortkey_value::Item;

use self::receipt::Receipt;
use self::refused::{again_and_again, looked_for, raised};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::{Fields, Val};
use crate::write::{self, ATTEMPTS, Answers, Prepared, Refusal};
use crate::{Failure, FailureKind};

/// Called before and after each call that a test makes.
pub trait Calls: Send + Sync {
    /// A pattern or an operation is about to be called.
    fn begun(&self, name: &str);
    /// The call that began last and has not ended is over; `failed` is the name of its failure.
    fn ended(&self, failed: Option<&str>);
    /// Whether [`made`](Calls::made) is to be called with what every call is given.
    fn records(&self) -> bool {
        false
    }
    /// The call that began last, as a client would make it.
    fn made(&self, _call: Made) {}
}

/// A call of a test as a client would make it.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The pattern or operation.
    pub name: String,
    /// The caller; none for the system.
    pub caller: Option<Json>,
    /// Its arguments by name.
    pub arguments: Json,
    /// Whether only a test can make it: outside of `as`, a test may call what needs a caller without one.
    pub is_of_tests: bool,
}

/// Carries out statements.
pub struct Runner<'s, 'a> {
    pub(crate) session: &'s Session<'a>,
    /// The operation, if it is not a test that runs.
    pub(crate) operation: Option<&'a Operation>,
    /// Put into the first transaction.
    receipt: Mutex<Option<Receipt>>,
    /// Whether this is a test: it sees what clients see, pages and hidden secrets included.
    pub(crate) is_test: bool,
    /// Observes the calls of a test.
    calls: Option<&'s dyn Calls>,
}

/// The consequence of a statement.
pub enum Flow {
    /// The next statement, with what this one yielded.
    Next(Val),
    /// The end.
    Return(Val),
}

impl<'s, 'a> Runner<'s, 'a> {
    fn new(session: &'s Session<'a>, operation: Option<&'a Operation>) -> Runner<'s, 'a> {
        Runner { session, operation, receipt: Mutex::new(None), is_test: operation.is_none(), calls: None }
    }

    /// A runner of the statements of a test, which sees what clients see. Its calls can be observed.
    pub fn of_test(session: &'s Session<'a>, calls: Option<&'s dyn Calls>) -> Runner<'s, 'a> {
        Runner { calls, ..Runner::new(session, None) }
    }

    /// Statements in order; the value of the last is the value of all.
    pub fn block<'f>(
        &'f self,
        scope: &'f mut Scope<'a>,
        statements: &'a [Statement],
    ) -> BoxFuture<'f, Result<Flow, Failure>> {
        Box::pin(async move {
            let mut value = Val::Absent;
            for statement in statements {
                match self.statement(scope, statement).await? {
                    Flow::Next(next) => value = next,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                }
            }
            Ok(Flow::Next(value))
        })
    }

    async fn statement(&self, scope: &mut Scope<'a>, statement: &'a Statement) -> Result<Flow, Failure> {
        let program = &scope.shared.program;
        Ok(Flow::Next(match &statement.kind {
            StatementKind::Let { local, name, value, error } => {
                let found = self.evaluate(scope, value).await?;
                if let (true, Some(error)) = (found.is_absent(), error) {
                    let what = looked_for(program, value);
                    let what = what.map_or_else(|| format!("`{name}`"), |entity| format!("such {entity}"));
                    return Err(raised(program, *error, format!("there is no {what}")));
                }
                scope.set(*local, found.clone());
                found
            }
            StatementKind::Do(value) => self.evaluate(scope, value).await?,
            StatementKind::Transact(body) => self.transact(scope, body).await?,
            StatementKind::Each { local, list, body } => {
                self.each(scope, *local, list, body).await?;
                Val::Absent
            }
            StatementKind::Require { condition, error } => {
                if !self.truth(scope, condition, None).await? {
                    let message = "a requirement of the operation does not hold";
                    let failure = Failure::new(FailureKind::CheckFailed, message);
                    return Err(write::declared(program, *error, failure));
                }
                Val::Absent
            }
            StatementKind::Return(value) => return Ok(Flow::Return(self.value(scope, value, None).await?)),
            // Statements of tests; the test runner takes them before they come here.
            StatementKind::Expect { .. }
            | StatementKind::Advance { .. }
            | StatementKind::As { .. }
            | StatementKind::Race { .. }
            | StatementKind::Given { .. }
            | StatementKind::Did { .. }
            | StatementKind::Work => Val::Absent,
        }))
    }

    /// An action or an expression.
    pub async fn evaluate(&self, scope: &mut Scope<'a>, value: &'a Value) -> Result<Val, Failure> {
        match value {
            Value::Expr(expr) => self.value(scope, expr, None).await,
            Value::Action(action) => {
                if let Some(when) = &action.when
                    && !self.truth(scope, when, None).await?
                {
                    return Ok(Val::Absent);
                }
                match action.verb {
                    WriteVerb::Get => self.get(scope, action).await,
                    _ => self.perform(scope, action).await,
                }
            }
        }
    }

    /// `get E(k)`: an item that is live and the caller's.
    async fn get(&self, scope: &mut Scope<'a>, action: &Action) -> Result<Val, Failure> {
        let info = &scope.shared.entities[action.entity];
        let known = write::key_fields(scope, info, action.key.as_ref(), None)?;
        let Some(key) = crate::read::key_of(scope, info, &known) else { return Ok(Val::Absent) };
        let item = self.session.get(&info.table, key.clone(), action.strong).await?;
        let found = match item {
            Some(item) => crate::read::live(scope, info, item)?,
            None => None,
        };
        match (found, action.error) {
            (Some(found), _) => Ok(found.into_val(scope)),
            (None, Some(error)) => {
                Err(raised(&scope.shared.program, error, format!("there is no such {}", info.name)))
            }
            (None, None) => {
                scope.miss(info.at, key);
                Ok(Val::Absent)
            }
        }
    }

    /// One action on its own.
    pub(crate) async fn perform(&self, scope: &mut Scope<'a>, action: &Action) -> Result<Val, Failure> {
        for attempt in 0..ATTEMPTS {
            scope.attempt = attempt;
            let prepared = write::prepare(self.session, scope, action).await;
            scope.attempt = 0;
            let mut prepared = prepared?;
            let note = self.note(scope, &mut prepared).await?;
            if scope.is_sweeping {
                self.sweep_prepared(scope, &mut prepared).await?;
            }
            let place = prepared.writes.first().map(|write| (write.entity, write.key.clone()));
            match self.send(scope, std::slice::from_mut(&mut prepared)).await {
                Ok(image) => {
                    self.carried_out(scope, &mut prepared, note.as_ref()).await?;
                    if image.is_none()
                        && let Some(stored) =
                            self.stored_now(scope, action, &prepared, place.as_ref()).await?
                    {
                        return Ok(stored);
                    }
                    return self.yielded(scope, place.map(|(at, _)| at), prepared, image);
                }
                Err(Refusal::Stale) => {}
                Err(Refusal::Failed(failure)) => {
                    self.refused(scope, &mut prepared, note.as_ref(), &failure).await?;
                    return Err(failure);
                }
            }
        }
        Err(again_and_again())
    }

    /// The item that a transaction stored, if the operation uses it and it was not known before.
    async fn stored_now(
        &self,
        scope: &Scope<'_>,
        action: &Action,
        prepared: &Prepared,
        place: Option<&(EntityId, Item)>,
    ) -> Result<Option<Val>, Failure> {
        let is_seen = self.operation.is_none_or(|operation| is_result_seen(operation, action));
        let Some((at, key)) = place.filter(|_| is_seen && !prepared.is_exact) else { return Ok(None) };
        let info = &scope.shared.entities[*at];
        let Some(item) = self.session.get(&info.table, key.clone(), true).await? else { return Ok(None) };
        let mut fields = info.decode_leniently(scope, &item);
        computed_after(scope, info, &mut fields)?;
        Ok(Some(Val::item(*at, fields)))
    }

    fn yielded(
        &self,
        scope: &Scope<'_>,
        at: Option<EntityId>,
        prepared: Prepared,
        image: Option<sortkey_value::Item>,
    ) -> Result<Val, Failure> {
        match (image, at) {
            (Some(image), Some(at)) if prepared.answers != Answers::Nothing => {
                let info = &scope.shared.entities[at];
                let mut fields = info.decode_leniently(scope, &image);
                computed_after(scope, info, &mut fields)?;
                Ok(Val::item(at, fields))
            }
            _ => Ok(prepared.yields),
        }
    }

    /// Sends what is prepared, which gives its writes away, with the receipt if one is due.
    async fn send(
        &self,
        scope: &Scope<'a>,
        prepared: &mut [Prepared],
    ) -> Result<Option<sortkey_value::Item>, Refusal> {
        let mut writes: Vec<write::Write> = match &mut *prepared {
            [one] => std::mem::take(&mut one.writes),
            many => many.iter_mut().flat_map(|each| std::mem::take(&mut each.writes)).collect(),
        };
        let answers = prepared.first().map_or(Answers::Nothing, |each| each.answers);
        let due = self.receipt.lock().take();
        if let Some(receipt) = &due {
            let yields = prepared.first().map(|each| &each.yields);
            writes.push(receipt.write(self, scope, yields)?);
        }
        let sent = write::send(self.session, scope, writes, answers).await;
        if sent.is_err() {
            *self.receipt.lock() = due;
        }
        sent
    }
}

/// Adds what is computed to an item that has been written. A value that is not of its type does not undo the write: it is
/// left out here, and is an error when the item is read.
fn computed_after(scope: &Scope<'_>, info: &EntityInfo, fields: &mut Fields) -> Result<(), Failure> {
    match crate::read::add_virtual(scope, info, fields) {
        Err(failure) if failure.kind == FailureKind::CheckFailed => Ok(()),
        added => added,
    }
}
