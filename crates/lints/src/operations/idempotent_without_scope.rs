//! # idempotent-without-scope
//!
//! ## What it notices
//!
//! A `system` operation is idempotent by one word alone, although it acts for many.
//!
//! ## Why it matters
//!
//! A caller's receipts are the caller's own, but a `system` operation has no caller: the first sender of a word owns it
//! for everybody. If another sender uses the same `evt-1`, the call is refused and its event is lost, and anyone can
//! discover or block the words of others.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (sourceId | eventId) }
//! entity Event in Events {
//!   sourceId uuid
//!   eventId  ulid = new
//!   body     string(1..1_000)
//! }
//! system operation ingest(sourceId, body) idempotent by requestId { create Event { sourceId, body } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (sourceId | eventId) }
//! entity Event in Events {
//!   sourceId uuid
//!   eventId  ulid = new
//!   body     string(1..1_000)
//! }
//! system operation ingest(sourceId, body) idempotent by sourceId, requestId { create Event { sourceId, body } }
//! ```
//!
//! ## When to allow
//!
//! When one sender alone calls it, or its words are unique in the whole world.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::{Fix, Severity};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6021",
    name: "idempotent-without-scope",
    theme: Theme::Operations,
    level: Severity::Error,
    source: include_str!("idempotent_without_scope.rs"),
    inspect: Inspect::Operation(inspect),
};

fn inspect(operation: &Operation, cx: &mut Context<'_>) {
    let Some((by, _)) = &operation.idempotent else { return };
    if !operation.system || !operation.idempotent_within.is_empty() {
        return;
    }
    let title = format!("the same `{by}` of two senders is one call to `{}`", operation.name);
    let problem = cx.at(by.span, title).label("whose word is it?");
    let scope = operation.params.iter().find(|param| !param.optional && param.default.is_none());
    cx.push(match scope {
        Some(param) => {
            let fix = format!("{}, {by}", param.name);
            problem.fix(Fix::new(format!("idempotent by {fix}"), by.span, fix))
        }
        None => {
            problem.note("Name the parameter that says who sends it: `idempotent by accountId, requestId`.")
        }
    });
}
