//! # ttl-duration-unspecified
//!
//! ## What it notices
//!
//! The TTL attribute of an entity has no declared value.
//!
//! ## Why it matters
//!
//! "TTL: 30 days" is not a property of a table. Unless each write computes the moment of expiry, items live
//! for ever or for as long as somebody guessed.
//!
//! ## Example
//!
//! ```sk
//! table Notes { key (noteId)  ttl expiresAt }
//! entity Note in Notes {
//!   noteId    uuid = new
//!   expiresAt time(s)
//! }
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
//! ```
//!
//! ## When to allow
//!
//! When the caller really chooses the moment.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5003",
    name: "ttl-duration-unspecified",
    theme: Theme::Time,
    level: Severity::Warning,
    source: include_str!("ttl_duration_unspecified.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let Some(ttl) = &table.ttl else { return };
    for entity in cx.design.entities_in(table) {
        let Some(attribute) = entity.attribute(&ttl.text) else {
            continue;
        };
        let event_name = matches!(
            ttl.text.as_str(),
            "timestamp" | "createdAt" | "created_at" | "receivedAt" | "updatedAt" | "eventTime"
        );
        if attribute.value.is_none() && !event_name {
            let title = format!("nothing says how long {} lives", a_quoted(&entity.name.text));
            cx.push(
                cx.at(attribute.name.span, title)
                    .label("set to what?")
                    .also(ttl.span, "the TTL attribute")
                    .note("Write it where it is true: `expiresAt time(s) = createdAt + 30d`."),
            );
        }
    }
}
