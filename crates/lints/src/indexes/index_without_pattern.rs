//! # index-without-pattern
//!
//! ## What it notices
//!
//! No pattern of the design reads through the index.
//!
//! ## Why it matters
//!
//! Every write to the table pays for it. Either the pattern that needs it is missing from the design, or the
//! index is.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (jobId)  index byOwner (ownerId) project keys }
//! entity Job in Jobs {
//!   jobId   uuid = new
//!   ownerId uuid
//! }
//! pattern job = get Job by jobId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (jobId)  index byOwner (ownerId) project keys }
//! entity Job in Jobs {
//!   jobId   uuid = new
//!   ownerId uuid
//! }
//! pattern jobsOf = list Job by ownerId page 50
//! ```
//!
//! ## When to allow
//!
//! When something outside the design reads it: a report, a console.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2006",
    name: "index-without-pattern",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("index_without_pattern.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(_table: &Table, index: &Index, cx: &mut Context<'_>) {
    if !cx.design.patterns.is_empty() && cx.users_of(index).is_empty() {
        let title = format!("no pattern reads through `{}`", index.name);
        cx.push(
            cx.at(index.name.span, title)
                .label("paid by every write, used by nothing")
                .note("Write the pattern that needs it, or drop it."),
        );
    }
}
