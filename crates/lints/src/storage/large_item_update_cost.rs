//! # large-item-update-cost
//!
//! ## What it notices
//!
//! A large payload and a small status live in one item, and the status changes.
//!
//! ## Why it matters
//!
//! An update bills the whole item, not the change: a status beside 256 KB costs 257 write units each time,
//! and again in each index that copies the item.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (eventId) }
//! entity Delivery in Events {
//!   eventId uuid = new
//!   phase   received | done = received
//!   payload bytes(..256 KB)
//! }
//! operation finish(eventId) { update Delivery(eventId) { phase: done } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events   { key (eventId) }
//! table Payloads { key (eventId) }
//! entity Delivery in Events {
//!   eventId uuid = new
//!   phase   received | done = received
//! }
//! entity Payload in Payloads {
//!   eventId uuid
//!   payload bytes(..256 KB)
//! }
//! operation finish(eventId) { update Delivery(eventId) { phase: done } }
//! ```
//!
//! ## When to allow
//!
//! When payloads are usually small: declare it with `volume ... each`.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{actions, settable};
use sortkey_design::model::*;
use sortkey_design::size::{Bound, largest};
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4004",
    name: "large-item-update-cost",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("large_item_update_cost.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    if entity.volume.as_ref().is_some_and(|volume| volume.each_bytes.is_some_and(|bytes| bytes < 32 * 1024)) {
        return;
    }
    let heavy =
        entity.attributes.iter().filter(|each| each.is_stored()).find_map(|attribute| {
            match largest(cx.design, cx.design.type_of(attribute)) {
                Bound::Bytes(bytes) if bytes >= 100 * 1024 => Some((attribute, bytes)),
                _ => None,
            }
        });
    let Some((attribute, bytes)) = heavy else { return };
    for operation in &cx.design.operations {
        let light = actions(operation).into_iter().find(|site| {
            let updates = site.action.verb == WriteVerb::Update && site.action.entity == entity.name;
            updates && !settable(cx.design, operation, site.action).contains(&attribute.name.text.as_str())
        });
        if let Some(site) = light {
            let title = format!("`{}` pays for `{}` with every change", operation.name, attribute.name);
            cx.push(
                cx.at(attribute.type_place(), title)
                    .label(format!("up to {} write units per update", bytes / 1024 + 1))
                    .also(site.action.verb_span, "changes something else")
                    .note("Keep the payload in an item of its own under the same partition key."),
            );
            return;
        }
    }
}
