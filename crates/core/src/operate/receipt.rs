//! Receipts: what makes a repeated operation harmless.
//!
//! The last write of an idempotent operation carries a receipt, an item in the table it writes first whose key is
//! `receipt#operation#value`. A repeat fails on it, finds it, and returns the result that it remembers (`answer.rs`). A call
//! that brings other arguments is no repeat, and is refused: its result is not the first one's, and somebody would lose what
//! they sent.
//!
//! There is no receipt before the last write, so that a call which fails halfway never finds one: it answers its own error,
//! and a repeat runs again (`plan` names the write, `ReceiptCourse`). A call that is interrupted behind its last write,
//! before its result is known, leaves the items that it has bound; a repeat goes on from there.

mod answer;
mod fingerprint;

use sortkey_design::program::{Expr, ExprKind, Id, LocalId, Operation, Statement, StatementKind};
use sortkey_plan::{ReceiptCourse, bound_before_the_end, receipt_home};
use sortkey_value::{AttributeValue, Map, ValueRef};

pub(super) use self::answer::{Earlier, Noted};
use self::fingerprint::Fingerprint;
pub(super) use self::fingerprint::{fingerprint, is_delivery};
use super::Runner;
use crate::catalog::{EntityInfo, RECEIPT};
use crate::evaluate::Scope;
use crate::session::Session;
use crate::template::{canonical, escape};
use crate::values::Val;
use crate::write::{Act, Test, Write};
use crate::{Failure, FailureKind, guard};

/// The default time for which a receipt is kept.
const DAY_MS: u64 = 86_400_000;
const EXPIRES: &str = "expires";
const ARGUMENTS: &str = "arguments";

/// A receipt that is due.
#[derive(Clone, Debug)]
pub(crate) struct Receipt {
    /// The values of the parameters that the operation is idempotent by, its scope first.
    value: String,
    period_ms: u64,
    arguments: Fingerprint,
}

impl Receipt {
    /// The receipt of an operation; none if it is not idempotent, or the caller names nothing to repeat by.
    pub(super) fn of(operation: &Operation, scope: &Scope<'_>, arguments: Fingerprint) -> Option<Receipt> {
        let idempotent = operation.idempotent.as_ref()?;
        receipt_home(operation)?;
        let mut values = Vec::with_capacity(idempotent.by.len());
        for id in &idempotent.by {
            let value = scope.get(operation.signature.parameters[*id].local)?;
            values.push(escape(&canonical(None, value)?, &['#']));
        }
        let period_ms = idempotent.period_ms.unwrap_or(DAY_MS);
        Some(Receipt { value: values.join("#"), period_ms, arguments })
    }

    /// The receipt as one more item of the last write, and what it remembers. `yields` is the result of the write, and whether
    /// it is all that will be stored; what is bound to `unsure` is not.
    pub(super) fn write(
        &self,
        runner: &Runner<'_, '_>,
        scope: &Scope<'_>,
        (yields, is_exact): (&Val, bool),
        unsure: &[LocalId],
    ) -> Result<(Write, Noted), Failure> {
        let operation =
            runner.operation.ok_or_else(|| Failure::internal("a receipt belongs to an operation"))?;
        let (info, key) = self.place(scope, operation)?;
        let carrier = runner.course.carrier.map_or(operation.body.len(), |at| at + 1);
        let (body, rest) = operation.body.split_at(carrier);
        let own = body.last().and_then(bound);
        let noted = match rest {
            [] => Noted::of(scope, info, key, yields.clone(), is_exact)?,
            [Statement { kind: StatementKind::Return(Expr { kind: ExprKind::Local(id), .. }), .. }]
                if own == Some(*id) =>
            {
                Noted::of(scope, info, key, yields.clone(), is_exact)?
            }
            _ => {
                let mut scope = scope.clone();
                let mut open = unsure.to_vec();
                if let Some(own) = own {
                    scope.set(own, yields.clone());
                    open.extend(Some(own).filter(|_| !is_exact));
                }
                match rest {
                    [Statement { kind: StatementKind::Return(value), .. }]
                        if !is_open(&scope, operation, value, &open) =>
                    {
                        Noted::of(&scope, info, key, scope.eval(value, None)?, true)?
                    }
                    _ => Noted::interrupted(&scope, info, key, operation, runner.course, &open)?,
                }
            }
        };
        Ok((self.stored(scope, info, &noted)?, noted))
    }

