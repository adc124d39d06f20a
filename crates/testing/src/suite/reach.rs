//! The declarations that a test can reach: what it calls, what that calls, and the entities that those read and write.
//!
//! Every pattern, operation and rule that a test can call is in it. An entity may be changed besides, by a counter, a cascade
//! or a reference, which is not followed.

use std::collections::BTreeSet;

use sortkey_design::Program;
use sortkey_design::program::{
    Callee, Expr, ExprKind, Id, OperationId, PatternId, RuleId, Statement, StatementKind, Value,
};

use super::mutants::Part;

/// The parts of a design that one test can reach.
#[derive(Default)]
pub(super) struct Reach {
    parts: BTreeSet<Part>,
    rules: BTreeSet<usize>,
    /// Whether it has a race.
    pub(super) races: bool,
}

impl Reach {
    /// The reach of a test, by its place.
    pub(super) fn of(program: &Program, at: usize) -> Reach {
        let mut reach = Reach::default();
        if let Some(test) = program.tests.get(at) {
            reach.block(program, &test.body);
        }
        reach
    }

    /// Whether a declaration is in reach.
    pub(super) fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    fn block(&mut self, program: &Program, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Let { value, .. }
                | StatementKind::Do(value)
                | StatementKind::Expect { value, .. } => self.value(program, value),
                StatementKind::Transact(body) | StatementKind::As { body, .. } => self.block(program, body),
                StatementKind::Each { list, body, .. } => {
                    self.expr(program, list);
                    self.block(program, body);
                }
                StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => {
                    self.expr(program, expr);
                }
                StatementKind::Race { bodies, .. } => {
                    self.races = true;
                    bodies.iter().for_each(|body| self.block(program, body));
                }
                StatementKind::Work => {
                    program.workers.iter().for_each(|worker| self.operation(program, worker.operation));
                }
                StatementKind::Advance { .. } | StatementKind::Given { .. } | StatementKind::Did { .. } => {}
            }
        }
    }

    fn value(&mut self, program: &Program, value: &Value) {
        match value {
            Value::Expr(expr) => self.expr(program, expr),
            Value::Action(action) => {
                self.parts.insert(Part::Entity(action.entity.at()));
                let key = action.key.iter().flat_map(|key| key.values.iter().map(|(_, value)| value));
                let fields =
                    action.fields.iter().flat_map(|field| field.element.iter().chain([&field.value]));
                let all = action.condition.iter().chain(&action.when).chain(key).chain(fields);
                all.for_each(|expr| self.expr(program, expr));
            }
        }
    }

    fn expr(&mut self, program: &Program, expr: &Expr) {
        expr.walk(&mut |each| match &each.kind {
            ExprKind::Rule { rule, .. } => self.rule(program, *rule),
            ExprKind::Call { callee: Callee::Pattern(id), .. } => self.pattern(program, *id),
            ExprKind::Call { callee: Callee::Operation(id), .. } => self.operation(program, *id),
            _ => {}
        });
    }

    fn rule(&mut self, program: &Program, rule: RuleId) {
        if self.rules.insert(rule.at()) {
            self.expr(program, &program.rules[rule].condition);
        }
    }

    fn pattern(&mut self, program: &Program, id: PatternId) {
        if self.parts.insert(Part::Pattern(id.at())) {
            let pattern = &program.patterns[id];
            let entities = pattern.entities.iter().chain(&pattern.then);
            self.parts.extend(entities.map(|entity| Part::Entity(entity.at())));
            pattern.requires.iter().for_each(|requires| self.expr(program, requires));
        }
    }

    fn operation(&mut self, program: &Program, id: OperationId) {
        if self.parts.insert(Part::Operation(id.at())) {
            let operation = &program.operations[id];
            operation.requires.iter().for_each(|requires| self.expr(program, requires));
            self.block(program, &operation.body);
            operation.handlers.iter().for_each(|(_, body)| self.block(program, body));
        }
    }
}
