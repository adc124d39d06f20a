//! # projection-unspecified
//!
//! ## What it notices
//!
//! An index does not declare its projection, or every index of a larger design copies everything.
//!
//! ## Why it matters
//!
//! The projection decides what each write to the table costs again for the index, and whether a reader needs
//! a second request. It cannot be changed later. The default of most tools, everything, is the dearest.
//!
//! ## Example
//!
//! ```sk
//! table Orders { key (orderId)  index bySeason (seasonId) }
//! entity Order in Orders {
//!   orderId  uuid = new
//!   seasonId uuid
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Orders { key (orderId)  index bySeason (seasonId) project keys }
//! entity Order in Orders {
//!   orderId  uuid = new
//!   seasonId uuid
//! }
//! ```
//!
//! ## When to allow
//!
//! When copying everything was weighed against the patterns that read the index.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2004",
    name: "projection-unspecified",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("projection_unspecified.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let indexes: Vec<&Index> = cx.design.tables.iter().flat_map(|table| &table.indexes).collect();
    for index in indexes.iter().filter(|index| index.projection.is_none()) {
        let title = format!("`{}` does not say what it copies", index.name);
        cx.push(cx.at(index.name.span, title).label("project all, keys, or some attributes?").note("The projection is fixed when the index is made: write `project keys`, `project [a, b]` or `project all`."));
    }
    let everything = indexes.iter().all(|index| index.projection == Some(Projection::All));
    if indexes.len() > 7 && everything {
        let first = indexes[0];
        let title = format!("all {} indexes copy every attribute", indexes.len());
        cx.push(
            cx.at(first.projection_span.unwrap_or(first.span), title)
                .label("each write is paid again in full for each index")
                .note("Copy what the patterns return."),
        );
    }
}
