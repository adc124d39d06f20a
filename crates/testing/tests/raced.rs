//! Every limit, claim, single use, move and counter of the five systems is exercised by a race. They are derived from the
//! designs; `cargo test --test all raced -- --nocapture` prints the table of them, with the tests that race each.
//!
//! A mechanism is what two calls at once could break: a number that is counted, an attribute that a write asks for and
//! changes, a state, an item that is taken away once, a unique value, an idempotency key, the parent that a child needs.

#![expect(clippy::print_stdout, reason = "the table is for people")]

use std::collections::{BTreeMap, BTreeSet};

use sortkey_design::model::{FieldOp, WriteVerb};
use sortkey_design::program::{
    Action, AttributeId, Callee, Entity, Expr, ExprKind, Operation, Program, Statement, StatementKind, Value,
};
use sortkey_design::{FileLoader, compile};
use sortkey_testkit::{SYSTEMS, system_folder};

/// A mechanism that a race can break: its kind, and the entity with its attributes.
type Mechanism = (&'static str, String);

/// Mechanisms that no race test exercises, each with the reason.
const LEFT_OUT: &[(&str, &str, &str)] = &[("core-service", "check User", "users are not deleted")];

#[derive(Default)]
struct Found {
    mechanisms: BTreeSet<Mechanism>,
    /// Operations that were visited.
    seen: BTreeSet<String>,
    /// Whether workers run.
    works: bool,
}

impl Found {
    fn operation(&mut self, program: &Program, operation: &Operation) {
        if !self.seen.insert(operation.name.to_string()) {
            return;
        }
        if operation.idempotent.is_some() {
            self.mechanisms.insert(("repeat", operation.name.to_string()));
        }
        let handlers = operation.handlers.iter().flat_map(|(_, body)| body);
        operation.body.iter().chain(handlers).for_each(|statement| self.statement(program, statement));
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn statement(&mut self, program: &Program, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Do(value)
            | StatementKind::Expect { value, .. } => match value {
                Value::Action(action) => self.action(program, action),
                Value::Expr(expr) => self.calls(program, expr),
            },
            StatementKind::Return(expr) | StatementKind::Require { condition: expr, .. } => {
                self.calls(program, expr);
            }
            StatementKind::Transact(body)
            | StatementKind::Each { body, .. }
            | StatementKind::As { body, .. } => {
                body.iter().for_each(|statement| self.statement(program, statement));
            }
            StatementKind::Race { bodies, .. } => {
                bodies.iter().flatten().for_each(|statement| self.statement(program, statement));
            }
            StatementKind::Work => self.works = true,
            _ => {}
        }
    }

    /// Runs the workers of a design.
    fn workers(&mut self, program: &Program) {
        program
            .workers
            .iter()
            .for_each(|worker| self.operation(program, &program.operations[worker.operation]));
    }

    fn calls(&mut self, program: &Program, expr: &Expr) {
        let mut called = Vec::new();
        expr.walk(&mut |each| {
            if let ExprKind::Call { callee: Callee::Operation(id), .. } = each.kind {
                called.push(id);
            }
        });
        called.into_iter().for_each(|id| self.operation(program, &program.operations[id]));
    }

    fn action(&mut self, program: &Program, action: &Action) {
        let entity = &program.entities[action.entity];
        let name = |id: AttributeId| format!("{}.{}", entity.name, entity.attributes[id].name);
        let asked: BTreeSet<AttributeId> = action.condition.iter().flat_map(Expr::attributes).collect();
        for field in &action.fields {
            let id = field.path.attribute;
            match field.op {
                FieldOp::Set if asked.contains(&id) => drop(self.mechanisms.insert(("claim", name(id)))),
                FieldOp::Set => {}
                _ if !asked.is_empty() => drop(self.mechanisms.insert(("limit", name(id)))),
                _ => drop(self.mechanisms.insert(("counter", name(id)))),
            }
        }
        let written = action.fields.iter().map(|field| field.path.attribute);
        for id in written.chain(action.takes.iter().map(|(id, _)| *id)) {
            let is_state = entity.states.iter().any(|states| states.path.attribute == id);
            if is_state && action.verb == WriteVerb::Update {
                self.mechanisms.insert(("state", name(id)));
            }
        }
        let is_gone = matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge);
        if is_gone && (action.condition.is_some() || action.error.is_some()) {
            self.mechanisms.insert(("single use", entity.name.to_string()));
        }
        if action.verb == WriteVerb::Check {
            self.mechanisms.insert(("check", entity.name.to_string()));
        }
        if action.verb == WriteVerb::Create {
            self.mechanisms.extend(uniques(entity));
        }
    }
}

