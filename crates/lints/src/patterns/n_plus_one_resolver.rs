//! # n-plus-one-resolver
//!
//! ## What it notices
//!
//! An operation reads once per element of a list.
//!
//! ## Why it matters
//!
//! Fifty elements are fifty requests, one after the other. BatchGetItem takes a hundred keys at once, and
//! what the list already carries need not be read again.
//!
//! ## Example
//!
//! ```sk
//! table Profiles { key (profileId) }
//! table Shares { key (targetId | profileId) }
//! entity Profile in Profiles { profileId uuid = new }
//! entity Share in Shares { targetId uuid  profileId uuid }
//! pattern sharesOf = list Share by targetId page 50
//! pattern profile  = get Profile by profileId
//! operation sharedProfiles(targetId) {
//!   let all = sharesOf(targetId)
//!   each s in all { let p = profile(s.profileId) }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles { key (profileId) }
//! table Shares { key (targetId | profileId) }
//! entity Profile in Profiles { profileId uuid = new }
//! entity Share in Shares { targetId uuid  profileId uuid }
//! pattern sharedProfiles = list Share by targetId page 50 then get Profile
//! ```
//!
//! ## When to allow
//!
//! When the list is never longer than a few elements.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3015",
    name: "n-plus-one-resolver",
    theme: Theme::Patterns,
    level: Severity::Hint,
    source: include_str!("n_plus_one_resolver.rs"),
    inspect: Inspect::Operation(inspect),
};

fn inspect(operation: &Operation, cx: &mut Context<'_>) {
    for statement in &operation.body {
        let StmtKind::Each { body, .. } = &statement.kind else {
            continue;
        };
        for inner in body {
            let reads = match &inner.kind {
                StmtKind::Let { value: Value::Expr(expr), .. }
                | StmtKind::Do { value: Value::Expr(expr) } => {
                    matches!(&expr.kind, ExprKind::Call { callee, .. } if callee.as_name().is_some_and(|name| cx.design.pattern(name).is_some()))
                }
                StmtKind::Let { value: Value::Action(action), .. } => action.verb == WriteVerb::Get,
                _ => false,
            };
            if reads {
                let title = format!("`{}` reads once per element", operation.name);
                cx.push(
                    cx.at(inner.span, title)
                        .label("one request each")
                        .also(statement.span, "for every element")
                        .note("Use `then get` in the pattern, or carry the attribute in the listed item."),
                );
            }
        }
    }
}
