//! The requests of an operation, in order, with their conditions and units.

use super::cascade::cascade;
use super::cost::{Cost, read_units, write_units};
use super::effects::{Effects, effects};
use super::{Path, read};
use crate::facts::{key_attributes, settable};
use crate::model::*;
use crate::size::typical_bytes;

/// How far calls of operations by operations are followed.
const MAX_DEPTH: usize = 4;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The request's name.
    pub request: &'static str,
    /// What it does, item by item.
    pub items: Vec<String>,
    /// Requests and units.
    pub cost: Cost,
    /// How often it is made.
    pub repeat: Repeat,
}

/// How often a request is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Once.
    #[default]
    Once,
    /// Once for each element of a list; the units are those of one.
    Each(String),
    /// Only after this error.
    After(String),
}

/// The requests of an operation.
pub fn write(design: &Design, operation: &Operation) -> Vec<Step> {
    let mut plan = Plan { design, operation, drafts: Vec::new(), repeat: Repeat::Once, depth: 0 };
    plan.whole();
    plan.drafts.into_iter().map(Draft::finish).collect()
}

/// A request that may still grow.
#[derive(Clone, Debug, Default)]
struct Draft {
    request: &'static str,
    items: Vec<String>,
    cost: Cost,
    /// Units of the table, which a transaction doubles; those of indexes it does not.
    table_wcu: f64,
    index_wcu: f64,
    writes: bool,
    transact: bool,
    repeat: Repeat,
}

impl Draft {
    fn finish(mut self) -> Step {
        if self.writes && (self.transact || self.items.len() > 1) && self.request != "BatchWriteItem" {
            self.request = "TransactWriteItems";
            self.table_wcu *= 2.0;
        }
        self.cost.wcu += self.table_wcu + self.index_wcu;
        Step { request: self.request, items: self.items, cost: self.cost, repeat: self.repeat }
    }
}

struct Plan<'a> {
    design: &'a Design,
    operation: &'a Operation,
    drafts: Vec<Draft>,
    repeat: Repeat,
    depth: usize,
}

impl<'a> Plan<'a> {
    fn whole(&mut self) {
        if let Some(requires) = &self.operation.requires {
            self.rule_reads(requires, 0);
        }
        self.body(&self.operation.body);
        self.receipt();
        for (error, body) in &self.operation.handlers {
            self.repeat = Repeat::After(error.text.clone());
            self.body(body);
        }
    }

    fn read_step(&mut self, request: &'static str, item: String, cost: Cost) {
        let repeat = self.repeat.clone();
        self.drafts.push(Draft { request, items: vec![item], cost, repeat, ..Draft::default() });
    }

