//! Receipts: what makes a repeat of an operation harmless, and what a repeat reads.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Action, Callee, EntityId, Expr, ExprKind, LocalId, Operation, Program, Statement, StatementKind, TableId,
    Value,
};

use sortkey_diagnostics::Span;

use super::after::{may_be_first, mentioned};
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

/// How the receipt of an operation comes about. It must not be there before the call has done all of its writes: a call whose
/// second write fails would find its own receipt, and take it for that of an earlier call that went well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiptCourse {
    /// The place in the body of the last statement that writes, if the receipt can be part of its request. Otherwise, and if
    /// that statement is skipped, the receipt is a write of its own at the end.
    pub carrier: Option<usize>,
    /// Whether the receipt of an earlier call is looked for at the beginning: a repeat would do other writes again before it
    /// comes to the receipt.
    pub is_looked_for: bool,
}

/// How the receipt of an operation comes about.
pub fn receipt_course(program: &Program, operation: &Operation) -> ReceiptCourse {
    let body = &operation.body;
    let is_one_request = |statement: &Statement| match &statement.kind {
        StatementKind::Transact(_) => true,
        _ => action(statement).is_some(),
    };
    let Some(last) = body.iter().rposition(|statement| writes(program, statement)) else {
        return ReceiptCourse::default();
    };
    let carrier = Some(last).filter(|at| is_one_request(&body[*at]));
    let writes_before = body[..last].iter().any(|statement| writes(program, statement));
    ReceiptCourse { carrier, is_looked_for: carrier.is_none() || writes_before }
}

/// The writes of an idempotent operation that a repeat may do again: those before the write that carries the receipt, or all if
/// none can carry it.
pub fn repeated_writes(program: &Program, operation: &Operation) -> Vec<Span> {
    let course = receipt_course(program, operation);
    let statements = operation.body.iter().enumerate();
    let others = statements.filter(|(at, each)| course.carrier != Some(*at) && writes(program, each));
    others.map(|(_, each)| each.span).collect()
}

/// What is bound until the receipt is there, and used behind it: with it, a repeat of a call that was interrupted in between can
/// go on from there.
pub fn bound_before_the_end(operation: &Operation, course: ReceiptCourse) -> Vec<(LocalId, &str)> {
    let Some(carrier) = course.carrier else { return Vec::new() };
    let (body, rest) = operation.body.split_at(carrier + 1);
    let inner = body.iter().flat_map(|statement| match &statement.kind {
        StatementKind::Transact(body) => body.as_slice(),
        _ => std::slice::from_ref(statement),
    });
    let lets = inner.filter_map(|statement| match &statement.kind {
        StatementKind::Let { local, name, .. } => Some((*local, &**name)),
        _ => None,
    });
    lets.filter(|(local, _)| mentioned(rest, *local, &body[carrier])).collect()
}

impl Plan<'_> {
    /// The search for the receipt of an earlier call, before anything is written.
    pub(super) fn looked_for(&self) -> Flow {
        match self.course.is_looked_for {
            true => self.found().maybe(),
            false => Flow::nothing(),
        }
    }

    /// The read of the receipt of an earlier call.
    fn found(&self) -> Flow {
        let Some(table) = self.receipt_table() else { return Flow::nothing() };
        let what = format!("receipt {}", self.operation.name);
        Flow::Send(Request::get((table, Role::Receipt), KEY_BYTES, true, what))
    }

    /// The receipt as a write of its own, if no other write has carried it.
    pub(super) fn alone(&mut self) -> Flow {
        let mut parts = Parts::new();
        self.add_receipt(&mut parts, true);
        match parts.is_empty() {
            true => Flow::nothing(),
            false => Flow::Write { before: Box::new(Flow::nothing()), write: Request::write(parts) }.maybe(),
        }
    }

    /// The receipt is part of the last write, so that a repeat finds it only if all writes have happened.
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

    /// A repeat finds the receipt, and then what the first call made. If the first call was interrupted behind its last write,
    /// the repeat goes on from there.
    pub(super) fn repeated(&mut self) -> Flow {
        let made = written(self.operation).map(|entity| {
            let name = &self.program.entities[entity].name;
            self.get(entity, true, format!("the {name} it names"))
        });
        let made = Flow::Any(made.collect()).maybe();
        if is_known_at_once(self.program, self.operation) {
            return Flow::Seq(vec![self.found(), made]);
        }
        let operation = self.operation;
        let rest = self.course.carrier.map_or(&[][..], |at| &operation.body[at + 1..]);
        let rest = self.body(rest);
        if rest.is_nothing() {
            return Flow::Seq(vec![self.found(), made]);
        }
        let bound = bound_before_the_end(self.operation, self.course).len().max(1);
        let mut flows = vec![self.found()];
        flows.extend(std::iter::repeat_n(made, bound));
        flows.extend([rest.maybe(), self.completed()]);
        Flow::Seq(flows)
    }
}

/// Whether the result of an operation is known when its first write is sent: it makes one write, and returns what that creates,
/// or what was known before.
fn is_known_at_once(program: &Program, operation: &Operation) -> bool {
    let mut writing = operation.body.iter().enumerate().filter(|(_, statement)| writes(program, statement));
    let (Some((at, write)), None) = (writing.next(), writing.next()) else { return false };
    let Some(last) = operation.body.last() else { return false };
    if operation.body.len() > at + 2 {
        return false;
    }
    match &last.kind {
        StatementKind::Return(value) => {
            let mut known: Vec<LocalId> = operation.body[..at].iter().filter_map(bound).collect();
            known.extend(operation.signature.parameters.iter().map(|each| each.local));
            known.extend(bound(write).filter(|_| is_exact(program, write)));
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

/// Whether a statement may write: by itself, or by what it calls. The compiler bounds how deep calls nest.
fn writes(program: &Program, statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Do(value) => match value {
            Value::Action(action) => action.verb.writes(),
            Value::Expr(expr) => acts(program, expr),
        },
        StatementKind::Return(expr) | StatementKind::Require { condition: expr, .. } => acts(program, expr),
        StatementKind::Transact(_) => true,
        StatementKind::Each { list, body, .. } => {
            acts(program, list) || body.iter().any(|each| writes(program, each))
        }
        _ => false,
    }
}

/// Whether an expression calls what writes, or does something outside of the database.
fn acts(program: &Program, expr: &Expr) -> bool {
    let mut acts = false;
    expr.walk(&mut |each| {
        acts |= match &each.kind {
            ExprKind::Call { callee: Callee::Operation(id), .. } => {
                let operation = &program.operations[*id];
                let handlers = operation.handlers.iter().flat_map(|(_, body)| body);
                operation.body.iter().chain(handlers).any(|each| writes(program, each))
            }
            ExprKind::Call { callee: Callee::Effect(_), .. } => true,
            _ => false,
        };
    });
    acts
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
