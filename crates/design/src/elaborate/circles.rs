//! Recursive calls, and calls that nest too deep: they would never end, or overflow the stack.
//!
//! Rules, patterns and operations call each other by name. A body that reaches itself has no first answer, since the
//! language has no branch that could end it.

use sortkey_diagnostics::{Diagnostic, Span};

use crate::problems::CIRCLE;
use crate::program::{Callee, Expr, ExprKind, Id, Program, Statement, StatementKind, Value};

/// The maximum depth of nested calls. Our own designs need at most four.
const MOST: usize = 32;

/// Reports every cycle of calls, and every chain of calls that is too long.
pub(super) fn report(program: &Program, problems: &mut Vec<Diagnostic>) {
    let calls = Calls::of(program);
    let mut depths: Vec<Option<usize>> = vec![None; calls.of.len()];
    for start in 0..calls.of.len() {
        // The path from the start, each with the number of its calls that have been visited.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if depths[start].is_none() {
            way.push((start, 0));
        }
        while let Some((at, seen)) = way.last().copied() {
            let Some(next) = calls.of[at].get(seen).copied() else {
                way.pop();
                let inside = calls.of[at].iter().filter_map(|each| depths[*each]).max().unwrap_or(0);
                if inside == MOST {
                    let (name, span) = calls.named(at);
                    let title = format!("calls nest more than {MOST} deep in `{name}`");
                    problems.push(CIRCLE.at(span, title).label("merge some of the steps"));
                }
                depths[at] = Some(inside + 1);
                continue;
            };
            if let Some((_, seen)) = way.last_mut() {
                *seen += 1;
            }
            match way.iter().position(|(each, _)| *each == next) {
                Some(first) => {
                    let names: Vec<&str> =
                        way[first..].iter().map(|(each, _)| calls.named(*each).0).collect();
                    let (name, span) = calls.named(next);
                    let title = format!("`{name}` calls itself: {} -> {name}", names.join(" -> "));
                    problems.push(CIRCLE.at(span, title).label("a call of it would never end"));
                }
                None if depths[next].is_none() => way.push((next, 0)),
                None => {}
            }
        }
    }
}

/// The calls of every callable, by index: rules first, then patterns, then operations.
struct Calls<'p> {
    program: &'p Program,
    of: Vec<Vec<usize>>,
}

impl<'p> Calls<'p> {
    fn of(program: &'p Program) -> Calls<'p> {
        let (rules, patterns) = (program.rules.len(), program.patterns.len());
        let mut of = Vec::new();
        let called = |into: &mut Vec<usize>, expr: &Expr| {
            expr.walk(&mut |each| match &each.kind {
                ExprKind::Rule { rule, .. } => into.push(rule.at()),
                ExprKind::Call { callee: Callee::Pattern(id), .. } => into.push(rules + id.at()),
                ExprKind::Call { callee: Callee::Operation(id), .. } => into.push(rules + patterns + id.at()),
                _ => {}
            });
        };
        for rule in &program.rules {
            let mut calls = Vec::new();
            called(&mut calls, &rule.condition);
            of.push(calls);
        }
        for pattern in &program.patterns {
            let mut calls = Vec::new();
            pattern.requires.iter().for_each(|requires| called(&mut calls, requires));
            of.push(calls);
        }
        for operation in &program.operations {
            let mut calls = Vec::new();
            operation.requires.iter().for_each(|requires| called(&mut calls, requires));
            let handlers = operation.handlers.iter().map(|(_, body)| body);
            for body in std::iter::once(&operation.body).chain(handlers) {
                expressions(body, &mut |expr| called(&mut calls, expr));
            }
            of.push(calls);
        }
        Calls { program, of }
    }

    /// The name and the declaration of the callable at an index.
    fn named(&self, at: usize) -> (&'p str, Span) {
        let design = &self.program.design;
        let (rules, patterns) = (self.program.rules.len(), self.program.patterns.len());
        let name = match at {
            at if at < rules => &design.rules[at].name,
            at if at < rules + patterns => &design.patterns[at - rules].name,
            at => &design.operations[at - rules - patterns].name,
        };
        (&name.text, name.span)
    }
}

/// Every expression of a body that may call something. The parser bounds how deep blocks nest, so this may recurse.
fn expressions(body: &[Statement], visit: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match &statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Do(value)
            | StatementKind::Expect { value, .. } => match value {
                Value::Expr(expr) => visit(expr),
                Value::Action(action) => action.when.iter().for_each(&mut *visit),
            },
            StatementKind::Transact(body) | StatementKind::As { body, .. } => expressions(body, visit),
            StatementKind::Each { list, body, .. } => {
                visit(list);
                expressions(body, visit);
            }
            StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => visit(expr),
            StatementKind::Race { bodies, .. } => bodies.iter().for_each(|body| expressions(body, visit)),
            // Only tests have these, and nothing calls a test.
            StatementKind::Advance { .. }
            | StatementKind::Given { .. }
            | StatementKind::Did { .. }
            | StatementKind::Work => {}
        }
    }
}
