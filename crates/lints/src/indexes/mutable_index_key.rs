//! # mutable-index-key
//!
//! ## What it notices
//!
//! A status is a key of an index, and the design does not declare how often it changes.
//!
//! ## Why it matters
//!
//! Each change deletes an index entry and inserts another: two index writes for one.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (accountId | jobId)  index byStatus (accountId | status) project keys }
//! entity Job in Jobs {
//!   accountId uuid
//!   jobId     uuid = new
//!   status    pending | running | done = pending
//!   volume 1_000 items, 1 KB each, 10 per accountId
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (accountId | jobId)  index byStatus (accountId | status) project keys }
//! entity Job in Jobs {
//!   accountId uuid
//!   jobId     uuid = new
//!   status    pending | running | done = pending
//!   states status { pending -> running  running -> done }
//!   volume 1_000 items, 1 KB each, 10 per accountId
//! }
//! ```
//!
//! ## When to allow
//!
//! When the status changes rarely.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::source;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2013",
    name: "mutable-index-key",
    theme: Theme::Indexes,
    level: Severity::Hint,
    source: include_str!("mutable_index_key.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    for entity in cx.design.entities_in(table) {
        for name in index.key.attributes() {
            for slot in
                source(entity, &name.text).map(sortkey_design::facts::Source::slots).unwrap_or_default()
            {
                let Some(attribute) = entity.attribute(slot) else {
                    continue;
                };
                let changing = matches!(slot, "status" | "state")
                    && matches!(cx.design.type_of(attribute), Type::Enum { .. });
                let declared = entity
                    .states
                    .iter()
                    .any(|states| states.path.first().is_some_and(|first| first.is(slot)));
                if changing && !declared {
                    let title = format!("each change of `{slot}` writes `{}` twice", index.name);
                    cx.push(
                        cx.at(name.span, title)
                            .label("delete and insert")
                            .also(attribute.name.span, "how often does it change?")
                            .note("Declare its `states`, so that the changes of one item are counted."),
                    );
                }
            }
        }
    }
}
