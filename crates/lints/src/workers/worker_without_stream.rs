//! # worker-without-stream
//!
//! ## What it notices
//!
//! A worker follows the changes of an entity, and the table has no stream with both images.
//!
//! ## Why it matters
//!
//! Changes are read from the table's stream. Without it nothing starts the worker, and without the images it does not see the item.
//!
//! ## Example
//!
//! ```sk
//! table Jobs "jobs" { key (jobId) }
//! entity Job in Jobs { jobId uuid = new  seen bool = false }
//! worker look on create Job as j { update Job(...j) { seen: true } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs "jobs" { key (jobId)  stream new_and_old_images }
//! entity Job in Jobs { jobId uuid = new  seen bool = false }
//! worker look on create Job as j { update Job(...j) { seen: true } }
//! ```
//!
//! ## When to allow
//!
//! Never: such a worker never runs.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7502",
    name: "worker-without-stream",
    theme: Theme::Workers,
    level: Severity::Error,
    source: include_str!("worker_without_stream.rs"),
    inspect: Inspect::Worker(inspect),
};

fn inspect(worker: &Worker, cx: &mut Context<'_>) {
    let Trigger::On { entity, .. } = &worker.trigger else { return };
    let Some(table) = cx.design.entity(&entity.text).and_then(|entity| cx.design.table_of(entity)) else {
        return;
    };
    if table.stream.as_ref().is_some_and(|stream| stream.is("new_and_old_images")) {
        return;
    }
    let title = format!("nothing says when {} changes", a_quoted(&entity.to_string()));
    let problem = cx
        .at(entity.span, title)
        .label("its table has no stream of changes")
        .also(table.name.span, "the table");
    cx.push(problem.note(format!("Add `stream new_and_old_images` to `{}`.", table.name)));
}
