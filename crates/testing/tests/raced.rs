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

/// What a race can break: its kind, and the entity with its attributes.
type Mechanism = (&'static str, String);

/// Mechanisms that no race test exercises, each with the reason.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("core-service", "check User", CHECKED),
    ("core-service", "claim User.lastCode", HASHED),
    ("core-service", "counter Delivery.attempts", LEASED),
    ("core-service", "counter Failures.count", HASHED),
    ("core-service", "counter SyncRun.bytes", LEASED),
    ("core-service", "counter SyncRun.pages", LEASED),
    ("core-service", "counter SyncRun.recordsProcessed", LEASED),
    ("core-service", "counter SyncRun.troubles", LEASED),
    ("core-service", "state Delivery.status", LEASED),
    ("core-service", "unique ApiKey(apiKeyHash)", RANDOM),
    (
        "core-service",
        "unique BillingPlan(scope)",
        "moved by updates, whose races have the same guard: the default among the plans moves to one place",
    ),
    ("ferryhook", "counter Failures.count", HASHED),
    ("ferryhook", "counter User.sessions", HASHED),
    ("ferryhook", "single use Tally", LEASED),
    ("ferryhook", "state Connection.status", SHORT),
    ("ferryhook", "unique ApiKey(keyHash)", RANDOM),
    ("listbackup", "claim User.lastCode", HASHED),
    ("listbackup", "counter Failures.count", HASHED),
    ("listbackup", "counter Job.bytes", LEASED),
    ("listbackup", "counter Job.progress", LEASED),
    ("listbackup", "counter Job.troubles", LEASED),
    ("listbackup", "counter Notification.tries", LEASED),
    ("t3nets", "counter DailyUsage.input_tokens", LEASED),
    ("t3nets", "counter DailyUsage.output_tokens", LEASED),
    ("t3nets", "counter Turn.replies", LEASED),
    ("t3nets", "state Turn.state", LEASED),
];

const LEASED: &str =
    "only a worker that has leased an item does it (`workers.rs` and the relay test take leases away)";
const HASHED: &str =
    "a password is hashed in each of 256 orders, which takes minutes; the condition is part of the write";
const RANDOM: &str = "hashes of random keys do not meet";
const SHORT: &str = "raced by `a connection is paused once`, which gives the state by the short form";
const CHECKED: &str = "users are not deleted";

#[derive(Default)]
struct Found {
    mechanisms: BTreeSet<Mechanism>,
    /// Operations that were visited.
    seen: BTreeSet<String>,
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
            _ => {}
        }
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
            if entity.states.iter().any(|states| states.path.attribute == id)
                && action.verb == WriteVerb::Update
            {
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
        for mechanism in found.mechanisms {
            table.entry(mechanism).or_default().insert(test.title.clone());
        }
    }
    table
}

#[test]
fn every_mechanism_is_raced() {
    let mut missing = Vec::new();
    for system in SYSTEMS {
        for ((kind, of), titles) in table(system) {
            let what = format!("{kind} {of}");
            let left_out = LEFT_OUT.iter().find(|(its, each, _)| its == system && *each == what);
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            match (titles.as_slice(), left_out) {
                ([], None) => missing.push(format!("{system}: {what}")),
                ([], Some((_, _, reason))) => println!("{system} | {what} | not raced: {reason}"),
                (titles, _) => println!("{system} | {what} | {}", titles.join("; ")),
            }
        }
    }
    assert!(missing.is_empty(), "{} are not raced:\n{}", missing.len(), missing.join("\n"));
}
