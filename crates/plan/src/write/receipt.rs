//! Receipts: what makes a repeat of an operation harmless, and what a repeat reads.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Action, Callee, EntityId, Expr, ExprKind, LocalId, Operation, Program, Statement, StatementKind, TableId,
    Value,
};

use super::after::may_be_first;
use super::{Parts, Plan};
use crate::actions::actions;
use crate::flow::Flow;
use crate::request::{Act, KEY_BYTES, Part, Request, Role, reserved_arms};

/// The entities that an operation writes, in order.
fn written(operation: &Operation) -> impl Iterator<Item = EntityId> {
    let writes = |action: &&Action| action.verb.writes();
    actions(operation).into_iter().filter(writes).map(|action| action.entity)
}

/// The entity whose table holds the receipts of an operation: the first that it writes.
pub fn receipt_home(operation: &Operation) -> Option<EntityId> {
    written(operation).next()
}

impl Plan<'_> {
    /// The receipt is part of the first write, so that a repeat finds it even if later writes failed.
    pub(super) fn add_receipt(&mut self, parts: &mut Parts, surely: bool) {
        if !self.receipt_due {
            return;
        }
        if let Some(table) = self.receipt_table() {
            let receipt = Part {
                act: Act::Put,
                table,
                role: Role::Receipt,
                sometimes: true,
                many: false,
                arms: reserved_arms(self.program, table),
                bytes: KEY_BYTES,
            };
            parts.push((receipt, format!("put receipt {}", self.operation.name)));
        }
        self.receipt_due = !surely;
    }

    fn receipt_table(&self) -> Option<TableId> {
        self.program.entities[receipt_home(self.operation)?].table
    }

    /// A receipt holds the result of its call. One more write adds a result that is computed by the database.
    pub(super) fn completed(&self) -> Flow {
        let is_due = self.operation.idempotent.is_some() && !is_known_at_once(self.program, self.operation);
        let Some(table) = self.receipt_table().filter(|_| is_due) else {
            return Flow::nothing();
        };
        let receipt = Part {
            act: Act::Update,
            table,
            role: Role::Receipt,
            sometimes: false,
            many: false,
            arms: Vec::new(),
            bytes: KEY_BYTES,
        };
        let what = format!("update receipt {} with what it returns", self.operation.name);
        let write = Request::write(vec![(receipt, what)]);
        Flow::Write { before: Box::new(Flow::nothing()), write }.maybe()
    }

    /// A repeat finds the receipt, and then what the first call made.
    pub(super) fn repeated(&self) -> Flow {
        let Some(table) = self.receipt_table() else {
            return Flow::nothing();
        };
        let receipt =
            Request::get((table, Role::Receipt), KEY_BYTES, true, format!("receipt {}", self.operation.name));
        let made = written(self.operation).map(|entity| {
            let name = &self.program.entities[entity].name;
            self.get(entity, true, format!("the {name} it names"))
        });
        Flow::Seq(vec![Flow::Send(receipt), Flow::Any(made.collect()).maybe()])
    }
}

/// Whether the result of an operation is known when its first write is sent: it makes one write, and returns what that creates,
/// or what was known before.
fn is_known_at_once(program: &Program, operation: &Operation) -> bool {
    let mut writing = operation.body.iter().filter(|statement| writes(statement));
    let (Some(write), None) = (writing.next(), writing.next()) else { return false };
    let Some(last) = operation.body.last() else { return false };
    match &last.kind {
        StatementKind::Return(Expr { kind: ExprKind::Local(local), .. }) if matches!(&write.kind, StatementKind::Let { local: bound, .. } if bound == local) => {
            is_exact(program, write)
        }
        StatementKind::Return(value) => {
            let before = operation.body.iter().take_while(|each| !std::ptr::eq(*each, write));
            let mut known: Vec<LocalId> = before.filter_map(bound).collect();
            known.extend(operation.signature.parameters.iter().map(|each| each.local));
            if let StatementKind::Transact(body) = &write.kind {
                known.extend(body.iter().filter(|each| is_exact(program, each)).filter_map(bound));
            }
            !value.makes_requests() && mentions(value).iter().all(|local| known.contains(local))
        }
        StatementKind::Transact(body) if std::ptr::eq(last, write) => {
            let mut makers = body.iter().filter_map(action).filter(|action| may_be_first(write, action));
            makers.all(|action| action.verb != WriteVerb::Upsert) && body.iter().all(|each| !is_each(each))
        }
        _ => std::ptr::eq(last, write) && is_exact(program, write),
    }
}

fn is_each(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Each { .. })
}

fn action(statement: &Statement) -> Option<&Action> {
    match &statement.kind {
        StatementKind::Do(Value::Action(action))
        | StatementKind::Let { value: Value::Action(action), .. } => Some(action),
        _ => None,
    }
}

fn bound(statement: &Statement) -> Option<LocalId> {
    match statement.kind {
        StatementKind::Let { local, .. } => Some(local),
        _ => None,
    }
}

/// Whether a statement may write: by itself, or by what it calls.
fn writes(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Do(value) => match value {
            Value::Action(action) => action.verb.writes(),
            Value::Expr(expr) => calls_operation(expr),
        },
        StatementKind::Transact(_) | StatementKind::Each { .. } => true,
        _ => false,
    }
}

fn calls_operation(expr: &Expr) -> bool {
    let mut calls = false;
    expr.walk(&mut |each| {
        calls |= matches!(each.kind, ExprKind::Call { callee: Callee::Operation(_) | Callee::Effect(_), .. });
    });
    calls
}

/// Whether all that an action stores is known before it is sent.
fn is_exact(program: &Program, statement: &Statement) -> bool {
    match action(statement) {
        // An item that counts as deleted is updated.
        Some(action) if action.verb == WriteVerb::Delete => program.entities[action.entity].deleted.is_none(),
        Some(action) => !matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert),
        None => matches!(statement.kind, StatementKind::Let { .. }),
    }
}

/// The locals that an expression uses.
fn mentions(expr: &Expr) -> Vec<LocalId> {
    let mut found = Vec::new();
    expr.walk(&mut |each| match &each.kind {
        ExprKind::Local(local) => found.push(*local),
        ExprKind::Object { spreads, .. } => found.extend(spreads),
        _ => {}
    });
    found
}
