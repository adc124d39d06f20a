//! # aggregate-without-rollup
//!
//! ## What it notices
//!
//! `sum` or `count` runs over a whole partition of a history.
//!
//! ## Why it matters
//!
//! Every item is read and billed for each answer, and the history only grows. A rollup item per period costs
//! one write per event and one read per question.
//!
//! ## Example
//!
//! ```sk
//! table Usage { key (accountId | at) }
//! entity UsageEvent in Usage {
//!   at = "{time}#{eventId}"
//!   accountId uuid
//!   eventId   uuid = new
//!   time      time(iso) = now
//!   bytes     int(0..)
//! }
//! pattern total = sum(bytes) UsageEvent by accountId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Usage { key (accountId | day) }
//! entity UsageDay in Usage {
//!   accountId uuid
//!   day       date
//!   bytes     int(0..) = 0 @counter
//! }
//! pattern total(month: month) = sum(bytes) UsageDay by accountId where day starts with month
//! ```
//!
//! ## When to allow
//!
//! When the partition is small and bounded: declare it with `volume ... per ... max`.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_log;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_plan::SortUse;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3011",
    name: "aggregate-without-rollup",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("aggregate_without_rollup.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    if !matches!(pattern.verb, ReadVerb::Sum | ReadVerb::Count) {
        return;
    }
    let Some(plan) = cx.plan(pattern) else { return };
    let entity = cx.entity_of(plan.path);
    let bounded = entity
        .volume
        .as_ref()
        .is_some_and(|volume| volume.per.iter().any(|(_, _, max)| max.is_some_and(|max| max <= 1_000)));
    if matches!(plan.sort, SortUse::Whole | SortUse::Prefix) && is_log(entity) && !bounded {
        let title = format!("`{}` reads a whole history for one number", pattern.name);
        cx.push(
            cx.at(pattern.verb_span, title)
                .label("every item is read and billed")
                .also(entity.name.span, "grows with use")
                .note("Keep a rollup item per period, moved in the transaction that writes the event."),
        );
    }
}
