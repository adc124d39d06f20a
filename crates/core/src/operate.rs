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
mod once;
mod perform;
mod plain;
mod receipt;
mod refused;
mod requires;
mod rules;
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
use sortkey_design::program::{Action, Operation, Statement, StatementKind, Value};
use sortkey_plan::ReceiptCourse;

use self::receipt::{Noted, Receipt};
use self::refused::{looked_for, raised};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Val;
use crate::write;
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
    /// Put into the write that is next, the last of the operation.
    receipt: Mutex<Option<Receipt>>,
    /// How the receipt comes about.
    course: ReceiptCourse,
    /// The receipt that was written.
    noted: Mutex<Option<Noted>>,
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
        Runner {
            session,
            operation,
            receipt: Mutex::new(None),
            course: ReceiptCourse::default(),
            noted: Mutex::new(None),
            is_test: operation.is_none(),
            calls: None,
        }
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
}
