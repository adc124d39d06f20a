//! # worker-starts-itself
//!
//! ## What it notices
//!
//! A worker that follows the updates of an entity updates items of that entity, under no condition.
//!
//! ## Why it matters
//!
//! Its own write is a change as well: it runs again, and again. DynamoDB writes no record where nothing changed, but a counter or a
//! time always does.
//!
//! ## Example
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  stream new_and_old_images }
//! entity Job in Jobs { jobId uuid = new  looks int = 0 @counter }
//! worker look on update Job as j { update Job(...j) { looks += 1 } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  stream new_and_old_images }
//! entity Job in Jobs { jobId uuid = new  looks int = 0 @counter }
//! worker look on update Job as j when looks < 3 { update Job(...j) { looks += 1 } }
//! ```
//!
//! ## When to allow
//!
//! When the write changes nothing the second time.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

use super::writes;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7505",
    name: "worker-starts-itself",
    theme: Theme::Workers,
    level: Severity::Warning,
    source: include_str!("worker_starts_itself.rs"),
    inspect: Inspect::Worker(inspect),
};

fn inspect(worker: &Worker, cx: &mut Context<'_>) {
    let Trigger::On { changes, entity, when: None } = &worker.trigger else { return };
    let Some(body) = cx.design.operation(&worker.operation) else { return };
    if changes.contains(&Change::Update) && writes(cx.design, body, entity, 0) {
        let title = format!("`{}` follows updates of `{entity}`, and makes some", worker.name);
        let problem = cx.at(worker.name.span, title).also(entity.span, "starts it again");
        cx.push(problem.note("Say with `when` which updates it follows."));
    }
}
