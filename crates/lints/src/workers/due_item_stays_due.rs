//! # due-item-stays-due
//!
//! ## What it notices
//!
//! The body of a `due` worker never writes the item, neither itself nor in an operation that it calls.
//!
//! ## Why it matters
//!
//! The item stays due. It would be run again and again until the worker gives up and puts it aside.
//!
//! ## Example
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  index due (shard | nextAt) project keys sparse }
//! entity Job in Jobs {
//!   jobId  uuid = new
//!   state  waiting | done = waiting
//!   nextAt time(ms) = now when state = waiting
//!   shard  int(0..15) := hash(jobId) % 16 when state = waiting
//! }
//! effect ping() -> { status int } = http POST "https://example.com"
//! worker send due Job as j by nextAt when state = waiting { do ping() }
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
//! effect ping() -> { status int } = http POST "https://example.com"
//! worker send due Job as j by nextAt when state = waiting {
//!   let r = do ping()
//!   update Job(...j) { state: done, nextAt: absent }
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: write the item, with a later time or in another state.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

use super::writes;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7503",
    name: "due-item-stays-due",
    theme: Theme::Workers,
    level: Severity::Error,
    source: include_str!("due_item_stays_due.rs"),
    inspect: Inspect::Worker(inspect),
};

fn inspect(worker: &Worker, cx: &mut Context<'_>) {
    let Trigger::Due { entity, by, .. } = &worker.trigger else { return };
    let Some(body) = cx.design.operation(&worker.operation) else { return };
    if !writes(cx.design, body, entity, 0) {
        let title = format!("`{}` never writes the `{entity}`, which stays due", worker.name);
        let problem = cx.at(worker.name.span, title).also(by.span, "due again at once");
        cx.push(problem.note(format!(
            "Set `{by}` to a later time, or move the item into a state in which it is not due."
        )));
    }
}