    /// The receipt as a write of its own at the end of a call, which answers this.
    pub(super) fn alone(
        &self,
        runner: &Runner<'_, '_>,
        scope: &Scope<'_>,
        value: &Val,
    ) -> Result<(Write, Noted), Failure> {
        let operation =
            runner.operation.ok_or_else(|| Failure::internal("a receipt belongs to an operation"))?;
        let (info, key) = self.place(scope, operation)?;
        let noted = Noted::of(scope, info, key, value.clone(), true)?;
        Ok((self.stored(scope, info, &noted)?, noted))
    }

    fn stored(&self, scope: &Scope<'_>, info: &EntityInfo, noted: &Noted) -> Result<Write, Failure> {
        let key = noted.key().clone();
        let mut item = key.clone();
        let until_ms = scope.now_ms.saturating_add_unsigned(self.period_ms);
        item.insert(info.aside(EXPIRES), AttributeValue::from(until_ms.div_euclid(1_000)));
        item.insert(info.aside(ARGUMENTS), AttributeValue::B(self.arguments.to_vec()));
        let program = &scope.shared.program;
        if let Some(ttl) = info.of(program).ttl
            && let Some(value) = info.encode(program, ttl, &Val::Time(until_ms))
        {
            item.insert(info.name_of(ttl).to_string(), value);
        }
        item.extend(noted.stored());
        let mut write = Write::new(info, key, Act::Put(item.into()));
        let repeated = Failure::new(FailureKind::AlreadyExists, "this was already carried out");
        write.demand(scope, Test::Passed(info.aside(EXPIRES)), repeated)?;
        Ok(write)
    }

    /// The receipt of an earlier call with the same key.
    pub(super) async fn found(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        operation: &Operation,
        course: ReceiptCourse,
    ) -> Result<Option<Earlier>, Failure> {
        let (info, key) = self.place(scope, operation)?;
        let Some(receipt) = session.get(&info.table, key, true).await? else { return Ok(None) };
        let passed = match receipt.get(&info.aside(EXPIRES)) {
            Some(ValueRef::N(until)) => until.to_i64().is_none_or(|until| until * 1_000 <= scope.now_ms),
            _ => true,
        };
        if passed {
            return Ok(None);
        }
        if let (Some(ValueRef::B(first)), Some(token)) = (
            receipt.get(&info.aside(ARGUMENTS)),
            operation.idempotent.iter().flat_map(|each| &each.by).last(),
        ) && *first != self.arguments
        {
            let name = &operation.signature.parameters[*token].name;
            let why = format!("`{name}` was used before, with other arguments; a new call needs a new one");
            return Err(Failure::invalid(&**name, why));
        }
        let bound = bound_before_the_end(operation, course);
        answer::earlier(session, scope, info, &receipt, &bound).await.map(Some)
    }

    /// The entity and the key of the receipt.
    pub(super) fn place<'a>(
        &self,
        scope: &Scope<'a>,
        operation: &Operation,
    ) -> Result<(&'a EntityInfo, Map), Failure> {
        let home = receipt_home(operation);
        let home = home.ok_or_else(|| Failure::internal("an idempotent operation writes something"))?;
        let info = &scope.shared.entities[home];
        // A caller's receipts are the caller's own.
        let owner = scope
            .caller
            .iter()
            .flat_map(|caller| caller.iter())
            .filter_map(|(_, value)| canonical(None, value));
        let owner: Vec<String> = owner.map(|value| escape(&value, &['#'])).collect();
        let whose = guard::bounded(format!("{}#{}", owner.join("#"), self.value));
        let text = format!("{RECEIPT}{}#{whose}", operation.name);
        Ok((info, guard::reserved_key(scope, info, &text)))
    }
}

/// The local that a statement binds.
fn bound(statement: &Statement) -> Option<LocalId> {
    match statement.kind {
        StatementKind::Let { local, .. } => Some(local),
        _ => None,
    }
}

/// Whether an expression uses something that is still to be made, or a result of the database.
fn is_open(scope: &Scope<'_>, operation: &Operation, expr: &Expr, unsure: &[LocalId]) -> bool {
    let parameters = operation.signature.parameters.len();
    let is_open_local =
        |id: &LocalId| id.at() >= parameters && (scope.get(*id).is_none() || unsure.contains(id));
    let mut open = expr.makes_requests();
    expr.walk(&mut |each| {
        open |= match &each.kind {
            ExprKind::Local(id) => is_open_local(id),
            ExprKind::Object { spreads, .. } => spreads.iter().any(is_open_local),
            _ => false,
        };
    });
    open
}