    /// `Entity(key) with (c)` in a rule is one strong read, at most.
    fn rule_reads(&mut self, expr: &'a Expr, depth: usize) {
        let mut called = Vec::new();
        expr.walk(&mut |inner| {
            if let ExprKind::Call { callee, .. } = &inner.kind {
                called.extend(callee.as_name());
            }
        });
        for name in called {
            if let Some(entity) = self.design.entity(name) {
                let rcu = read_units(typical_bytes(self.design, entity), true);
                self.read_step(
                    "GetItem",
                    format!("{name} for the rule"),
                    Cost { requests: 1, rcu, wcu: 0.0 },
                );
            } else if let Some(rule) = self.design.rule(name).filter(|_| depth < MAX_DEPTH) {
                self.rule_reads(&rule.condition, depth + 1);
            }
        }
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match &statement.kind {
                StmtKind::Let { value, .. } | StmtKind::Do { value } | StmtKind::Expect { value, .. } => {
                    self.value(value);
                }
                StmtKind::Transact { body } => self.transact(body),
                StmtKind::Each { list, body, .. } => {
                    self.calls(list);
                    let outer = std::mem::replace(&mut self.repeat, Repeat::Each(element_of(list)));
                    self.body(body);
                    self.repeat = outer;
                }
                StmtKind::Require { condition, .. } => self.calls(condition),
                StmtKind::Return { value } => self.calls(value),
                StmtKind::As { body, .. } => self.body(body),
                StmtKind::Race { bodies, .. } => bodies.iter().for_each(|body| self.body(body)),
                StmtKind::Advance { .. } => {}
            }
        }
    }

    fn value(&mut self, value: &'a Value) {
        match value {
            Value::Action(action) => self.action(action),
            Value::Expr(expr) => self.calls(expr),
        }
    }

    /// The patterns and operations that an expression calls.
    fn calls(&mut self, expr: &'a Expr) {
        let mut called = Vec::new();
        expr.walk(&mut |inner| {
            if let ExprKind::Call { callee, .. } = &inner.kind {
                called.extend(callee.as_name());
            }
        });
        for name in called {
            let pattern = self.design.pattern(name);
            if let Some(plan) = pattern.and_then(|pattern| read(self.design, pattern)).and_then(|c| c.plan) {
                let request = match (pattern.map(|pattern| pattern.verb), plan.path) {
                    (Some(ReadVerb::Get), Path::Table(_) | Path::Guard(..)) => "GetItem",
                    (_, Path::Scan(_)) => "Scan",
                    _ => "Query",
                };
                self.read_step(request, format!("{name} through {}", plan.path.describe()), plan.cost);
            } else if let Some(operation) = self.design.operation(name).filter(|_| self.depth < MAX_DEPTH) {
                let mut inner = Plan {
                    design: self.design,
                    operation,
                    drafts: Vec::new(),
                    repeat: self.repeat.clone(),
                    depth: self.depth + 1,
                };
                inner.whole();
                self.drafts.extend(inner.drafts);
            }
        }
    }

    /// One action by itself, with the sweeps around it.
    fn action(&mut self, action: &'a Action) {
        let Some(entity) = self.design.entity(&action.entity.text) else {
            return;
        };
        if !action.verb.writes() {
            let strong = action.strong || action.verb == WriteVerb::Check;
            let rcu = read_units(typical_bytes(self.design, entity), strong);
            let item = describe(self.design, self.operation, entity, action);
            self.read_step("GetItem", item, Cost { requests: 1, rcu, wcu: 0.0 });
            return;
        }
        let deletes = matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge);
        let effects = effects(self.design, self.operation, action);
        self.sweeps(entity, deletes);
        self.read_back(entity, &effects);
        let mut draft = Draft { cost: Cost { requests: 1, ..Cost::default() }, ..Draft::default() };
        draft.request = self.single_request(entity, action, &effects);
        self.add(&mut draft, entity, action, &effects);
        self.drafts.push(draft);
        self.sweeps(entity, deletes);
    }

    fn single_request(&self, entity: &Entity, action: &Action, effects: &Effects<'_>) -> &'static str {
        let bare = action.condition.is_none() && effects.guards.is_empty() && self.operation.system;
        let soft = entity.deleted.is_some() && action.verb == WriteVerb::Delete;
        match action.verb {
            WriteVerb::Put | WriteVerb::Delete | WriteVerb::Purge
                if bare && !soft && matches!(self.repeat, Repeat::Each(_)) =>
            {
                "BatchWriteItem"
            }
            WriteVerb::Create | WriteVerb::Put => "PutItem",
            WriteVerb::Delete if soft => "UpdateItem",
            WriteVerb::Delete | WriteVerb::Purge => "DeleteItem",
            _ => "UpdateItem",
        }
    }

    /// Everything of a `transact` is one request; what must be known is read before it, sweeps run around it.
    fn transact(&mut self, body: &'a [Stmt]) {
        let mut draft = Draft {
            transact: true,
            writes: true,
            cost: Cost { requests: 1, ..Cost::default() },
            ..Draft::default()
        };
        draft.request = "TransactWriteItems";
        let actions: Vec<&Action> = body
            .iter()
            .filter_map(|statement| match &statement.kind {
                StmtKind::Let { value: Value::Action(action), .. }
                | StmtKind::Do { value: Value::Action(action) } => Some(&**action),
                _ => None,
            })
            .collect();
        let mut deleted = Vec::new();
        for action in actions {
            let Some(entity) = self.design.entity(&action.entity.text) else {
                continue;
            };
            let effects = effects(self.design, self.operation, action);
            if matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge) {
                deleted.push(entity);
                self.sweeps(entity, true);
            }
            self.read_back(entity, &effects);
            self.add(&mut draft, entity, action, &effects);
        }
        draft.repeat = self.repeat.clone();
        self.drafts.push(draft);
        deleted.into_iter().for_each(|entity| self.sweeps(entity, true));
    }

    fn add(&self, draft: &mut Draft, entity: &Entity, action: &Action, effects: &Effects<'_>) {
        let bytes = typical_bytes(self.design, entity);
        draft.writes = true;
        draft.repeat = self.repeat.clone();
        draft.items.push(describe(self.design, self.operation, entity, action));
        draft.table_wcu += write_units(bytes) as f64;
        draft.index_wcu += effects.index_units as f64;
        for unique in &effects.guards {
            let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
            let guard = format!("{}({})", entity.name, names.join(", "));
            let moves: &[&str] = match action.verb {
                WriteVerb::Create | WriteVerb::Put => &["put guard"],
                WriteVerb::Delete | WriteVerb::Purge => &["delete guard"],
                _ => &["delete guard", "put guard"],
            };
            draft.items.extend(moves.iter().map(|word| format!("{word} {guard}")));
            draft.table_wcu += moves.len() as f64;
        }
    }

    /// What the write must know of the item as it is.
    fn read_back(&mut self, entity: &Entity, effects: &Effects<'_>) {
        if effects.read_back.is_empty() {
            return;
        }
        let rcu = read_units(typical_bytes(self.design, entity), true);
        let item = format!("{} as it is, for {}", entity.name, effects.read_back.join(", "));
        self.read_step("GetItem", item, Cost { requests: 1, rcu, wcu: 0.0 });
    }

    fn sweeps(&mut self, entity: &'a Entity, deletes: bool) {
        if !deletes {
            return;
        }
        for sweep in cascade(self.design, entity) {
            let path = sweep.path.as_deref().unwrap_or("no path");
            let how = if sweep.batched { "25 at a time" } else { "one at a time" };
            let item = format!("sweep {} by {} through {path}, {how}", sweep.child.name, sweep.by.join(", "));
            self.read_step(sweep.requests(), item, sweep.cost);
        }
    }

    /// The receipt goes with the last write, so that an interrupted operation is run again as a whole.
    fn receipt(&mut self) {
        if self.operation.idempotent.is_none() {
            return;
        }
        let last = self.drafts.iter_mut().rev().find(|draft| draft.writes && draft.repeat == Repeat::Once);
        if let Some(draft) = last {
            draft.items.push(format!("put receipt {}", self.operation.name));
            draft.table_wcu += 1.0;
        }
    }
}

