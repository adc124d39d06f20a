//! # due-without-path
//!
//! ## What it notices
//!
//! A worker looks for what is due, and no index sorts the items by that time in a known number of partitions.
//!
//! ## Why it matters
//!
//! Finding what is due would take a scan of everything, again and again. An index with one partition for all items would be as hot
//! as the busiest hour, so the items are spread over shards of a bounded type.
//!
//! ## Example
//!
//! ```sk
//! table Jobs "jobs" { key (jobId) }
//! entity Job in Jobs {
//!   jobId  uuid = new
//!   state  waiting | done = waiting
//!   nextAt time(ms) = now when state = waiting
//! }
//! worker send due Job as j by nextAt when state = waiting { update Job(...j) { state: done, nextAt: absent } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  index due (shard | nextAt) project keys sparse }
//! entity Job in Jobs {
//!   jobId  uuid = new
//!   state  waiting | done = waiting
//!   nextAt time(ms) = now when state = waiting
//!   shard  int(0..15) := hash(jobId) % 16 when state = waiting
//! }
//! worker send due Job as j by nextAt when state = waiting { update Job(...j) { state: done, nextAt: absent } }
//! ```
//!
//! ## When to allow
//!
//! Never: such a worker has nothing to read.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7501",
    name: "due-without-path",
    theme: Theme::Workers,
    level: Severity::Error,
    source: include_str!("due_without_path.rs"),
    inspect: Inspect::Worker(inspect),
};

fn inspect(worker: &Worker, cx: &mut Context<'_>) {
    let Trigger::Due { entity, by, pattern: None, .. } = &worker.trigger else { return };
    let Some(table) = cx.design.entity(&entity.text).and_then(|entity| cx.design.table_of(entity)) else {
        return;
    };
    let title = format!("no index finds the `{entity}` items whose `{by}` has come");
    let problem = cx.at(by.span, title).label("sorted by nothing").also(table.name.span, "the table");
    cx.push(problem.note(format!(
        "Add `shard int(0..15) := hash(...) % 16` to `{entity}` and `index due (shard | {by}) project keys sparse` to `{}`.",
        table.name
    )));
}
