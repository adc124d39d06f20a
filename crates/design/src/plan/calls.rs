//! The requests that deciding an expression takes, in the order in which it is decided: rules, items of entities,
//! patterns and operations that it calls.
//!
//! `and`, `or` and `implies` ask only what they must, so their right sides are asked perhaps.

use super::flow::Flow;
use super::pages::reads;
use super::request::Request;
use super::{read, write};
use crate::facts::pattern_signature;
use crate::model::*;
use crate::size::typical_bytes;

/// How far calls of rules and operations are followed.
const MAX_DEPTH: usize = 4;

/// The requests of an expression. The parser bounds how deep expressions nest.
pub(super) fn calls<'d>(design: &'d Design, expr: &'d Expr, depth: usize) -> Flow<'d> {
    let inner = |expr: &'d Expr| calls(design, expr, depth);
    match &expr.kind {
        ExprKind::Binary { op: Op::And | Op::Or | Op::Implies, left, right } => {
            Flow::Seq(vec![inner(left), inner(right).maybe()])
        }
        // What is asked of the item itself makes no requests.
        ExprKind::With { base, .. } => inner(base),
        ExprKind::Call { callee, args } => {
            let mut flows: Vec<Flow<'d>> = args.values.iter().map(|(_, value)| inner(value)).collect();
            flows.push(called(design, callee.as_name().unwrap_or_default(), depth));
            Flow::Seq(flows)
        }
        _ => {
            let mut flows = Vec::new();
            expr.children(&mut |child| flows.push(inner(child)));
            Flow::Seq(flows)
        }
    }
}

fn called<'d>(design: &'d Design, name: &str, depth: usize) -> Flow<'d> {
    if depth >= MAX_DEPTH {
        return Flow::nothing();
    }
    if let Some(rule) = design.rule(name) {
        return calls(design, &rule.condition, depth + 1);
    }
    if let Some(entity) = design.entity(name) {
        return by_rule(design, entity);
    }
    if let Some(pattern) = design.pattern(name) {
        return of_pattern(design, pattern, true, depth + 1);
    }
    match design.operation(name) {
        Some(operation) => write::body(design, operation, depth + 1),
        None => Flow::nothing(),
    }
}

/// `Entity(key)` in a condition is one strong read.
fn by_rule<'d>(design: &'d Design, entity: &'d Entity) -> Flow<'d> {
    let Some(table) = design.table_of(entity) else {
        return Flow::nothing();
    };
    let item = format!("{} for the rule", entity.name);
    Flow::Send(Request::get(table, typical_bytes(design, entity), true, item))
}

/// Everything that a pattern sends: its rule is asked before, or of every item that was found if it speaks of the item.
pub(super) fn of_pattern<'d>(
    design: &'d Design,
    pattern: &'d Pattern,
    to_the_end: bool,
    depth: usize,
) -> Flow<'d> {
    let Some(plan) = read(design, pattern).and_then(|choice| choice.plan) else {
        return Flow::nothing();
    };
    let found = reads(design, pattern, &plan, to_the_end);
    let rule = match &pattern.requires {
        Some(requires) if !pattern.system => calls(design, requires, depth).asked(),
        _ => return found,
    };
    let formals = pattern_signature(design, pattern);
    let named =
        |name: &str| formals.iter().any(|formal| formal.name.is(name)) || pattern.param(name).is_some();
    match pattern.requires.as_ref().is_some_and(|requires| speaks_of(plan.entity, requires, named)) {
        true => Flow::Seq(vec![found, rule.each("the items found", 1.0)]),
        false => Flow::Seq(vec![rule, found]),
    }
}

/// Whether a rule uses names that only the item can answer.
pub(super) fn speaks_of(entity: &Entity, rule: &Expr, is_named: impl Fn(&str) -> bool) -> bool {
    rule.names().into_iter().any(|name| !is_named(name) && entity.attribute(name).is_some())
}