/// What a list is called where its elements are gone through.
fn element_of(list: &Expr) -> String {
    list.as_name().map_or_else(|| "the list".to_owned(), str::to_owned)
}

fn describe(design: &Design, operation: &Operation, entity: &Entity, action: &Action) -> String {
    let mut conditions: Vec<&str> = match action.verb {
        WriteVerb::Create => vec!["not exists"],
        WriteVerb::Update | WriteVerb::Delete | WriteVerb::Purge => vec!["exists"],
        _ => Vec::new(),
    };
    let expires = design.table_of(entity).is_some_and(|table| table.ttl.is_some());
    if matches!(action.verb, WriteVerb::Update | WriteVerb::Delete | WriteVerb::Check) {
        conditions.extend(entity.deleted.as_ref().map(|_| "not deleted"));
        conditions.extend(expires.then_some("not expired"));
        // What the key already says needs no condition.
        let keyed = |tenant: &&Name| !key_attributes(design, entity).contains(&tenant.text.as_str());
        let tenant = entity.tenant.as_ref().filter(|_| !operation.system).filter(keyed);
        conditions.extend(tenant.map(|_| "of the caller's tenant"));
    }
    let changed = settable(design, operation, action);
    let sets_state = entity
        .states
        .iter()
        .any(|states| states.path.first().is_some_and(|name| changed.contains(&name.text.as_str())));
    conditions.extend((sets_state && action.verb == WriteVerb::Update).then_some("allowed transition"));
    conditions.extend(action.condition.as_ref().map(|_| "its own condition"));
    let conditions =
        if conditions.is_empty() { String::new() } else { format!(" if {}", conditions.join(", ")) };
    let maybe = if action.when.is_some() { " (not always)" } else { "" };
    format!("{} {}{conditions}{maybe}", action.verb.as_str(), entity.name)
}
