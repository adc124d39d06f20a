//! # hot-partition-monotonic-key
//!
//! ## What it notices
//!
//! The partition key is nothing but a date, a month or another time.
//!
//! ## Why it matters
//!
//! Everything that happens now goes to one partition, and the others rest.
//!
//! ## Example
//!
//! ```sk
//! table Metrics { key (day | metricId) }
//! entity Metric in Metrics {
//!   day      date
//!   metricId uuid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Metrics { key (bucket | metricId) }
//! entity Metric in Metrics {
//!   bucket = "{day}#{shard:pad(2)}"
//!   day      date
//!   metricId uuid = new
//!   shard    int(0..15) := hash(metricId) % 16
//! }
//! ```
//!
//! ## When to allow
//!
//! When fewer than a few hundred writes a second will ever come.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::source;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2011",
    name: "hot-partition-monotonic-key",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("hot_partition_monotonic_key.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let keys = std::iter::once(&table.key)
        .chain(table.indexes.iter().filter(|index| !index.local).map(|index| &index.key));
    for key in keys {
        for entity in cx.design.entities_in(table) {
            let slots: Vec<&str> = key
                .partition
                .iter()
                .filter_map(|name| source(entity, &name.text))
                .flat_map(sortkey_design::facts::Source::slots)
                .collect();
            let temporal = |slot: &&str| {
                entity.attribute(slot).is_some_and(|attribute| cx.design.type_of(attribute).is_temporal())
            };
            if slots.is_empty() || !slots.iter().all(temporal) {
                continue;
            }
            let title = format!("all present writes of `{}` go to one partition", entity.name);
            cx.push(
                cx.at(key.partition[0].span, title)
                    .label("a time alone")
                    .also(entity.name.span, "these items")
                    .note("Add a shard or a tenant to the partition key."),
            );
            return;
        }
    }
}
