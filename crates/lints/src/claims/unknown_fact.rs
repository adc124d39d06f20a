//! # unknown-fact
//!
//! ## What it notices
//!
//! A claim names a fact that does not exist, or names it in a way that cannot be evaluated.
//!
//! ## Why it matters
//!
//! A claim that is never evaluated is worse than none: it looks checked.
//!
//! ## Example
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a uuid = new }
//! claim "it is fast" speed(X) = 9
//! ```
//!
//! ## Better
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a uuid = new }
//! claim "one table" tables = 1
//! ```
//!
//! ## When to allow
//!
//! Never.

use super::facts::{Outcome, evaluate};
use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK8005",
    name: "unknown-fact",
    theme: Theme::Claims,
    level: Severity::Error,
    source: include_str!("unknown_fact.rs"),
    inspect: Inspect::Claim(inspect),
};

fn inspect(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::Unknown(reason) = evaluate(cx, &claim.fact) {
        let title = format!("\"{}\" cannot be checked", claim.sentence);
        cx.push(cx.at(claim.fact.span, title).label(reason).note("The facts are tables, global_indexes, key(T), path(p), strong(p), requests(p), cost(p, rate), lifetime(E), expires(E), soft_deletes(E), length(E.a), stores(T, a), holds(T, E), writes(op, T), tenant_isolated(E), all_times(unit)."));
    }
}