fn uniques(entity: &Entity) -> impl Iterator<Item = Mechanism> {
    entity.uniques.iter().map(|unique| {
        let names = unique.attributes.iter().map(|id| &*entity.attributes[*id].name);
        ("unique", format!("{}({})", entity.name, names.collect::<Vec<_>>().join(", ")))
    })
}

/// The races in the statements of a test.
fn races<'p>(body: &'p [Statement], found: &mut Vec<&'p Statement>) {
    for statement in body {
        match &statement.kind {
            StatementKind::Race { .. } => found.push(statement),
            StatementKind::As { body, .. } | StatementKind::Each { body, .. } => races(body, found),
            _ => {}
        }
    }
}

/// The text of a test.
fn source<'t>(file: &'t str, title: &str) -> &'t str {
    let test = file.find(title).and_then(|at| file.get(at..)).unwrap_or_default();
    test.split("\ntest \"").next().unwrap_or_default()
}

/// The mechanisms of a system, each with the titles of the tests that race it.
fn table(system: &str) -> BTreeMap<Mechanism, BTreeSet<String>> {
    let file = system_folder(system).join("tests.sk");
    let text = std::fs::read_to_string(&file).expect("the tests are there");
    let compilation = compile(&file.to_string_lossy(), &text, &FileLoader);
    assert!(!compilation.has_errors(), "{system} compiles");
    let program = Program::of(&compilation.design);
    let mut all = Found::default();
    program.operations.iter().for_each(|operation| all.operation(&program, operation));
    let mut table: BTreeMap<Mechanism, BTreeSet<String>> =
        all.mechanisms.into_iter().map(|each| (each, BTreeSet::new())).collect();
    for test in &program.tests {
        let mut raced = Vec::new();
        races(&test.body, &mut raced);
        let mut found = Found::default();
        raced.into_iter().for_each(|race| found.statement(&program, race));
        // Of what workers do, a race counts for what the test looks at.
        if found.works {
            let mut done = Found::default();
            done.workers(&program);
            let text = source(&text, &test.title);
            done.mechanisms.retain(|(_, of)| match of.split_once('.') {
                Some((_, attribute)) => {
                    text.contains(&format!(").{attribute}"))
                        || text.contains(&format!(".{attribute} = "))
                        || text.contains(&format!(".{attribute}."))
                }
                None => text.contains(of.as_str()),
            });
            found.mechanisms.extend(done.mechanisms);
        }
        for mechanism in found.mechanisms {
            table.entry(mechanism).or_default().insert(test.title.clone());
        }
    }
    table
}

#[test]
fn every_mechanism_is_raced() {
    let (mut missing, mut stale) = (Vec::new(), Vec::new());
    for system in SYSTEMS {
        for ((kind, of), titles) in table(system) {
            let what = format!("{kind} {of}");
            let left_out = LEFT_OUT.iter().find(|(its, each, _)| its == system && *each == what);
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            match (titles.as_slice(), left_out) {
                ([], None) => missing.push(format!("{system}: {what}")),
                ([], Some((_, _, reason))) => println!("{system} | {what} | not raced: {reason}"),
                (_, Some(_)) => stale.push(format!("{system}: {what}")),
                (titles, None) => println!("{system} | {what} | {}", titles.join("; ")),
            }
        }
    }
    assert!(stale.is_empty(), "raced after all, take them off the list:\n{}", stale.join("\n"));
    assert!(missing.is_empty(), "{} are not raced:\n{}", missing.len(), missing.join("\n"));
}
