//! # ttl-attribute-is-event-time
//!
//! ## What it notices
//!
//! The TTL attribute holds the time at which something happened.
//!
//! ## Why it matters
//!
//! TTL has no duration: the attribute's value is the moment of expiry. Items are expired as soon as they are
//! written, and are gone within days.
//!
//! ## Example
//!
//! ```sk
//! table Activities { key (accountId | activityId)  ttl timestamp }
//! entity Activity in Activities {
//!   accountId  uuid
//!   activityId ulid = new
//!   timestamp  time(s) = now
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Activities { key (accountId | activityId)  ttl expiresAt }
//! entity Activity in Activities {
//!   accountId  uuid
//!   activityId ulid = new
//!   timestamp  time(s) = now
//!   expiresAt  time(s) = timestamp + 90d
//! }
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5002",
    name: "ttl-attribute-is-event-time",
    theme: Theme::Time,
    level: Severity::Error,
    source: include_str!("ttl_attribute_is_event_time.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let Some(ttl) = &table.ttl else { return };
    for entity in cx.design.entities_in(table) {
        let Some(attribute) = entity.attribute(&ttl.text) else {
            continue;
        };
        let now = attribute.value.as_ref().is_some_and(|fill| fill.value.is_name("now"));
        let event_name = matches!(
            ttl.text.as_str(),
            "timestamp" | "createdAt" | "created_at" | "receivedAt" | "updatedAt" | "eventTime"
        );
        if now || (event_name && attribute.value.is_none()) {
            let place = attribute.value.as_ref().map_or(attribute.name.span, |fill| fill.value.span);
            let title = format!("items of `{}` are expired when they are written", entity.name);
            cx.push(
                cx.at(place, title)
                    .label("the time it happened, not the time it ends")
                    .also(ttl.span, "the TTL attribute")
                    .note(format!(
                        "Add `expiresAt time(s) = {} + 90d` and make that the TTL attribute.",
                        ttl.text
                    )),
            );
        }
    }
}
