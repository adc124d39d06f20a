//! # ttl-missing-on-child
//!
//! ## What it notices
//!
//! The items of an entity belong to a parent that expires (they refer to it, or their key starts with its key), but
//! have no TTL attribute themselves. An entity that merely shares a table with one that expires is not meant.
//!
//! ## Why it matters
//!
//! The items stay for ever: children outlive the parent that expired, storage grows, and the promised
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
use sortkey_design::facts::{Source, key_attributes, source};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5006",
    name: "ttl-missing-on-child",
    theme: Theme::Time,
    level: Severity::Warning,
    source: include_str!("ttl_missing_on_child.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let Some(ttl) = &table.ttl else { return };
    if entity.attribute(&ttl.text).is_some() {
        return;
    }
    let Some(parent) = expiring_parent(cx.design, table, entity, ttl) else { return };
    let title = format!("items of `{}` outlive the `{}` they belong to", entity.name, parent.name);
    cx.push(
        cx.at(entity.name.span, title)
            .label(format!("has no `{ttl}`"))
            .also(parent.name.span, "expires")
            .also(ttl.span, "the TTL attribute")
            .note("Copy the expiry of the parent."),
    );
}

/// The expiring entity that the items of another belong to. If a collection has several candidates, one that does not
/// expire is the root, and the others are its children too.
fn expiring_parent<'a>(
    design: &'a Design,
    table: &'a Table,
    child: &Entity,
    ttl: &Name,
) -> Option<&'a Entity> {
    let expires = |entity: &Entity| entity.attribute(&ttl.text).is_some_and(|each| !each.optional);
    let others = || design.entities_in(table).filter(|other| other.name != child.name);
    let refers = |other: &Entity| {
        let mut references = child.attributes.iter().filter(|each| !each.optional);
        references.any(|each| each.reference.as_ref().is_some_and(|to| to.entity == other.name))
    };
    if let Some(parent) = others().find(|other| expires(other) && refers(other)) {
        return Some(parent);
    }
    let above: Vec<&Entity> = others().filter(|other| is_above(design, table, other, child)).collect();
    if above.iter().all(|other| expires(other)) { above.first().copied() } else { None }
}

/// Whether items of one entity lie in the same collection as those of another, with a part of their key.
fn is_above(design: &Design, table: &Table, parent: &Entity, child: &Entity) -> bool {
    let same_partition = table.key.partition.iter().all(|name| {
        match (source(parent, &name.text), source(child, &name.text)) {
            (Some(Source::Template(a)), Some(Source::Template(b))) => a.text() == b.text(),
            (Some(Source::Natural(_)), Some(Source::Natural(_))) => true,
            _ => false,
        }
    });
    let (above, below) = (key_attributes(design, parent), key_attributes(design, child));
    same_partition && above.len() < below.len() && above.iter().all(|name| below.contains(name))
}
