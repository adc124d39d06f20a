//! # scheduling-attribute-without-index
//!
//! ## What it notices
//!
//! An entity has a time at which something is due, and no index finds what is due; or it has a state of
//! waiting and no such time.
//!
//! ## Why it matters
//!
//! A scheduler would have to scan. Work whose message was lost is never found again.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId    uuid = new
//!   nextSyncAt? time(iso)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (sourceId)  index due (shard | nextSyncAt) project keys sparse }
//! entity Source in Sources {
//!   sourceId    uuid = new
//!   nextSyncAt? time(iso)
//!   shard       int(0..15) := hash(sourceId) % 16
//! }
//! ```
//!
//! ## When to allow
//!
//! When a queue or a scheduler outside holds the times.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::source;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5010",
    name: "scheduling-attribute-without-index",
    theme: Theme::Time,
    level: Severity::Warning,
    source: include_str!("scheduling_attribute_without_index.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let due = |name: &str| {
        let lower = name.to_lowercase();
        ["next", "scheduled", "due"].iter().any(|word| lower.starts_with(word))
            && (name.ends_with("At") || name.ends_with("Time") || name.ends_with("Run"))
    };
    for attribute in entity.attributes.iter().filter(|attribute| due(&attribute.name.text)) {
        let indexed = table.indexes.iter().flat_map(|index| &index.key.sort).any(|name| {
            source(entity, &name.text)
                .is_some_and(|source| source.slots().contains(&attribute.name.text.as_str()))
        });
        if !indexed {
            let title = format!("nothing finds the items whose `{}` has come", attribute.name);
            cx.push(cx.at(attribute.name.span, title).label("in no index").also(table.name.span, "the table").note("A sparse index sorted by the time, with a shard as partition key, finds what is due."));
        }
    }
    waits_without_time(entity, cx);
}

fn waits_without_time(entity: &Entity, cx: &mut Context<'_>) {
    let Some(status) = entity.attribute("status") else {
        return;
    };
    let Type::Enum { members, .. } = cx.design.type_of(status) else {
        return;
    };
    let waits = members.iter().any(|member| matches!(member.as_str(), "retrying" | "scheduled"));
    let timed = cx.design.entities.iter().flat_map(|each| &each.attributes).any(|each| {
        let lower = each.name.text.to_lowercase();
        lower.starts_with("next") || lower.starts_with("scheduled")
    });
    if waits && !timed {
        let title = format!("a waiting `{}` does not say until when", entity.name);
        cx.push(
            cx.at(status.name.span, title)
                .label("has a state of waiting")
                .note("Add the time of the next attempt and an index that finds what is due."),
        );
    }
}
