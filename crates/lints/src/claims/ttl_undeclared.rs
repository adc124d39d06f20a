//! # ttl-undeclared
//!
//! ## What it notices
//!
//! The prose promises that items expire, and their table has no `ttl`, or they lack its attribute.
//!
//! ## Why it matters
//!
//! Nothing is ever deleted: the retention that was promised is not kept, and the table grows.
//!
//! ## Example
//!
//! ```sk
//! table Notices { key (userId | noticeId) }
//! entity Notice in Notices {
//!   userId   uuid
//!   noticeId ulid = new
//! }
//! claim "notices expire" expires(Notice)
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Notices { key (userId | noticeId)  ttl expiresAt }
//! entity Notice in Notices {
//!   userId    uuid
//!   noticeId  ulid = new
//!   expiresAt time(s) = now + 30d
//! }
//! claim "notices expire" expires(Notice)
//! ```
//!
//! ## When to allow
//!
//! Never: correct the sentence or the design.

use super::facts::{Kind, Outcome, evaluate};
use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK8006",
    name: "ttl-undeclared",
    theme: Theme::Claims,
    level: Severity::Error,
    source: include_str!("ttl_undeclared.rs"),
    inspect: Inspect::Claim(inspect),
};

fn inspect(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::False { kind: Kind::Expiry, .. } = evaluate(cx, &claim.fact) {
        let title = format!("\"{}\", but nothing expires", claim.sentence);
        cx.push(
            cx.at(claim.fact.span, title)
                .label("no `ttl`, or no such attribute")
                .note("Declare `ttl` for the table, and fill its attribute in every item."),
        );
    }
}
