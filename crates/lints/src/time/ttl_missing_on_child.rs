//! # ttl-missing-on-child
//!
//! ## What it notices
//!
//! An entity in a table with TTL has no TTL attribute, though others there have.
//!
//! ## Why it matters
//!
//! Its items stay for ever: children outlive the parent that expired, storage grows, and the promised
//! retention is broken.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (PK | SK)  ttl expiresAt }
//! entity Event in Events {
//!   PK = "EVT#{eventId}"  SK = "EVENT"
//!   eventId   uuid = new
//!   expiresAt time(s) = now + 7d
//! }
//! entity Attempt in Events {
//!   PK = "EVT#{eventId}"  SK = "ATT#{attemptId}"
//!   eventId   uuid
//!   attemptId ulid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (PK | SK)  ttl expiresAt }
//! entity Event in Events {
//!   PK = "EVT#{eventId}"  SK = "EVENT"
//!   eventId   uuid = new
//!   expiresAt time(s) = now + 7d
//! }
//! entity Attempt in Events {
//!   PK = "EVT#{eventId}"  SK = "ATT#{attemptId}"
//!   eventId   uuid
//!   attemptId ulid = new
//!   expiresAt time(s) = now + 7d
//! }
//! ```
//!
//! ## When to allow
//!
//! When these items are meant to stay.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5006",
    name: "ttl-missing-on-child",
    theme: Theme::Time,
    level: Severity::Error,
    source: include_str!("ttl_missing_on_child.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let Some(ttl) = &table.ttl else { return };
    let others = cx
        .design
        .entities_in(table)
        .any(|other| other.name != entity.name && other.attribute(&ttl.text).is_some());
    if entity.attribute(&ttl.text).is_none() && others {
        let title = format!("items of `{}` never expire", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label(format!("has no `{ttl}`"))
                .also(ttl.span, "the TTL attribute")
                .note("Copy the expiry of the parent."),
        );
    }
}
