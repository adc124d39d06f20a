//! # distinct-count-not-additive
//!
//! ## What it notices
//!
//! A number of distinct things is added to, like a counter.
//!
//! ## Why it matters
//!
//! Distinct counts of two days do not add up: who came on both is counted twice.
//!
//! ## Example
//!
//! ```sk
//! table Usage { key (accountId | day) }
//! entity UsageDay in Usage {
//!   accountId   uuid
//!   day         date
//!   uniqueUsers int(0..) = 0
//! }
//! operation seen(accountId, day) { upsert UsageDay(accountId, day) { uniqueUsers += 1 } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Usage { key (accountId | day) }
//! entity UsageDay in Usage {
//!   accountId uuid
//!   day       date
//!   visits    int(0..) = 0
//! }
//! operation seen(accountId, day) { upsert UsageDay(accountId, day) { visits += 1 } }
//! ```
//!
//! ## When to allow
//!
//! When each thing surely comes once.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::ActionSite;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6019",
    name: "distinct-count-not-additive",
    theme: Theme::Operations,
    level: Severity::Hint,
    source: include_str!("distinct_count_not_additive.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(_operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    for field in site.action.fields.fields.iter().filter(|field| field.op == FieldOp::Add) {
        let Some(name) = field.path.first() else { continue };
        let lower = name.text.to_lowercase();
        if lower.starts_with("unique") || lower.starts_with("distinct") || lower.starts_with("active") {
            let title = format!("`{name}` cannot be counted by adding");
            cx.push(
                cx.at(field.span, title)
                    .label("counts repeats")
                    .note("Keep one item per distinct thing and count those, or a set of bounded size."),
            );
        }
    }
}
