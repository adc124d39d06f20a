//! # counter-without-period-guard
//!
//! ## What it notices
//!
//! A counter of a period is incremented without looking at the period.
//!
//! ## Why it matters
//!
//! At the turn of the month a reset and the increments of both months interleave: counts land in the wrong
//! month or are wiped out.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId         uuid = new
//!   usageThisMonth int(0..) = 0
//! }
//! operation use(userId) load 10/s { update User(userId) { usageThisMonth += 1 } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Usage { key (userId | period) }
//! entity MonthOfUse in Usage {
//!   userId uuid
//!   period month
//!   used   int(0..) = 0
//! }
//! operation use(userId) load 10/s { upsert MonthOfUse(userId, period: month(now)) { used += 1 } }
//! ```
//!
//! ## When to allow
//!
//! When a lost count at the turn of a period does not matter.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::ActionSite;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6007",
    name: "counter-without-period-guard",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("counter_without_period_guard.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(_operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    const PERIODS: [&str; 8] =
        ["thismonth", "today", "thisweek", "thisyear", "daily", "monthly", "weekly", "thisperiod"];
    let action = site.action;
    let guarded = action
        .condition
        .as_ref()
        .is_some_and(|condition| condition.names().iter().any(|name| name.to_lowercase().contains("period")));
    for field in action.fields.fields.iter().filter(|field| field.op == FieldOp::Add) {
        let Some(name) = field.path.first() else { continue };
        if !guarded && PERIODS.iter().any(|period| name.text.to_lowercase().ends_with(period)) {
            let title = format!("`{name}` is counted without looking at the period");
            cx.push(
                cx.at(field.span, title).label("which month is it?").note(
                    "One item per period needs no reset: make the period part of the key and `upsert`.",
                ),
            );
        }
    }
}
