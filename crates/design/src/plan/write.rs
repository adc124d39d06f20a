//! The requests of an operation: rules, reads, writes with their guards and receipt, sweeps.

mod parts;
mod receipt;
mod sweeps;
mod transact;

use super::after::is_result_seen;
use super::calls::{calls, speaks_of};
use super::deed::Deed;
use super::describe;
use super::flow::{Flow, Script};
use super::pages::expected_items;
use super::request::{Part, Request};
use crate::facts::operation_signature;
use crate::model::*;
use crate::size::typical_bytes;

/// Elements of a list whose length nothing tells.
const SOME: f64 = 10.0;

/// Everything that a call of an operation may send.
pub fn operation<'d>(design: &'d Design, operation: &'d Operation) -> Script<'d> {
    let mut plan = Plan::new(design, operation, 0);
    let body = plan.whole();
    let receipt = operation.idempotent.as_ref().map(|_| plan.repeated());
    // What a handler writes carries no receipt: nothing is to be remembered of a failure.
    plan.receipt_due = false;
    let handlers = operation.handlers.iter().map(|(error, body)| (error.text.as_str(), plan.body(body)));
    Script { body, receipt, handlers: handlers.collect() }
}

/// What an operation sends as a part of another.
pub(super) fn body<'d>(design: &'d Design, operation: &'d Operation, depth: usize) -> Flow<'d> {
    Plan::new(design, operation, depth).whole()
}

/// The one action of an `each` that batches can carry out: a `put` of an entity without guards, on no condition.
pub fn batched<'a>(design: &Design, body: &'a [Stmt]) -> Option<&'a Action> {
    let [Stmt { kind: StmtKind::Do { value: Value::Action(action) }, .. }] = body else {
        return None;
    };
    let guarded = design.entity(&action.entity.text).is_none_or(|entity| !entity.uniques.is_empty());
    let bare = action.verb == WriteVerb::Put && action.condition.is_none() && action.when.is_none();
    (bare && !guarded).then_some(action)
}

struct Plan<'d> {
    design: &'d Design,
    operation: &'d Operation,
    depth: usize,
    /// Names that stand for something else than an attribute of the item.
    named: Vec<&'d str>,
    /// Whether the next write carries the receipt: the first that happens does.
    receipt_due: bool,
    /// How many sweeps were told.
    swept: usize,
    /// What is read after the transaction that is under way.
    after: Vec<Flow<'d>>,
}

/// The parts of a request with their descriptions.
type Parts<'d> = Vec<(Part<'d>, String)>;

