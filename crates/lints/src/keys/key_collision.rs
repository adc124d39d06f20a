//! # key-collision
//!
//! ## What it notices
//!
//! Two different items get the same primary key: the key lacks an attribute that distinguishes them according
//! to `unique`, or two entities of a table can produce the same key.
//!
//! ## Why it matters
//!
//! DynamoDB keeps one item per key. The second write replaces the first without a word.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (PK | SK) }
//! entity Attempt in Events {
//!   PK = "EVT#{eventId}"  SK = "ATT#{attemptNumber:pad(2)}"
//!   eventId       uuid
//!   connectionId  uuid
//!   attemptNumber int(1..8)
//!   unique eventId, connectionId, attemptNumber
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (PK | SK) }
//! entity Attempt in Events {
//!   PK = "EVT#{eventId}"  SK = "ATT#{connectionId}#{attemptNumber:pad(2)}"
//!   eventId       uuid
//!   connectionId  uuid
//!   attemptNumber int(1..8)
//!   unique eventId, connectionId, attemptNumber
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: data is lost.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::key_attributes;
use sortkey_design::keyspace::collision;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1003",
    name: "key-collision",
    theme: Theme::Keys,
    level: Severity::Error,
    source: include_str!("key_collision.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    key_lacks_identity(entity, cx);
    let Some(table) = cx.design.table_of(entity).filter(|table| table.kind.is_none()) else {
        return;
    };
    let earlier = cx.design.entities_in(table).take_while(|other| other.name != entity.name);
    for other in earlier {
        let Some(witness) = collision(cx.design, table, entity, other) else {
            continue;
        };
        let place = entity.templates.first().map_or(entity.name.span, |template| template.text_span);
        let title = format!("items of `{}` and `{}` can have the same key", entity.name, other.name);
        cx.push(
            cx.at(place, title)
                .label("can produce the key of another entity")
                .also(other.name.span, "the other entity")
                .note(format!("For example {:?}: the later write replaces the earlier.", witness.values))
                .note("Begin each entity's key with a word of its own."),
        );
    }
}

/// Every attribute of a `unique` clause is missing from the key or in it: a key that is a true part of it collides.
fn key_lacks_identity(entity: &Entity, cx: &mut Context<'_>) {
    let keys = key_attributes(cx.design, entity);
    for unique in
        entity.uniques.iter().filter(|unique| unique.when.is_none() && unique.names.len() > keys.len())
    {
        let lacking: Vec<&str> =
            unique.names.iter().map(|name| name.text.as_str()).filter(|name| !keys.contains(name)).collect();
        if keys.is_empty()
            || lacking.is_empty()
            || !keys.iter().all(|key| unique.names.iter().any(|name| name.is(key)))
        {
            continue;
        }
        let place = entity.templates.last().map_or(entity.name.span, |template| template.text_span);
        let title = format!(
            "two items of `{}` that differ only in `{}` have one key",
            entity.name,
            lacking.join("`, `")
        );
        cx.push(
            cx.at(place, title)
                .label("does not tell them apart")
                .also(unique.span, "these together identify an item")
                .note("The second write replaces the first. Put the missing attribute into the key."),
        );
    }
}
