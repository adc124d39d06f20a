//! # gsi-capacity-missing
//!
//! ## What it notices
//!
//! A table has provisioned capacity, and its global index declares none of its own.
//!
//! ## Why it matters
//!
//! A global index has a capacity of its own. One that is too small throttles the writes of the table.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (jobId)  billing provisioned 10 rcu 10 wcu  index byOwner (ownerId) project keys }
//! entity Job in Jobs {
//!   jobId   uuid = new
//!   ownerId uuid
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (jobId)  billing provisioned 10 rcu 10 wcu  index byOwner (ownerId) project keys provisioned 5 rcu 10 wcu }
//! entity Job in Jobs {
//!   jobId   uuid = new
//!   ownerId uuid
//! }
//! ```
//!
//! ## When to allow
//!
//! When deployment sets it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2014",
    name: "gsi-capacity-missing",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("gsi_capacity_missing.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    if matches!(table.billing, Some(Billing::Provisioned(_))) && index.provisioned.is_none() && !index.local {
        let title = format!("`{}` has no capacity, though its table has provisioned billing", index.name);
        cx.push(
            cx.at(index.name.span, title)
                .label("needs `provisioned n rcu n wcu`")
                .also(table.name.span, "provisioned"),
        );
    }
}
