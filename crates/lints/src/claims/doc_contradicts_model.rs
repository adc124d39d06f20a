//! # doc-contradicts-model
//!
//! ## What it notices
//!
//! A claim does not hold.
//!
//! ## Why it matters
//!
//! A sentence of the documentation does not match the design. One of the two is wrong.
//!
//! ## Example
//!
//! ```sk
//! table Notes { key (noteId)  ttl expiresAt }
//! entity Note in Notes {
//!   noteId    uuid = new
//!   createdAt time(s) = now
//!   expiresAt time(s) = createdAt + 30d
//! }
//! claim "notes live 90 days" lifetime(Note) = 90d
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Notes { key (noteId)  ttl expiresAt }
//! entity Note in Notes {
//!   noteId    uuid = new
//!   createdAt time(s) = now
//!   expiresAt time(s) = createdAt + 30d
//! }
//! claim "notes live 30 days" lifetime(Note) = 30d
//! ```
//!
//! ## When to allow
//!
//! Never: correct the sentence or the design.

use super::facts::{Outcome, evaluate};
use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK8001",
    name: "doc-contradicts-model",
    theme: Theme::Claims,
    level: Severity::Error,
    source: include_str!("doc_contradicts_model.rs"),
    inspect: Inspect::Claim(inspect),
};

fn inspect(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::False { found, kind: super::facts::Kind::Other } = evaluate(cx, &claim.fact) {
        let title = format!("the design does not bear out \"{}\"", claim.sentence);
        cx.push(cx.at(claim.fact.span, title).label(found));
    }
}
