//! The requests of an operation: rules, reads, writes with their guards and receipt, sweeps.

use super::calls::{calls, speaks_of};
use super::cascade::{goes_at_once, sweeps};
use super::effects::Deed;
use super::flow::{Flow, Script};
use super::pages::{expected_items, reads};
use super::request::{Act, KEY_BYTES, Part, Request, Role, reserved_arms};
use super::{describe, read};
use crate::facts::{actions, key_attributes, operation_signature};
use crate::model::*;
use crate::size::typical_bytes;

/// Elements of a list whose length nothing tells.
const SOME: f64 = 10.0;

/// How far children of children are followed.
const MAX_SWEEPS: usize = 4;

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
}

/// The parts of a request with their descriptions.
type Parts<'d> = Vec<(Part<'d>, String)>;

impl<'d> Plan<'d> {
    fn new(design: &'d Design, operation: &'d Operation, depth: usize) -> Plan<'d> {
        let named =
            operation_signature(design, operation).iter().map(|formal| formal.name.text.as_str()).collect();
        Plan { design, operation, depth, named, receipt_due: operation.idempotent.is_some() }
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
        self.alone(&deed, item, references, action.when.is_none(), &mut Vec::new())
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
        let read_back = self.read_back(deed);
        let sweeps = self.sweeps(deed, seen);
        let foreseen = if sweeps.is_nothing() { Flow::nothing() } else { self.foreseen(deed) };
        let mut parts = self.parts(deed, item, false);
        self.add_receipt(&mut parts, surely);
        if parts.is_empty() {
            return Flow::nothing();
        }
        let before = Flow::Seq(vec![references, read_back, foreseen, sweeps.clone()]);
        Flow::Seq(vec![Flow::Write { before: Box::new(before), write: Request::write(parts) }, sweeps])
    }

    /// Everything of a `transact` is one request; what must be known is read before it, sweeps run around it.
    fn transact(&mut self, body: &'d [Stmt]) -> Flow<'d> {
        let (mut before, mut deeds, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        self.gather(body, false, &mut before, &mut deeds, &mut parts);
        if parts.is_empty() {
            return Flow::Seq(before);
        }
        let surely = parts.iter().any(|(part, _)| !part.sometimes && !part.many);
        self.add_receipt(&mut parts, surely);
        let swept: Vec<Flow<'d>> = deeds.iter().map(|(deed, _)| self.sweeps(deed, &mut Vec::new())).collect();
        if swept.iter().any(|swept| !swept.is_nothing()) {
            before.extend(deeds.iter().map(|(deed, surely)| match surely {
                true => self.foreseen(deed),
                false => self.foreseen(deed).each("those", 1.0).maybe(),
            }));
        }
        before.extend(swept.iter().cloned());
        let write = Request::write(parts);
        Flow::Seq(vec![Flow::Write { before: Box::new(Flow::Seq(before)), write }, Flow::Seq(swept)])
    }

    fn gather(
        &mut self,
        body: &'d [Stmt],
        many: bool,
        before: &mut Vec<Flow<'d>>,
        deeds: &mut Vec<(Deed<'d>, bool)>,
        parts: &mut Parts<'d>,
    ) {
        for statement in body {
            let (name, action) = match &statement.kind {
                StmtKind::Let { name, value: Value::Action(action), .. } => (Some(name), action),
                StmtKind::Do { value: Value::Action(action) } => (None, action),
                StmtKind::Each { name, list, body } => {
                    before.push(self.calls(list));
                    self.named.push(&name.text);
                    let mut inner = Vec::new();
                    self.gather(body, true, &mut inner, deeds, parts);
                    before.push(Flow::Seq(inner).each(list.as_name().unwrap_or("the list"), SOME));
                    continue;
                }
                _ => {
                    before.push(self.statement(statement));
                    continue;
                }
            };
            let Some(entity) = self.design.entity(&action.entity.text) else {
                continue;
            };
            before.extend(action.when.iter().map(|when| self.calls(when)));
            let item = describe::action(self.design, self.operation, entity, action);
            let deed = Deed::of(self.design, self.operation, entity, action, &self.named);
            let reads = match action.verb {
                WriteVerb::Get => self.get(entity, action.strong, item.clone()),
                _ => Flow::Seq(vec![self.references(entity, action), self.read_back(&deed)]),
            };
            before.push(if action.when.is_some() { reads.maybe() } else { reads });
            if action.verb != WriteVerb::Get {
                let mut own = self.parts(&deed, item, action.when.is_some());
                own.iter_mut().for_each(|(part, _)| part.many = many);
                parts.extend(own);
                deeds.push((deed, action.when.is_none() && !many));
            }
            self.named.extend(name.map(|name| name.text.as_str()));
        }
    }

    /// The item and its guards.
    fn parts(&self, deed: &Deed<'d>, item: String, sometimes: bool) -> Parts<'d> {
        let entity = deed.entity;
        let Some((part, item)) = self.item(deed, item, sometimes) else {
            return Vec::new();
        };
        let table = part.table;
        let mut parts = vec![(part, item)];
        if deed.verb == WriteVerb::Check {
            return parts;
        }
        for unique in deed.effects(self.design).guards {
            let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
            let absent = |name: &&str| entity.attribute(name).is_none_or(Attribute::may_be_absent);
            let moves: &[(Act, &str)] = match deed.verb {
                WriteVerb::Create => &[(Act::Put, "put guard")],
                WriteVerb::Delete | WriteVerb::Purge => &[(Act::Delete, "delete guard")],
                _ => &[(Act::Delete, "delete guard"), (Act::Put, "put guard")],
            };
            // Only a new item surely takes its values.
            let sure = deed.verb == WriteVerb::Create && unique.when.is_none() && !names.iter().any(absent);
            for (act, word) in moves {
                let guard = Part {
                    act: *act,
                    table,
                    role: Role::Guard,
                    sometimes: sometimes || !sure,
                    many: false,
                    arms: reserved_arms(table),
                    bytes: KEY_BYTES,
                };
                parts.push((guard, format!("{word} {}({})", entity.name, names.join(", "))));
            }
        }
        parts
    }

    fn item(&self, deed: &Deed<'d>, item: String, sometimes: bool) -> Option<(Part<'d>, String)> {
        let entity = deed.entity;
        let table = self.design.table_of(entity)?;
        let act = match deed.verb {
            WriteVerb::Create | WriteVerb::Put => Act::Put,
            WriteVerb::Upsert => Act::Upsert,
            WriteVerb::Check => Act::Check,
            WriteVerb::Delete | WriteVerb::Purge if !deed.is_soft() => Act::Delete,
            _ => Act::Update,
        };
        let arms = if act == Act::Check { Vec::new() } else { deed.effects(self.design).arms };
        let bytes = typical_bytes(self.design, entity);
        Some((Part { act, table, role: Role::Item(entity), sometimes, many: false, arms, bytes }, item))
    }

    /// What the write must know of the item as it is.
    fn read_back(&self, deed: &Deed<'d>) -> Flow<'d> {
        if deed.verb == WriteVerb::Check {
            return Flow::nothing();
        }
        let effects = deed.effects(self.design);
        if effects.read_back.is_empty() {
            return Flow::nothing();
        }
        let item = format!("{} as it is, for {}", deed.entity.name, effects.read_back.join(", "));
        let read = self.get(deed.entity, true, item);
        if effects.reads { read } else { read.maybe() }
    }

    /// Whether a write will be refused is found out before the first child goes.
    fn foreseen(&self, deed: &Deed<'d>) -> Flow<'d> {
        self.get(deed.entity, true, format!("{}, before children go", deed.entity.name))
    }

    /// The items that a new one takes values from, where no statement before has read them.
    fn references(&self, entity: &'d Entity, action: &Action) -> Flow<'d> {
        if !matches!(action.verb, WriteVerb::Create | WriteVerb::Put) {
            return Flow::nothing();
        }
        let mut arrows: Vec<&str> = Vec::new();
        for fill in entity.attributes.iter().filter_map(|attribute| attribute.value.as_ref()) {
            fill.value.walk(&mut |expr| {
                if let ExprKind::Arrow { base, .. } = &expr.kind {
                    arrows.extend(base.as_name());
                }
            });
        }
        arrows.sort_unstable();
        arrows.dedup();
        let mut flows = Vec::new();
        for name in arrows {
            let reference = entity.attribute(name).and_then(|attribute| attribute.reference.as_ref());
            let Some(other) = reference.and_then(|each| self.design.entity(&each.entity.text)) else {
                continue;
            };
            let target = reference.and_then(|each| each.attribute.as_ref()).map_or(name, |each| &each.text);
            if key_attributes(self.design, other).iter().all(|key| *key == target) {
                flows.push(self.get(other, true, format!("{} for {name}->", other.name)).maybe());
            }
        }
        Flow::Seq(flows)
    }

    /// Finds the children of what is deleted and deletes them: at once, or each as any item is deleted.
    fn sweeps(&mut self, deed: &Deed<'d>, seen: &mut Vec<&'d str>) -> Flow<'d> {
        let parent = deed.entity;
        let name = parent.name.text.as_str();
        let deletes = matches!(deed.verb, WriteVerb::Delete | WriteVerb::Purge);
        // Children of children of the same kind are swept as these are.
        if !deletes || seen.contains(&name) || seen.len() >= MAX_SWEEPS {
            return Flow::nothing();
        }
        seen.push(name);
        let keys = key_attributes(self.design, parent);
        let mut flows = Vec::new();
        let found = sweeps(self.design, parent);
        // What the key does not tell is read; once the item is gone, it cannot be told any more.
        let told = found.iter().flat_map(|sweep| &sweep.binds).all(|(_, from)| keys.contains(from));
        if !told {
            flows.push(self.get(parent, true, format!("{name} for its children")));
        }
        for sweep in found {
            let Some(pattern) = &sweep.finding else { continue };
            let Some(plan) = read(self.design, pattern).and_then(|choice| choice.plan) else { continue };
            let usual = expected_items(pattern, sweep.child, true) as f64;
            let children = reads(self.design, pattern, &plan, true);
            flows.push(if told { children } else { children.maybe() });
            flows.push(self.swept(sweep.child, usual, seen));
        }
        seen.pop();
        Flow::Seq(flows)
    }

    fn swept(&mut self, child: &'d Entity, usual: f64, seen: &mut Vec<&'d str>) -> Flow<'d> {
        let deed = Deed::deletion(self.design, child);
        let item = format!("delete {}", child.name);
        let of = format!("the {} items", child.name);
        match goes_at_once(self.design, child) {
            true => match self.item(&deed, item, false) {
                Some((part, item)) => Flow::Send(Request::batch(part, item)).each(of, usual),
                None => Flow::nothing(),
            },
            false => self.alone(&deed, item, Flow::nothing(), false, seen).each(of, usual),
        }
    }

    /// The receipt goes with the first write, so that a repeat finds it whatever became of the rest.
    fn add_receipt(&mut self, parts: &mut Parts<'d>, surely: bool) {
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
                arms: reserved_arms(table),
                bytes: KEY_BYTES,
            };
            parts.push((receipt, format!("put receipt {}", self.operation.name)));
        }
        self.receipt_due = !surely;
    }

    /// Where the receipt lies: in the table of the first entity that the operation writes.
    fn receipt_table(&self) -> Option<&'d Table> {
        let sites = actions(self.operation);
        let site = sites.iter().find(|site| site.action.verb.writes())?;
        self.design.table_of(self.design.entity(&site.action.entity.text)?)
    }

    /// A repeat finds the receipt, and then what the first call made.
    fn repeated(&self) -> Flow<'d> {
        let Some(table) = self.receipt_table() else {
            return Flow::nothing();
        };
        let receipt = Request::get(table, KEY_BYTES, true, format!("receipt {}", self.operation.name));
        let made = actions(self.operation).into_iter().filter(|site| site.action.verb.writes());
        let made = made.filter_map(|site| self.design.entity(&site.action.entity.text));
        let made = made.map(|entity| self.get(entity, true, format!("the {} it names", entity.name)));
        Flow::Seq(vec![Flow::Send(receipt), Flow::Any(made.collect()).maybe()])
    }
}
