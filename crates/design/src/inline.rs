//! Rules in places where nothing can be read: filters, conditions of writes, conditions of an entity itself.
//!
//! A rule that only compares values is put in place of its call, so that the runtime, the planner and DynamoDB itself see
//! plain conditions. One that reads an item has no answer there, and neither has a call of a pattern or an operation:
//! that is an error, never a silent `false`.

use crate::model::*;
use crate::problems::UNREAD_HERE;
use sortkey_diagnostics::{Diagnostic, Span};

/// The maximum number of calls of rules that one expression expands to.
const MAX_CALLS: usize = 1_000;

/// Puts rules in place of their calls, and reports calls that cannot be answered in their position.
pub(crate) fn rules(design: &mut Design, problems: &mut Vec<Diagnostic>) {
    let known = design.clone();
    let mut inline = Inline { design: &known, problems };
    for entity in &mut design.entities {
        inline.entity(entity);
    }
    for pattern in &mut design.patterns {
        let place = "a pattern reads nothing else while it looks for items";
        pattern.condition.iter_mut().chain(&mut pattern.filter).for_each(|expr| inline.expr(expr, place));
        for bind in &mut pattern.binds {
            if let BindValue::Expr(expr) | BindValue::In(expr) = &mut bind.value {
                inline.expr(expr, place);
            }
        }
    }
    for operation in &mut design.operations {
        inline.body(&mut operation.body);
        operation.handlers.iter_mut().for_each(|(_, body)| inline.body(body));
    }
    let patterns = design.patterns.iter_mut().filter_map(|each| each.requires.as_mut());
    let operations = design.operations.iter_mut().filter_map(|each| each.requires.as_mut());
    let rules = design.rules.iter_mut().map(|rule| &mut rule.condition);
    patterns.chain(operations).chain(rules).for_each(|expr| inline.withs(expr));
}

struct Inline<'a> {
    design: &'a Design,
    problems: &'a mut Vec<Diagnostic>,
}