impl<'d> Plan<'d> {
    fn new(design: &'d Design, operation: &'d Operation, depth: usize) -> Plan<'d> {
        let named =
            operation_signature(design, operation).iter().map(|formal| formal.name.text.as_str()).collect();
        let receipt_due = operation.idempotent.is_some();
        Plan { design, operation, depth, named, receipt_due, swept: 0, after: Vec::new() }
    }

    fn whole(&mut self) -> Flow<'d> {
        let rule = self.rule();
        Flow::Seq(vec![rule, self.body(&self.operation.body)])
    }

    /// What the caller needs; asked of the item that is written if the rule speaks of it.
    fn rule(&self) -> Flow<'d> {
        let Some(requires) = &self.operation.requires else {
            return Flow::nothing();
        };
        let asked = calls(self.design, requires, self.depth);
        let action = self.operation.body.iter().find_map(|statement| match &statement.kind {
            StmtKind::Do { value: Value::Action(action) }
            | StmtKind::Let { value: Value::Action(action), .. } => Some(action),
            _ => None,
        });
        let written = action.filter(|action| !matches!(action.verb, WriteVerb::Create | WriteVerb::Put));
        let entity = written.and_then(|action| self.design.entity(&action.entity.text));
        match entity.filter(|entity| speaks_of(entity, requires, |name| self.named.contains(&name))) {
            Some(entity) => {
                let read = self.get(entity, true, format!("{} for the rule", entity.name));
                Flow::Seq(vec![read, asked]).asked()
            }
            None => asked.asked(),
        }
    }

    /// One strong or eventual read of an item.
    fn get(&self, entity: &'d Entity, strong: bool, item: String) -> Flow<'d> {
        match self.design.table_of(entity) {
            Some(table) => Flow::Send(Request::get(table, typical_bytes(self.design, entity), strong, item)),
            None => Flow::nothing(),
        }
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&mut self, body: &'d [Stmt]) -> Flow<'d> {
        let flows = body.iter().map(|statement| self.statement(statement)).collect();
        Flow::Seq(flows)
    }

    fn statement(&mut self, statement: &'d Stmt) -> Flow<'d> {
        match &statement.kind {
            StmtKind::Let { name, value, .. } => {
                let flow = self.value(value);
                self.named.push(&name.text);
                flow
            }
            StmtKind::Do { value } | StmtKind::Expect { value, .. } => self.value(value),
            StmtKind::Transact { body } => self.transact(body),
            StmtKind::Each { name, list, body } => {
                let found = self.calls(list);
                self.named.push(&name.text);
                let each = self.each(list, body);
                Flow::Seq(vec![found, each])
            }
            StmtKind::Require { condition: expr, .. } | StmtKind::Return { value: expr } => self.calls(expr),
            StmtKind::As { body, .. } => self.body(body),
            StmtKind::Race { bodies, .. } => {
                let flows = bodies.iter().map(|body| self.body(body)).collect();
                Flow::Seq(flows)
            }
            StmtKind::Advance { .. } => Flow::nothing(),
        }
    }

    fn calls(&self, expr: &'d Expr) -> Flow<'d> {
        calls(self.design, expr, self.depth)
    }

    fn value(&mut self, value: &'d Value) -> Flow<'d> {
        match value {
            Value::Action(action) => self.action(action),
            Value::Expr(expr) => self.calls(expr),
        }
    }

    /// Elements side by side, or twenty-five in a batch.
    fn each(&mut self, list: &'d Expr, body: &'d [Stmt]) -> Flow<'d> {
        let of = list.as_name().unwrap_or("the list");
        let usual = self.usual_length(list);
        if let Some(action) = batched(self.design, body).filter(|_| !self.receipt_due)
            && let Some(entity) = self.design.entity(&action.entity.text)
        {
            let deed = Deed::of(self.design, self.operation, entity, action, &self.named);
            let item = describe::action(self.design, self.operation, entity, action);
            let Some((part, item)) = self.item(&deed, item, false) else {
                return Flow::nothing();
            };
            let found = self.references(entity, action).each(of, usual);
            return Flow::Seq(vec![found, Flow::Send(Request::batch(part, item)).each(of, usual)]);
        }
        let due = self.receipt_due;
        let flow = self.body(body).each(of, usual);
        // There may be no element at all.
        self.receipt_due = due;
        flow
    }

    /// How many elements a list usually has: as many as the pattern finds that made it.
    fn usual_length(&self, list: &Expr) -> f64 {
        let name = list.as_name().unwrap_or_default();
        let made = |statement: &'d Stmt| match &statement.kind {
            StmtKind::Let { name: bound, value: Value::Expr(expr), .. } if bound.is(name) => Some(expr),
            _ => None,
        };
        let handlers = self.operation.handlers.iter().flat_map(|(_, body)| body);
        let expr = self.operation.body.iter().chain(handlers).find_map(made);
        let Some(Expr { kind: ExprKind::Call { callee, .. }, .. }) = expr else {
            return SOME;
        };
        let pattern = self.design.pattern(callee.as_name().unwrap_or_default());
        let found = pattern.and_then(|pattern| {
            let entity = self.design.entity(&pattern.entities.first()?.text)?;
            Some(expected_items(pattern, entity, true) as f64)
        });
        found.unwrap_or(SOME)
    }

    /// One action by itself.
    fn action(&mut self, action: &'d Action) -> Flow<'d> {
        let Some(entity) = self.design.entity(&action.entity.text) else {
            return Flow::nothing();
        };
        let asked = action.when.as_ref().map_or_else(Flow::nothing, |when| self.calls(when));
        let flow = self.performed(entity, action);
        match &action.when {
            Some(_) => Flow::Seq(vec![asked, flow.maybe()]),
            None => flow,
        }
    }

    fn performed(&mut self, entity: &'d Entity, action: &'d Action) -> Flow<'d> {
        let item = describe::action(self.design, self.operation, entity, action);
        if action.verb == WriteVerb::Get {
            return self.get(entity, action.strong, item);
        }
        let deed = Deed::of(self.design, self.operation, entity, action, &self.named);
        let references = self.references(entity, action);
        // One request answers with what it stored; with a guard or a receipt it is a transaction.
        let is_exact = deed.effects(self.design).guards.is_empty() || deed.counted.is_empty();
        let is_alone = !self.receipt_due && is_exact;
        let seen = if is_alone { Flow::nothing() } else { self.seen_after(&deed, action) };
        let written = self.alone(&deed, item, references, action.when.is_none(), &mut Vec::new());
        Flow::Seq(vec![written, seen])
    }

    /// What a transaction stored, where the operation goes on with it and it was not known before: defaults that were there
    /// already, and numbers that were counted.
    fn seen_after(&self, deed: &Deed<'d>, action: &Action) -> Flow<'d> {
        // What is read first and not counted is known.
        let is_exact = deed.counted.is_empty() && deed.effects(self.design).reads;
        match deed.changes() && !is_exact && is_result_seen(self.operation, action) {
            true => self.get(deed.entity, true, format!("{} as it is stored", deed.entity.name)).maybe(),
            false => Flow::nothing(),
        }
    }

    /// A write with what is read for it and the sweeps around it. `seen` are the entities whose sweeps are under way.
    fn alone(
        &mut self,
        deed: &Deed<'d>,
        item: String,
        references: Flow<'d>,
        surely: bool,
        seen: &mut Vec<&'d str>,
    ) -> Flow<'d> {
        self.together(deed, item, references, surely, Vec::new(), seen)
    }

    /// The deletion of a child together with what counts it. Where there is no counter, or it is at its end, the child goes
    /// alone.
    fn counted_alone(
        &mut self,
        deed: &Deed<'d>,
        item: String,
        counters: Parts<'d>,
        seen: &mut Vec<&'d str>,
    ) -> Flow<'d> {
        self.together(deed, item, Flow::nothing(), false, counters, seen)
    }

    fn together(
        &mut self,
        deed: &Deed<'d>,
        item: String,
        references: Flow<'d>,
        surely: bool,
        more: Parts<'d>,
        seen: &mut Vec<&'d str>,
    ) -> Flow<'d> {
        let read_back = self.read_back(deed);
        let sweeps = self.sweeps(deed, seen);
        let foreseen = if sweeps.is_nothing() { Flow::nothing() } else { self.foreseen(deed) };
        let mut parts = self.parts(deed, item, false);
        parts.extend(more);
        self.add_receipt(&mut parts, surely);
        if parts.is_empty() {
            return Flow::nothing();
        }
        let before = Flow::Seq(vec![references, read_back, foreseen, sweeps.clone()]);
        Flow::Seq(vec![Flow::Write { before: Box::new(before), write: Request::write(parts) }, sweeps])
    }
}
