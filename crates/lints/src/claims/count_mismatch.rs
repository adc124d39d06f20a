//! # count-mismatch
//!
//! ## What it notices
//!
//! A claim states a number of tables or indexes that the design does not have.
//!
//! ## Why it matters
//!
//! Totals in a document are the first thing to go stale, and the first that a reader trusts.
//!
//! ## Example
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a uuid = new }
//! claim "two tables" tables = 2
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

use super::facts::{Kind, Outcome, evaluate};
use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK8002",
    name: "count-mismatch",
    theme: Theme::Claims,
    level: Severity::Error,
    source: include_str!("count_mismatch.rs"),
    inspect: Inspect::Claim(inspect),
};

fn inspect(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::False { found, kind: Kind::Count } = evaluate(cx, &claim.fact) {
        let title = format!("\"{}\" is not what the design counts", claim.sentence);
        cx.push(cx.at(claim.fact.span, title).label(found));
    }
}
