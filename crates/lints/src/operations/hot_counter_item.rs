//! # hot-counter-item
//!
//! ## What it notices
//!
//! A counter, or the time of the last use, on a central item is written once per event or request.
//!
//! ## Why it matters
//!
//! One item takes 1,000 writes a second, and each is written again into every index that copies it.
//! Everybody's configuration waits behind the counting.
//!
//! ## Example
//!
//! ```sk
//! table Main { key (userId)  index byMail (mail) project all }
//! entity User in Main {
//!   userId         uuid = new
//!   mail           string(..200)
//!   usageThisMonth int(0..) = 0
//!   period         month
//! }
//! operation use(userId, period) { update User(userId) if it.period = period { usageThisMonth += 1 } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Main { key (userId)  index byMail (mail) project all }
//! entity User in Main {
//!   userId         uuid = new
//!   mail           string(..200)
//!   usageThisMonth int(0..) = 0
//!   period         month
//! }
//! operation use(userId, period, n: int(1..)) load 1/m { update User(userId) if it.period = period { usageThisMonth += n } }
//! ```
//!
//! ## When to allow
//!
//! When events are rare: declare the load instead.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{ActionSite, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6009",
    name: "hot-counter-item",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("hot_counter_item.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let Some(entity) = cx.design.entity(&action.entity.text) else {
        return;
    };
    let sharded = key_attributes(cx.design, entity)
        .iter()
        .any(|key| entity.attribute(key).is_some_and(crate::vocabulary::is_shard));
    let calm = operation.load.is_some_and(|load| load.peak() < 500.0);
    // A `due` worker moves what was collected, at the times that the items name.
    let is_due = |worker: &Worker| {
        matches!(worker.trigger, Trigger::Due { .. }) && operation.name.is(&worker.operation)
    };
    if sharded || calm || cx.design.workers.iter().any(is_due) {
        return;
    }
    // A stamp beside other changes comes with them, not with every event.
    let fields = &action.fields.fields;
    let touches = |field: &&Field| {
        crate::vocabulary::is_per_event(field) && (field.op == FieldOp::Add || fields.len() == 1)
    };
    for field in fields.iter().filter(touches) {
        let title = format!("every event writes this one `{}`", entity.name);
        cx.push(cx.at(field.span, title).label("1,000 a second at most").also(entity.name.span, "a central item").note("Collect and write once a minute (declare `load`), or shard the counter in a table of its own."));
    }
}
