//! # hot-partition-low-cardinality
//!
//! ## What it notices
//!
//! A partition key has only a handful of values: an enum, a flag, a constant.
//!
//! ## Why it matters
//!
//! All items fall into these few partitions. One partition takes 1,000 write and 3,000 read units a second;
//! a throttled index pushes back on its table.
//!
//! ## Example
//!
//! ```sk
//! table Activities { key (activityId)  index byKind (kind) project keys }
//! entity Activity in Activities {
//!   activityId uuid = new
//!   kind       source | user | job
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Activities { key (activityId)  index byKind (accountId | kind) project keys }
//! entity Activity in Activities {
//!   activityId uuid = new
//!   accountId  uuid
//!   kind       source | user | job
//! }
//! ```
//!
//! ## When to allow
//!
//! When there are few items for ever: settings, a short list of public things.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_shard;
use sortkey_design::facts::{Source, source};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2010",
    name: "hot-partition-low-cardinality",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("hot_partition_low_cardinality.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let indexes = table.indexes.iter().filter(|index| !index.local).map(|index| (&index.key, &index.name));
    for (key, owner) in std::iter::once((&table.key, &table.name)).chain(indexes) {
        for entity in cx.design.entities_in(table).filter(|entity| !is_small(entity)) {
            let Some(values) = values(cx.design, entity, key) else {
                continue;
            };
            let Some(partition) = key.partition.first() else {
                continue;
            };
            let title = format!(
                "the items of `{}` share {values} partition key value{} in `{owner}`",
                entity.name,
                if values == 1 { "" } else { "s" }
            );
            cx.push(cx.at(partition.span, title).label("1,000 writes a second at most for each value").also(entity.name.span, "these items").note("Put something with many values in front (a tenant), or a shard: `shard int(0..15) := hash(id) % 16`."));
        }
    }
}

/// The number of partition key values, if it is small and not a shard by intent.
fn values(design: &Design, entity: &Entity, key: &Key) -> Option<u64> {
    let mut product = 1_u64;
    for name in &key.partition {
        let source = source(entity, &name.text)?;
        if let Source::Natural(attribute) = source
            && matches!(attribute.value.as_ref().map(|fill| &fill.value.kind), Some(ExprKind::Text { .. }))
        {
            continue;
        }
        for slot in source.slots() {
            let attribute = entity.attribute(slot)?;
            if is_shard(attribute) {
                return None;
            }
            product = product.saturating_mul(design.type_of(attribute).cardinality()?);
        }
    }
    (product <= 64).then_some(product)
}

/// A few thousand items are read and written through any number of partitions.
fn is_small(entity: &Entity) -> bool {
    entity.volume.as_ref().is_some_and(|volume| volume.items <= 10_000)
}
