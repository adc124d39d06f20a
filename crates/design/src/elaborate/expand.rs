//! Rules where nothing can be read: put in the place of their calls.
//!
//! A rule that only compares values then is a plain condition, so that the planner, the runtime and the explanations see
//! the comparison itself. Rules that would have to read something were reported before (see [`crate::inline`]).

use super::patterns::conjunct;
use crate::program::{
    Action, Arena, Conjunct, Entity, Expr, ExprKind, Field, LocalId, Pattern, Program, Rule, RuleId,
    Statement, StatementKind, Value,
};

/// The maximum number of calls of rules that one expression expands to.
const MAX_CALLS: usize = 1_000;

/// Puts rules in the place of their calls in every expression that is decided without reading.
pub(super) fn rules(program: &mut Program) {
    if program.rules.is_empty() {
        return;
    }
    let rules = program.rules.clone();
    let expand = Expand { rules: &rules };
    for id in program.entities.ids() {
        expand.entity(&mut program.entities[id]);
    }
    for id in program.patterns.ids() {
        expand.pattern(&mut program.patterns[id]);
    }
    for id in program.operations.ids() {
        let operation = &mut program.operations[id];
        expand.body(&mut operation.body);
        operation.handlers.iter_mut().for_each(|(_, body)| expand.body(body));
        operation.requires.iter_mut().for_each(|requires| expand.withs(requires));
    }
    for id in program.rules.ids() {
        expand.withs(&mut program.rules[id].condition);
    }
}

struct Expand<'a> {
    rules: &'a Arena<RuleId, Rule>,
}

impl Expand<'_> {
    fn entity(&self, entity: &mut Entity) {
        for id in entity.attributes.by_name().to_vec() {
            let attribute = &mut entity.attributes[id];
            attribute.fill.iter_mut().for_each(|fill| self.expr(&mut fill.value));
            attribute.when.iter_mut().for_each(|when| self.expr(when));
        }
        for id in entity.templates.ids() {
            entity.templates[id].when.iter_mut().for_each(|when| self.expr(when));
        }
        for id in entity.uniques.ids() {
            entity.uniques[id].when.iter_mut().for_each(|when| self.expr(when));
        }
        entity.checks.iter_mut().for_each(|check| self.expr(&mut check.condition));
        entity.deleted.iter_mut().for_each(|deleted| self.expr(deleted));
        for states in &mut entity.states {
            let conditions = states.transitions.iter_mut().filter_map(|each| each.condition.as_mut());
            conditions.for_each(|condition| self.expr(condition));
            states.enters.iter_mut().for_each(|enter| self.fields(&mut enter.fields));
        }
    }

    fn pattern(&self, pattern: &mut Pattern) {
        use crate::program::BindValue;
        for bind in &mut pattern.binds {
            if let BindValue::Expr(expr) | BindValue::In(expr) = &mut bind.value {
                self.expr(expr);
            }
        }
        self.conjuncts(&mut pattern.conditions);
        self.conjuncts(&mut pattern.filters);
        pattern.sieve.iter_mut().for_each(|conjuncts| self.conjuncts(conjuncts));
        pattern.requires.iter_mut().for_each(|requires| self.withs(requires));
    }

    /// A rule may consist of several conjuncts; each becomes a condition of its own.
    fn conjuncts(&self, conjuncts: &mut Vec<Conjunct>) {
        if !conjuncts.iter().any(|each| calls_rules(&each.expr)) {
            return;
        }
        for mut each in std::mem::take(conjuncts) {
            self.expr(&mut each.expr);
            let said = each.expr.conjuncts().into_iter();
            conjuncts.extend(said.map(|expr| conjunct(expr.clone(), &each.drops)));
        }
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&self, body: &mut [Statement]) {
        for statement in body {
            match &mut statement.kind {
                StatementKind::Let { value: Value::Action(action), .. }
                | StatementKind::Do(Value::Action(action)) => self.action(action),
                StatementKind::Let { value: Value::Expr(expr), .. }
                | StatementKind::Do(Value::Expr(expr))
                | StatementKind::Require { condition: expr, .. }
                | StatementKind::Return(expr) => self.withs(expr),
                StatementKind::Transact(body) => self.body(body),
                StatementKind::Each { list, body, .. } => {
                    self.withs(list);
                    self.body(body);
                }
                StatementKind::Expect { .. }
                | StatementKind::Advance { .. }
                | StatementKind::As { .. }
                | StatementKind::Race { .. }
                | StatementKind::Given { .. }
                | StatementKind::Did { .. }
                | StatementKind::Work => {}
            }
        }
    }

    fn action(&self, action: &mut Action) {
        action.condition.iter_mut().for_each(|condition| self.expr(condition));
        action.when.iter_mut().for_each(|when| self.withs(when));
        self.fields(&mut action.fields);
        for (_, value) in action.key.iter_mut().flat_map(|key| &mut key.values) {
            self.expr(value);
        }
    }

    fn fields(&self, fields: &mut [Field]) {
        for field in fields {
            self.expr(&mut field.value);
            field.element.iter_mut().for_each(|element| self.expr(element));
        }
    }

    /// `Entity(key) with (condition)` reads the item, and its condition sees nothing else.
    fn withs(&self, expr: &mut Expr) {
        if let ExprKind::With { condition, .. } = &mut expr.kind {
            self.expr(condition);
        }
        expr.children_mut(&mut |child| self.withs(child));
    }

    fn expr(&self, expr: &mut Expr) {
        if calls_rules(expr) {
            self.replace(expr, &mut Vec::new(), &mut 0);
        }
    }

    /// `open` are the rules that are being put in, `calls` how many were. The parser bounds how deep expressions nest.
    fn replace(&self, expr: &mut Expr, open: &mut Vec<RuleId>, calls: &mut usize) {
        expr.children_mut(&mut |child| self.replace(child, open, calls));
        let ExprKind::Rule { rule: id, arguments } = &mut expr.kind else { return };
        *calls += 1;
        let id = *id;
        if open.contains(&id) || *calls > MAX_CALLS {
            return;
        }
        let rule = &self.rules[id];
        let given =
            |(parameter, each): &(LocalId, Option<Expr>)| (*parameter, each.clone().unwrap_or(absent()));
        let mut values: Vec<(LocalId, Option<Expr>)> =
            rule.parameters.iter().map(|each| (each.local, each.default.clone())).collect();
        for (parameter, value) in arguments.drain(..) {
            if let Some((_, slot)) =
                values.iter_mut().find(|(local, _)| *local == rule.parameters[parameter].local)
            {
                *slot = Some(value);
            }
        }
        let values: Vec<(LocalId, Expr)> = values.iter().map(given).collect();
        let mut body = rule.condition.clone();
        put(&mut body, &values);
        open.push(id);
        self.replace(&mut body, open, calls);
        open.pop();
        body.span = expr.span;
        *expr = body;
    }
}

/// Puts arguments in the place of parameters.
fn put(expr: &mut Expr, values: &[(LocalId, Expr)]) {
    if let ExprKind::Local(local) = &expr.kind {
        if let Some((_, value)) = values.iter().find(|(each, _)| each == local) {
            *expr = value.clone();
        }
        return;
    }
    expr.children_mut(&mut |child| put(child, values));
}

fn absent() -> Expr {
    Expr { kind: ExprKind::Nothing, ..Expr::default() }
}

fn calls_rules(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |each| found |= matches!(each.kind, ExprKind::Rule { .. }));
    found
}
