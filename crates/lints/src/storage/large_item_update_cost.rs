//! # large-item-update-cost
//!
//! ## What it notices
//!
//! A large payload and a small status live in one item, and the status changes; or a list without a maximum is read and
//! written back whole to add to it.
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
use sortkey_design::facts::{Bound, actions, settable};
use sortkey_design::model::*;
use sortkey_design::size::{Bound as Size, largest};
use sortkey_diagnostics::{Severity, Span};

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
    if let Some((attribute, site)) = rewritten(entity, cx) {
        let title = format!("every addition pays for all of `{}`", attribute.name);
        cx.push(
            cx.at(attribute.type_place(), title)
                .label("no maximum: up to 400 write units per addition")
                .also(site, "written back whole")
                .note("Make each element an item of its own, or keep the last few."),
        );
        return;
    }
    let heavy =
        entity.attributes.iter().filter(|each| each.is_stored()).find_map(|attribute| {
            match largest(cx.design, cx.design.type_of(attribute)) {
                Size::Bytes(bytes) if bytes >= 100 * 1024 => Some((attribute, bytes)),
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

/// A list without a maximum that an operation reads and writes back whole, and where it does.
fn rewritten<'a>(entity: &'a Entity, cx: &Context<'a>) -> Option<(&'a Attribute, Span)> {
    let grows = |attribute: &&Attribute| {
        let mut ty = cx.design.type_of(attribute);
        while let Type::Json { of } = ty {
            ty = of;
        }
        attribute.is_stored() && matches!(ty, Type::List { max: None, .. })
    };
    let attribute = entity.attributes.iter().find(grows)?;
    let reads = |bound: &Bound<'_>| match bound {
        Bound::Value(Value::Action(action)) => action.verb == WriteVerb::Get && action.entity == entity.name,
        _ => false,
    };
    let sites = cx.design.operations.iter().flat_map(actions);
    sites.into_iter().find_map(|site| {
        let written =
            site.action.fields.get(&attribute.name.text).is_some_and(|field| field.op == FieldOp::Set);
        let back = site.action.entity == entity.name && site.action.verb.writes() && written;
        let read = site.lets.iter().any(|(_, bound)| reads(bound));
        (back && read).then_some((attribute, site.action.verb_span))
    })
}
