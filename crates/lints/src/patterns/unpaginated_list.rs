//! # unpaginated-list
//!
//! ## What it notices
//!
//! A list has neither `page`, nor `limit`, nor `all`.
//!
//! ## Why it matters
//!
//! A Query returns at most 1 MB. Without a cursor the rest is silently missing.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (userId | sourceId) }
//! entity Source in Sources {
//!   userId   uuid
//!   sourceId uuid = new
//! }
//! pattern sources = list Source by userId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (userId | sourceId) }
//! entity Source in Sources {
//!   userId   uuid
//!   sourceId uuid = new
//! }
//! pattern sources = list Source by userId page 50
//! ```
//!
//! ## When to allow
//!
//! Never: `all` declares that every page is followed.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3008",
    name: "unpaginated-list",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("unpaginated_list.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    if pattern.is_list() && pattern.page.is_none() && pattern.limit.is_none() && !pattern.all {
        let title = format!("`{}` stops silently after 1 MB", pattern.name);
        cx.push(
            cx.at(pattern.verb_span, title)
                .label("no page, limit or all")
                .note("Write `page n` for a cursor, `limit n`, or `all` to follow every page.")
                .fix(Fix::new("page it", pattern.span.after(), " page 50").automatic()),
        );
    }
}