impl Inline<'_> {
    fn entity(&mut self, entity: &mut Entity) {
        let place = "an item is judged by itself, and nothing is read for that";
        for attribute in &mut entity.attributes {
            attribute.value.iter_mut().for_each(|fill| self.expr(&mut fill.value, place));
            attribute.when.iter_mut().for_each(|when| self.expr(when, place));
        }
        entity
            .templates
            .iter_mut()
            .filter_map(|each| each.when.as_mut())
            .for_each(|when| self.expr(when, place));
        entity
            .uniques
            .iter_mut()
            .filter_map(|each| each.when.as_mut())
            .for_each(|when| self.expr(when, place));
        entity.checks.iter_mut().for_each(|check| self.expr(&mut check.condition, place));
        entity.deleted.iter_mut().for_each(|deleted| self.expr(deleted, place));
        for states in &mut entity.states {
            let conditions = states.transitions.iter_mut().filter_map(|each| each.condition.as_mut());
            conditions.for_each(|condition| self.expr(condition, place));
            states.enters.iter_mut().for_each(|enter| self.fields(&mut enter.fields, place));
        }
    }

    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&mut self, body: &mut [Stmt]) {
        for statement in body {
            match &mut statement.kind {
                StmtKind::Let { value: Value::Action(action), .. }
                | StmtKind::Do { value: Value::Action(action) } => {
                    let place =
                        "what a write depends on is read before it, with `let`, or asked for with `require`";
                    action.condition.iter_mut().for_each(|condition| self.expr(condition, place));
                    action.when.iter_mut().for_each(|when| self.withs(when));
                    self.fields(&mut action.fields, place);
                    for (_, value) in action.key.iter_mut().flat_map(|args| &mut args.values) {
                        self.expr(value, place);
                    }
                }
                StmtKind::Transact { body } | StmtKind::Each { body, .. } => self.body(body),
                StmtKind::Let { value: Value::Expr(expr), .. }
                | StmtKind::Do { value: Value::Expr(expr) }
                | StmtKind::Require { condition: expr, .. }
                | StmtKind::Return { value: expr } => self.withs(expr),
                _ => {}
            }
        }
    }

    fn fields(&mut self, fields: &mut Fields, place: &str) {
        for field in &mut fields.fields {
            self.expr(&mut field.value, place);
            field.index.iter_mut().for_each(|index| self.expr(index, place));
        }
    }

    /// `Entity(key) with (condition)` reads the item, and its condition sees nothing else.
    fn withs(&mut self, expr: &mut Expr) {
        if let ExprKind::With { condition, .. } = &mut expr.kind {
            self.expr(condition, "the condition of `with` sees the one item");
        }
        expr.children_mut(&mut |child| self.withs(child));
    }

    /// Replaces calls of rules, and reports everything that would have to be read.
    fn expr(&mut self, expr: &mut Expr, place: &str) {
        self.replace(expr, place, &mut Vec::new(), &mut 0);
    }

    /// `open` are the rules that are being put in, `calls` how many were. The parser bounds how deep expressions nest.
    fn replace(&mut self, expr: &mut Expr, place: &str, open: &mut Vec<String>, calls: &mut usize) {
        let span = expr.span;
        if let ExprKind::Call { callee, args } = &mut expr.kind
            && let Some(name) = callee.as_name().map(str::to_owned)
        {
            args.values.iter_mut().for_each(|(_, value)| self.replace(value, place, open, calls));
            if let Some(rule) = self.design.rule(&name) {
                *calls += 1;
                if open.contains(&name) || *calls > MAX_CALLS {
                    let title = format!("the rule `{name}` leads to itself, or to too many others");
                    self.problems.push(UNREAD_HERE.at(span, title));
                    return;
                }
                let mut body = meant(self.design, rule, args, span);
                open.push(name);
                self.replace(&mut body, place, open, calls);
                open.pop();
                *expr = body;
                return;
            }
            let design = self.design;
            let reads = design.pattern(&name).is_some()
                || design.operation(&name).is_some()
                || design.entity(&name).is_some();
            if reads {
                let title = format!("`{name}` would have to be read here");
                let problem = UNREAD_HERE.at(span, title).label("not possible in this place");
                let first = place.chars().next().into_iter().flat_map(char::to_uppercase);
                let note: String = first.chain(place.chars().skip(1)).collect();
                self.problems.push(problem.note(format!("{note}.")));
            }
            return;
        }
        expr.children_mut(&mut |child| self.replace(child, place, open, calls));
    }
}

/// The condition of a rule with its arguments put in. Words keep their meaning, even if an attribute has the same name.
fn meant(design: &Design, rule: &Rule, args: &Args, span: Span) -> Expr {
    let argument = |name: &str| {
        let at = rule.params.iter().position(|param| param.name.is(name))?;
        let by_name =
            args.values.iter().find(|(given, _)| given.as_ref().is_some_and(|given| given.is(name)));
        let by_place = args.values.get(at).filter(|(given, _)| given.is_none());
        let default = rule.params[at].default.as_ref();
        let given = by_name.or(by_place).map(|(_, value)| value).or(default);
        let absent = || Expr { kind: ExprKind::Name { name: "absent".to_owned() }, span };
        Some(given.cloned().unwrap_or_else(absent))
    };
    fn put(expr: &mut Expr, design: &Design, argument: &dyn Fn(&str) -> Option<Expr>, span: Span) {
        expr.span = span;
        if let ExprKind::Name { name } = &expr.kind {
            let is_special = matches!(name.as_str(), "now" | "true" | "false" | "absent" | "null" | "caller");
            if let Some(value) = argument(name) {
                *expr = value;
            } else if !is_special && !design.parameters.iter().any(|each| each.name.is(name)) {
                expr.kind = ExprKind::Text { value: name.clone() };
            }
            return;
        }
        // The name of the callee stays.
        if let ExprKind::Call { args, .. } = &mut expr.kind {
            args.values.iter_mut().for_each(|(_, value)| put(value, design, argument, span));
            return;
        }
        expr.children_mut(&mut |child| put(child, design, argument, span));
    }
    let mut body = rule.condition.clone();
    put(&mut body, design, &argument, span);
    body
}
