//! The requests of an operation: rules, reads, writes with their guards and receipt, sweeps.

mod after;
mod deed;
mod describe;
mod each;
mod parts;
mod receipt;
mod sweeps;
mod transact;

pub use after::is_result_seen;
pub use each::batched;
pub use receipt::{ReceiptCourse, bound_before_the_end, receipt_course, receipt_home, repeated_writes};

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Action, EntityId, Expr, Operation, OperationId, Program, Statement, StatementKind, Value,
};

use crate::calls::calls;
use crate::flow::{Flow, Script};
use crate::request::{Part, Request, Role};
use deed::Deed;

/// Everything that a call of an operation may send.
pub fn operation_script(program: &Program, operation: OperationId) -> Script {
    let operation = &program.operations[operation];
    let mut plan = Plan::new(program, operation, 0);
    let body = plan.whole();
    // The writes of a handler carry no receipt: a failure is not remembered.
    plan.receipt_due = false;
    let receipt = operation.idempotent.as_ref().map(|_| plan.repeated());
    let handlers = operation.handlers.iter().map(|(error, body)| (*error, plan.body(body)));
    Script { body, receipt, handlers: handlers.collect() }
}

/// The action whose item the rule of an operation refers to: its first one, if the item is there before. The item is read
/// for the rule.
pub fn ruled(operation: &Operation) -> Option<&Action> {
    let first = operation.body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Do(Value::Action(action))
        | StatementKind::Let { value: Value::Action(action), .. } => Some(&**action),
        _ => None,
    })?;
    let makes = matches!(first.verb, WriteVerb::Create | WriteVerb::Put);
    let concerns = operation.requires.as_ref().is_some_and(Expr::concerns_item);
    (concerns && !makes).then_some(first)
}

/// The requests of an operation that another one calls.
pub(crate) fn body(program: &Program, operation: OperationId, depth: usize) -> Flow {
    Plan::new(program, &program.operations[operation], depth).whole()
}

struct Plan<'p> {
    program: &'p Program,
    operation: &'p Operation,
    depth: usize,
    /// How the receipt comes about.
    course: ReceiptCourse,
    /// Whether the next write carries the receipt.
    receipt_due: bool,
    /// How many sweeps are in the plan.
    swept: usize,
    /// The reads after the transaction that is under way.
    after: Vec<Flow>,
}

/// The parts of a request with their descriptions.
type Parts = Vec<(Part, String)>;

