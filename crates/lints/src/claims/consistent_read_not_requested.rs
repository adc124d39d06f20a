//! # consistent-read-not-requested
//!
//! ## What it notices
//!
//! A claim promises that a pattern is strongly consistent, and the pattern does not ask for it.
//!
//! ## Why it matters
//!
//! A Query or GetItem is eventually consistent unless the request sets ConsistentRead, whatever key it uses.
//!
//! ## Example
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a uuid = new }
//! pattern x = get X by a
//! claim "lookups are strongly consistent" strong(x)
//! ```
//!
//! ## Better
//!
//! ```sk
//! table A { key (a) }
//! entity X in A { a uuid = new }
//! pattern x = get X by a strong
//! claim "lookups are strongly consistent" strong(x)
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
    code: "SK8003",
    name: "consistent-read-not-requested",
    theme: Theme::Claims,
    level: Severity::Warning,
    source: include_str!("consistent_read_not_requested.rs"),
    inspect: Inspect::Claim(inspect),
};

fn inspect(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::False { found, kind: Kind::Strong } = evaluate(cx, &claim.fact) {
        let title = format!("\"{}\": the reads do not ask for it", claim.sentence);
        cx.push(
            cx.at(claim.fact.span, title)
                .label(found)
                .note("Add `strong` to the pattern; it costs twice the read units."),
        );
    }
}
