//! # replicas-not-created
//!
//! ## What it notices
//!
//! A table has `replicas`.
//!
//! ## Why it matters
//!
//! The embedded engine has one region, and `sortkey up` creates tables in one region. Only what `sortkey generate` writes for
//! CloudFormation, Terraform and the CDK creates replicas.
//!
//! ## Example
//!
//! ```sk
//! table Notes { key (noteId)  replicas eu-west-1 }
//! entity Note in Notes {
//!   noteId uuid = new
//! }
//! pattern note = get Note by noteId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Notes { key (noteId) }
//! entity Note in Notes {
//!   noteId uuid = new
//! }
//! pattern note = get Note by noteId
//! ```
//!
//! ## When to allow
//!
//! When the tables are deployed by `sortkey generate`, or their replicas are created outside of Sortkey.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4022",
    name: "replicas-not-created",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("replicas_not_created.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let Some(first) = table.replicas.first() else { return };
    // Tables that take the clause from `defaults` share one place, which is reported once.
    let problem = cx.at(first.span, "`replicas` has no effect").label("no replica is created");
    cx.push(problem.note("The embedded engine has one region, and `up` creates tables in one region."));
}
