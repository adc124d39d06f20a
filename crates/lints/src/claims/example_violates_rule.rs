//! # example-violates-rule
//!
//! ## What it notices
//!
//! A claim about the length of a value does not fit the type.
//!
//! ## Why it matters
//!
//! An example in the documentation that breaks its own rule sends every reader the wrong way.
//!
//! ## Example
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a id("usr_", nanoid 16) = new }
//! claim "ids have 16 characters" length(X.a) = 16
//! ```
//!
//! ## Better
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a id("usr_", nanoid 16) = new }
//! claim "ids have 20 characters" length(X.a) = 20
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
    code: "SK8004",
    name: "example-violates-rule",
    theme: Theme::Claims,
    level: Severity::Error,
    source: include_str!("example_violates_rule.rs"),
    inspect: Inspect::Claim(inspect),
};

fn inspect(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::False { found, kind: Kind::Length } = evaluate(cx, &claim.fact) {
        let title = format!("\"{}\" does not fit the type", claim.sentence);
        cx.push(cx.at(claim.fact.span, title).label(found));
    }
}
