//! # idempotent-in-steps
//!
//! ## What it notices
//!
//! An idempotent operation writes more than once: in several statements, in the elements of an `each`, through another
//! operation that it calls, or with an effect.
//!
//! ## Why it matters
//!
//! The receipt that makes a repeat harmless is part of the last write, so that no call finds the receipt of a call that
//! failed. A call that fails or is interrupted before that has done the earlier writes and left no receipt: its repeat does
//! them again. A number is counted twice, an item made twice, a message sent twice; two calls at the same time with one word
//! do so too.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (batch | name) }
//! entity Job in Jobs {
//!   batch uuid
//!   name  slug(1..40)
//!   runs  int(0..) = 0 @counter
//! }
//! operation runAll(batch, names: list(slug(1..40), max 20)) idempotent by requestId {
//!   each name in names { upsert Job(batch, name: name) { runs += 1 } }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (batch | name) }
//! entity Job in Jobs {
//!   batch uuid
//!   name  slug(1..40)
//!   runs  int(0..) = 0 @counter
//! }
//! operation runAll(batch, names: list(slug(1..40), max 20)) idempotent by requestId {
//!   transact {
//!     each name in names { upsert Job(batch, name: name) { runs += 1 } }
//!   }
//! }
//! ```
//!
//! ## When to allow
//!
//! When doing the earlier writes again changes nothing, as with `put` and an `upsert` that only sets, or when what they leave
//! is harmless, as gaps between numbers are.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_plan::repeated_writes;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6022",
    name: "idempotent-in-steps",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("idempotent_in_steps.rs"),
    inspect: Inspect::Operation(inspect),
};

fn inspect(operation: &Operation, cx: &mut Context<'_>) {
    let Some((by, _)) = &operation.idempotent else { return };
    let at = cx.design.operations.iter().position(|each| std::ptr::eq(each, operation));
    let Some(compiled) = at.and_then(|at| cx.program.operations.iter().nth(at)) else { return };
    let Some(again) = repeated_writes(cx.program, compiled).first().copied() else { return };
    let statement = operation.body.iter().find(|each| each.span == again).map(|each| &each.kind);
    let (label, note) = match statement {
        Some(StmtKind::Each { .. }) => (
            "one item after the other",
            "Put the `each` into `transact { }`: all or nothing, up to 100 items, and the receipt with them.".to_owned(),
        ),
        Some(StmtKind::Do { value: Value::Action(_) } | StmtKind::Let { value: Value::Action(_), .. } | StmtKind::Transact { .. }) => (
            "done before the receipt is written",
            "Put all writes into one `transact { }`, and the receipt is written with them. If a later one needs a number that this \
             one counts, read it with `let` before, and let the transaction confirm it: `if n = c.n else Conflict { n += 1 }`."
                .to_owned(),
        ),
        _ => (
            "done before the receipt is written",
            format!(
                "What another operation writes has a receipt of its own if that is `idempotent by` a word that this one hands on, such as \
                 `{by}`; an effect belongs into a worker, which acts once for each item."
            ),
        ),
    };
    let title = format!("a repeat of `{}` may do this again", operation.name);
    cx.push(cx.at(again, title).label(label).also(by.span, "promises that a repeat does nothing").note(note));
}