impl<'p> Plan<'p> {
    fn new(program: &'p Program, operation: &'p Operation, depth: usize) -> Plan<'p> {
        let course = match operation.idempotent {
            Some(_) => receipt_course(program, operation),
            None => ReceiptCourse::default(),
        };
        Plan { program, operation, depth, course, receipt_due: false, swept: 0, after: Vec::new() }
    }

    fn whole(&mut self) -> Flow {
        let looked_for = self.looked_for();
        let rule = self.rule();
        if self.operation.idempotent.is_none() {
            return Flow::Seq(vec![rule, self.body(&self.operation.body)]);
        }
        let (mut flows, mut is_due) = (vec![looked_for, rule], true);
        for (at, statement) in self.operation.body.iter().enumerate() {
            let carries = self.course.carrier == Some(at);
            self.receipt_due = carries;
            flows.push(self.statement(statement));
            is_due &= !carries || self.receipt_due;
        }
        self.receipt_due = is_due;
        flows.push(self.alone());
        flows.push(self.completed());
        Flow::Seq(flows)
    }

    /// The reads for the rule, the item to be written included if the rule refers to it.
    fn rule(&self) -> Flow {
        let Some(requires) = &self.operation.requires else {
            return Flow::nothing();
        };
        let asked = self.calls(requires);
        match ruled(self.operation) {
            Some(action) => {
                let name = &self.program.entities[action.entity].name;
                let read = self.get(action.entity, true, format!("{name} for the rule"));
                Flow::Seq(vec![read, asked]).asked()
            }
            None => asked.asked(),
        }
    }

    /// One strong or eventual read of an item.
    fn get(&self, entity: EntityId, strong: bool, item: String) -> Flow {
        let of = &self.program.entities[entity];
        match of.table {
            Some(table) => {
                Flow::Send(Request::get((table, Role::Item(entity)), of.volume.bytes, strong, item))
            }
            None => Flow::nothing(),
        }
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&mut self, body: &'p [Statement]) -> Flow {
        let flows = body.iter().map(|statement| self.statement(statement)).collect();
        Flow::Seq(flows)
    }

    fn statement(&mut self, statement: &'p Statement) -> Flow {
        match &statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Do(value)
            | StatementKind::Expect { value, .. } => self.value(value),
            StatementKind::Transact(body) => self.transact(body),
            StatementKind::Each { list, body, .. } => {
                let found = self.calls(list);
                let each = self.each(list, body);
                Flow::Seq(vec![found, each])
            }
            StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => self.calls(expr),
            StatementKind::As { body, .. } => self.body(body),
            StatementKind::Race { bodies, .. } => {
                let flows = bodies.iter().map(|body| self.body(body)).collect();
                Flow::Seq(flows)
            }
            StatementKind::Advance { .. }
            | StatementKind::Given { .. }
            | StatementKind::Did { .. }
            | StatementKind::Work => Flow::nothing(),
        }
    }

    fn calls(&self, expr: &Expr) -> Flow {
        calls(self.program, expr, self.depth)
    }

    fn value(&mut self, value: &'p Value) -> Flow {
        match value {
            Value::Action(action) => self.action(action),
            Value::Expr(expr) => self.calls(expr),
        }
    }

    /// One action by itself.
    fn action(&mut self, action: &'p Action) -> Flow {
        let asked = action.when.as_ref().map_or_else(Flow::nothing, |when| self.calls(when));
        let flow = self.performed(action);
        match &action.when {
            Some(_) => Flow::Seq(vec![asked, flow.maybe()]),
            None => flow,
        }
    }

    fn performed(&mut self, action: &'p Action) -> Flow {
        let deed = Deed::of(self.program, action);
        let item = describe::action(self.program, self.operation, action, &deed);
        if action.verb == WriteVerb::Get {
            return self.get(action.entity, action.strong, item);
        }
        let references = self.references(action);
        // One request answers with what it stored; with a guard or a receipt it is a transaction.
        let is_exact = deed.effects.guards.is_empty() || deed.change.moves.is_empty();
        let is_alone = !self.receipt_due && is_exact;
        let seen = if is_alone { Flow::nothing() } else { self.seen_after(&deed, action) };
        let written =
            self.together(&deed, item, references, action.when.is_none(), Vec::new(), &mut Vec::new());
        Flow::Seq(vec![written, seen])
    }

    /// The read of an item after a transaction, if the operation uses values that were not known before: existing values
    /// instead of defaults, and counted numbers.
    fn seen_after(&self, deed: &Deed, action: &Action) -> Flow {
        // An item that is read first, and of which nothing is counted, is known.
        let (_, reads) = deed.read_back(&self.program.entities[deed.entity]);
        let is_exact = deed.change.moves.is_empty() && reads;
        match deed.changes(self.program) && !is_exact && is_result_seen(self.operation, action) {
            true => {
                let name = &self.program.entities[deed.entity].name;
                self.get(deed.entity, true, format!("{name} as it is stored")).maybe()
            }
            false => Flow::nothing(),
        }
    }

    /// A write with what is read for it and the sweeps around it. `seen` are the entities whose sweeps are under way, `more`
    /// is written with it.
    fn together(
        &mut self,
        deed: &Deed,
        item: String,
        references: Flow,
        surely: bool,
        more: Parts,
        seen: &mut Vec<EntityId>,
    ) -> Flow {
        let read_back = self.read_back(deed);
        let sweeps = self.sweeps(deed, seen);
        let mut parts = self.parts(deed, item, false);
        parts.extend(more);
        self.add_receipt(&mut parts, surely);
        if parts.is_empty() {
            return Flow::nothing();
        }
        let (begun, after) = match (sweeps.is_nothing(), seen.is_empty()) {
            (true, _) => (Flow::nothing(), Flow::nothing()),
            (_, true) => {
                let begun = vec![self.looked(deed), self.noted(deed, "note the cascade of")];
                (Flow::Seq(begun), self.aftermath(deed, sweeps))
            }
            // A child that is deleted with its parent is covered by the parent's note.
            (_, false) => (Flow::Seq(vec![self.looked(deed), sweeps.clone()]), sweeps),
        };
        let before = Flow::Seq(vec![references, read_back, begun]);
        Flow::Seq(vec![Flow::Write { before: Box::new(before), write: Request::write(parts) }, after])
    }
}
