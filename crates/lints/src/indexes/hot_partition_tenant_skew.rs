//! # hot-partition-tenant-skew
//!
//! ## What it notices
//!
//! Items are appended in time order under one tenant or parent, or all that a tenant writes goes under one key, and they
//! are so large that one partition takes only a few a second.
//!
//! ## Why it matters
//!
//! A partition takes 1,000 write units a second, and a write costs one unit per kilobyte. The largest tenant
//! is bounded by that, whatever the table's capacity.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (sourceId | at) }
//! entity Event in Events {
//!   at = "{receivedAt}#{eventId}"
//!   sourceId   uuid
//!   eventId    uuid = new
//!   receivedAt time(iso) = now
//!   payload    bytes(..256 KB)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (sourceId | at) }
//! entity Event in Events {
//!   at = "{receivedAt}#{eventId}"
//!   sourceId   uuid
//!   eventId    uuid = new
//!   receivedAt time(iso) = now
//!   payloadUrl string(..500)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the busiest tenant is known and stays below the bound.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{is_log, is_time, owner, parts};
use sortkey_design::model::*;
use sortkey_design::size::{MAX_ITEM_BYTES, item_bound};
use sortkey_diagnostics::Severity;
use sortkey_plan::write_units;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2012",
    name: "hot-partition-tenant-skew",
    theme: Theme::Indexes,
    level: Severity::Hint,
    source: include_str!("hot_partition_tenant_skew.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let Some(sort) = table.key.sort.first() else {
        return;
    };
    let first = parts(entity, &sort.text).into_iter().next();
    let by_time = first.is_some_and(|name| {
        entity
            .attribute(name)
            .map_or(crate::vocabulary::is_time_name(name), |attribute| is_time(cx.design, attribute))
    });
    let (bounded, unbounded) = item_bound(cx.design, entity);
    let open = unbounded.iter().any(|attribute| !matches!(cx.design.type_of(attribute), Type::String { .. }));
    let by_tenant = table.key.partition.iter().all(|name| {
        let tenant = owner(cx.design, entity).map(|owner| owner.name.text.as_str());
        parts(entity, &name.text).into_iter().all(|part| Some(part) == tenant)
    });
    // Under a tenant's key everything meets: what happens all the time, and what has no maximum and is written again.
    let busy = is_log(entity) || entity.attribute("messages").is_some();
    if !(by_time || by_tenant && open && busy) {
        return;
    }
    let declared = entity.volume.as_ref().and_then(|volume| volume.each_bytes);
    let bytes = declared.unwrap_or(if open { MAX_ITEM_BYTES } else { bounded });
    let per_second = 1_000 / write_units(bytes).max(1);
    if per_second < 10 {
        let title = format!("one partition takes about {per_second} such items a second");
        cx.push(cx.at(entity.name.span, title).label(format!("up to {} write units each", write_units(bytes))).also(table.key.span, "appended in time order under one key").note("Keep large payloads elsewhere, declare the usual size with `volume`, or add a shard to the key."));
    }
}
