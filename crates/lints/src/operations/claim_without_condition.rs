//! # claim-without-condition
//!
//! ## What it notices
//!
//! An operation takes work from a list of what is due, and marks it without a condition.
//!
//! ## Why it matters
//!
//! Two workers read the same list and both do the work.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (jobId)  index due (shard | nextRunAt) project all }
//! entity Job in Jobs {
//!   jobId     uuid = new
//!   shard     int(0..3) := hash(jobId) % 4
//!   nextRunAt time(iso)
//!   phase     waiting | running = waiting
//! }
//! pattern dueJobs = list Job by shard in all where nextRunAt <= now page 50
//! operation work {
//!   let jobs = dueJobs()
//!   each j in jobs { update Job(...j) { phase: running } }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (jobId)  index due (shard | nextRunAt) project all }
//! entity Job in Jobs {
//!   jobId     uuid = new
//!   shard     int(0..3) := hash(jobId) % 4
//!   nextRunAt time(iso)
//!   phase     waiting | running = waiting
//! }
//! pattern dueJobs = list Job by shard in all where nextRunAt <= now page 50
//! operation work {
//!   let jobs = dueJobs()
//!   each j in jobs { update Job(...j) if phase = waiting else Taken { phase: running } }
//! }
//! ```
//!
//! ## When to allow
//!
//! When the work may be done twice.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6018",
    name: "claim-without-condition",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("claim_without_condition.rs"),
    inspect: Inspect::Operation(inspect),
};

fn inspect(operation: &Operation, cx: &mut Context<'_>) {
    for statement in &operation.body {
        let StmtKind::Each { body, .. } = &statement.kind else {
            continue;
        };
        for inner in body {
            let StmtKind::Do { value: Value::Action(action) } = &inner.kind else {
                continue;
            };
            let Some(entity) = cx.design.entity(&action.entity.text) else {
                continue;
            };
            let due = entity
                .attributes
                .iter()
                .any(|each| each.name.text.starts_with("next") || each.name.text.starts_with("scheduled"));
            let machine =
                action.fields.fields.iter().any(|field| {
                    entity.states.iter().any(|states| states.path.first() == field.path.first())
                });
            if action.verb == WriteVerb::Update && action.condition.is_none() && due && !machine {
                let title = "two workers can take the same work";
                cx.push(
                    cx.at(action.span, title)
                        .label("no condition")
                        .note("Say what must still hold: `if phase = waiting else Taken`."),
                );
            }
        }
    }
}
