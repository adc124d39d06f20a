//! # lease-shorter-than-effects
//!
//! ## What it notices
//!
//! The effects of one run may take longer than the lease of its item.
//!
//! ## Why it matters
//!
//! When the lease ends, another run begins while the first one still waits for an answer. The effect happens twice, and one of the
//! two runs fails when it writes.
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
//! effect ping() -> { status int } = http POST "https://example.com" timeout 30s
//! worker send due Job as j by nextAt when state = waiting lease 10s {
//!   let r = do ping()
//!   update Job(...j) { state: done, nextAt: absent }
//! }
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
//! effect ping() -> { status int } = http POST "https://example.com" timeout 30s
//! worker send due Job as j by nextAt when state = waiting lease 60s {
//!   let r = do ping()
//!   update Job(...j) { state: done, nextAt: absent }
//! }
//! ```
//!
//! ## When to allow
//!
//! When the effect surely answers sooner than its timeout.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

use super::done;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7504",
    name: "lease-shorter-than-effects",
    theme: Theme::Workers,
    level: Severity::Error,
    source: include_str!("lease_shorter_than_effects.rs"),
    inspect: Inspect::Worker(inspect),
};

fn inspect(worker: &Worker, cx: &mut Context<'_>) {
    if !matches!(worker.trigger, Trigger::Due { .. }) {
        return;
    }
    let Some(body) = cx.design.operation(&worker.operation) else { return };
    let mut longest_ms = 0;
    done(&body.body, &mut |name| longest_ms += cx.design.effect(name).map_or(0, |effect| effect.timeout_ms));
    if longest_ms >= worker.lease_ms {
        let (lease, longest) = (worker.lease_ms / 1_000, longest_ms / 1_000);
        let title = format!("the lease ends after {lease} s, and the effects may take {longest} s");
        let problem = cx.at(worker.lease_span.unwrap_or(worker.name.span), title);
        cx.push(
            problem
                .label("another run begins meanwhile")
                .note("Make the lease longer, or the timeouts shorter."),
        );
    }
}
