//! # gsi-read-after-write
//!
//! ## What it notices
//!
//! An operation reads through a global index what it has just written.
//!
//! ## Why it matters
//!
//! A global index follows the table after a moment. The read may not see the write, most likely under load.
//!
//! ## Example
//!
//! ```sk
//! table Shares { key (profileId | targetId)  index byTarget (targetId) project all }
//! entity Share in Shares {
//!   profileId uuid
//!   targetId  uuid
//! }
//! pattern sharesOf = list Share by targetId page 50
//! operation share(profileId, targetId) {
//!   create Share { profileId, targetId }
//!   let all = sharesOf(targetId)
//!   return all
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Shares { key (profileId | targetId)  index byTarget (targetId) project all }
//! entity Share in Shares {
//!   profileId uuid
//!   targetId  uuid
//! }
//! pattern sharesOf = list Share by targetId page 50
//! operation share(profileId, targetId) {
//!   let s = create Share { profileId, targetId }
//!   return s
//! }
//! ```
//!
//! ## When to allow
//!
//! When the caller knows that the newest entry may be missing.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::plan::read;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3014",
    name: "gsi-read-after-write",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("gsi_read_after_write.rs"),
    inspect: Inspect::Operation(inspect),
};

fn inspect(operation: &Operation, cx: &mut Context<'_>) {
    let mut written: Vec<&Name> = Vec::new();
    look(&operation.body, &mut written, cx);
}

fn look<'a>(body: &'a [Stmt], written: &mut Vec<&'a Name>, cx: &mut Context<'_>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Let { value, .. } | StmtKind::Do { value } => match value {
                Value::Action(action) if action.verb.writes() => written.push(&action.entity),
                Value::Action(_) => {}
                Value::Expr(expr) => called(expr, written, cx),
            },
            StmtKind::Return { value } => called(value, written, cx),
            StmtKind::Transact { body } | StmtKind::Each { body, .. } => look(body, written, cx),
            _ => {}
        }
    }
}

fn called(expr: &Expr, written: &[&Name], cx: &mut Context<'_>) {
    let ExprKind::Call { callee, .. } = &expr.kind else {
        return;
    };
    let Some(pattern) = callee.as_name().and_then(|name| cx.design.pattern(name)) else {
        return;
    };
    let Some(plan) = read(cx.design, pattern).and_then(|choice| choice.plan) else {
        return;
    };
    if plan.path.is_global_index() && written.iter().any(|name| **name == plan.entity.name) {
        let title = format!("`{}` may not see what was just written", pattern.name);
        cx.push(
            cx.at(expr.span, title)
                .label(format!("reads through {}", plan.path.describe()))
                .note("Return what the write yields, or read by the table's key."),
        );
    }
}
