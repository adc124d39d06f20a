//! The requests of evaluating an expression, in order: rules, items of entities, patterns and operations that it calls.
//!
//! `and`, `or` and `implies` short-circuit, so the requests of their right sides are optional, and so are those of the values
//! of `choose`.

use sortkey_design::model::Op;
use sortkey_design::program::{Callee, EntityId, Expr, ExprKind, Pattern, Program};

use crate::flow::Flow;
use crate::pages::reads;
use crate::request::{Request, Role};
use crate::{ReadPlan, read, write};

/// How far calls of rules and operations are followed.
const MAX_DEPTH: usize = 4;

/// The requests of an expression. The parser bounds how deep expressions nest.
pub(crate) fn calls(program: &Program, expr: &Expr, depth: usize) -> Flow {
    let inner = |expr: &Expr| calls(program, expr, depth);
    match &expr.kind {
        ExprKind::Binary { op: Op::And | Op::Or | Op::Implies, left, right } => {
            Flow::Seq(vec![inner(left), inner(right).maybe()])
        }
        ExprKind::Choose { arms, otherwise } => {
            let arms = arms.iter().enumerate().flat_map(|(at, (condition, value))| {
                let asked = inner(condition);
                [if at == 0 { asked } else { asked.maybe() }, inner(value).maybe()]
            });
            Flow::Seq(arms.chain(otherwise.iter().map(|value| inner(value).maybe())).collect())
        }
        // A condition on the item itself makes no requests.
        ExprKind::With { item, .. } => inner(item),
        _ => {
            let mut flows = Vec::new();
            expr.children(&mut |child| flows.push(inner(child)));
            flows.push(called(program, expr, depth));
            Flow::Seq(flows)
        }
    }
}

/// The requests that an expression sends by itself.
fn called(program: &Program, expr: &Expr, depth: usize) -> Flow {
    if depth >= MAX_DEPTH {
        return Flow::nothing();
    }
    match &expr.kind {
        ExprKind::Rule { rule, .. } => calls(program, &program.rules[*rule].condition, depth + 1),
        ExprKind::ItemAt(key) => by_rule(program, key.entity),
        ExprKind::Call { callee: Callee::Pattern(id), .. } => match read(program, *id).and_then(|it| it.plan)
        {
            Some(plan) => planned(program, &program.patterns[*id], &plan, true, depth + 1),
            None => Flow::nothing(),
        },
        ExprKind::Call { callee: Callee::Operation(id), .. } => write::body(program, *id, depth + 1),
        _ => Flow::nothing(),
    }
}

/// `Entity(key)` in a condition is one strong read.
fn by_rule(program: &Program, entity: EntityId) -> Flow {
    let of = &program.entities[entity];
    match of.table {
        Some(table) => {
            let item = format!("{} for the rule", of.name);
            Flow::Send(Request::get((table, Role::Item(entity)), of.volume.bytes, true, item))
        }
        None => Flow::nothing(),
    }
}

/// All requests of a pattern. Its rule is evaluated first, or for every item found if it refers to the item.
pub(crate) fn planned(
    program: &Program,
    pattern: &Pattern,
    plan: &ReadPlan,
    to_the_end: bool,
    depth: usize,
) -> Flow {
    let found = reads(program, pattern, plan, to_the_end);
    match &pattern.requires {
        Some(requires) if !pattern.system => {
            let rule = calls(program, requires, depth).asked();
            match requires.concerns_item() {
                true => Flow::Seq(vec![found, rule.each("the items found", 1.0)]),
                false => Flow::Seq(vec![rule, found]),
            }
        }
        _ => found,
    }
}
