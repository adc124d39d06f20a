//! # history-not-time-ordered
//!
//! ## What it notices
//!
//! A history, log or feed is listed by its partition, but sorted by an id that is unrelated to time.
//!
//! ## Why it matters
//!
//! The newest entries cannot be read first, nor a stretch of time: everything is read to find the end.
//!
//! ## Example
//!
//! ```sk
//! table Runs { key (jobId | runId) }
//! entity JobRun in Runs {
//!   jobId     uuid
//!   runId     uuid = new
//!   startedAt time(iso) = now
//! }
//! pattern runs = list JobRun by jobId page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Runs { key (jobId | runId) }
//! entity JobRun in Runs {
//!   jobId     uuid
//!   runId     ulid = new
//!   startedAt time(iso) = now
//! }
//! pattern runs = list JobRun by jobId page 50
//! ```
//!
//! ## When to allow
//!
//! When an index ordered by time serves the readers who care.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{is_history, is_time};
use sortkey_design::model::*;
use sortkey_design::program::Id;
use sortkey_diagnostics::Severity;
use sortkey_plan::{SortUse, Way};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3007",
    name: "history-not-time-ordered",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("history_not_time_ordered.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    if pattern.verb != ReadVerb::List || pattern.order.is_some() {
        return;
    }
    let Some(plan) = cx.plan(pattern) else { return };
    let entity = cx.entity_of(plan.path);
    if !is_history(entity)
        || plan.path.way != Way::Key
        || !matches!(plan.sort, SortUse::Whole | SortUse::Prefix)
    {
        return;
    }
    let Some(open) = plan.ordered_by.map(|id| &entity.attributes[id.at()]) else { return };
    let opaque = matches!(
        cx.design.type_of(open),
        Type::Id { body: IdBody::Uuid | IdBody::Nanoid(_), .. } | Type::String { .. }
    );
    let timed = entity.attributes.iter().any(|attribute| is_time(cx.design, attribute));
    let composite = open.name.text.contains('#');
    let table = cx.table_of(plan.path);
    let other_order = table.indexes.iter().any(|index| {
        index.key.partition == table.key.partition
            && index
                .key
                .sort
                .first()
                .and_then(|name| entity.attribute(&name.text))
                .is_some_and(|attribute| is_time(cx.design, attribute))
    });
    if opaque && timed && !composite && !other_order && !is_time(cx.design, open) {
        let title = format!("`{}` lists a history that is not sorted by time", pattern.name);
        cx.push(
            cx.at(pattern.verb_span, title)
                .label(format!("sorted by `{}`", open.name))
                .also(table.key.span, "the key")
                .note("Put the time in front of the id in the sort key, or use a ULID."),
        );
    }
}
