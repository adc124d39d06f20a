//! # ttl-read-filter-missing
//!
//! ## What it notices
//!
//! A read of a table with TTL returns expired items.
//!
//! ## Why it matters
//!
//! Items stay readable until TTL deletes them, often for days. Data that a user expects to be gone is still
//! on the screen.
//!
//! ## Example
//!
//! ```sk
//! table Notes { key (userId | noteId)  ttl expiresAt }
//! entity Note in Notes {
//!   userId    uuid
//!   noteId    ulid = new
//!   expiresAt time(s) = now + 30d
//! }
//! pattern notes = list Note by userId page 50 including expired
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Notes { key (userId | noteId)  ttl expiresAt }
//! entity Note in Notes {
//!   userId    uuid
//!   noteId    ulid = new
//!   expiresAt time(s) = now + 30d
//! }
//! pattern notes = list Note by userId page 50
//! ```
//!
//! ## When to allow
//!
//! For archives and exports.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_credential;
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5005",
    name: "ttl-read-filter-missing",
    theme: Theme::Time,
    level: Severity::Warning,
    source: include_str!("ttl_read_filter_missing.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(including) = pattern.including_expired else {
        return;
    };
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    // A condition on the expiry time shows that expired items are intended.
    let ttl = cx.design.table_of(entity).and_then(|table| table.ttl.as_ref());
    let asked = pattern.conditions().into_iter().chain(pattern.filters());
    if ttl.is_some_and(|ttl| asked.into_iter().any(|expr| expr.mentions(&ttl.text))) {
        return;
    }
    let door = pattern.verb == ReadVerb::Get && is_credential(entity);
    if !door && cx.design.table_of(entity).is_some_and(|table| table.ttl.is_some()) {
        let title = format!("`{}` returns items that have expired", pattern.name);
        cx.push(
            cx.at(including.span, title)
                .label("visible until TTL deletes them")
                .note("Leave the words out: expired items are then filtered.")
                .fix(Fix::new("hide expired items", including.span, "").automatic()),
        );
    }
}
