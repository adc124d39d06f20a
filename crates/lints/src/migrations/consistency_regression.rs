//! # consistency-regression
//!
//! ## What it notices
//!
//! A pattern that read the table by its key reads through a global index in the new design.
//!
//! ## Why it matters
//!
//! Reads that were strongly consistent on request now always lag: create, then get, finds nothing.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (ownerId | profileId)  index byId (profileId) project all }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! pattern profile = get Profile by profileId
//! migrate "before.sk" { Profile from Profile { ownerId: owner } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (ownerId | profileId)  index byId (profileId) project all }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! pattern profile   = get Profile by profileId
//! pattern profileOf = get Profile by ownerId, profileId strong
//! migrate "before.sk" steps create, write_both, copy, verify, switch, remove { Profile from Profile { ownerId: owner } }
//! ```
//!
//! ## When to allow
//!
//! When nobody reads right after writing.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::program::Callee;
use sortkey_design::{Design, Program};
use sortkey_diagnostics::Severity;
use sortkey_plan::{Way, read};
use std::sync::Arc;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9005",
    name: "consistency-regression",
    theme: Theme::Migrations,
    level: Severity::Warning,
    source: include_str!("consistency_regression.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = &migration.old else { return };
    let old = Program::of(&Arc::new(Design::clone(old)));
    for pattern in cx.design.patterns.iter().filter(|pattern| pattern.verb == ReadVerb::Get) {
        let Some(Callee::Pattern(before)) = old.callee(&pattern.name.text) else {
            continue;
        };
        let was_table =
            read(&old, before).and_then(|choice| choice.plan).is_some_and(|plan| plan.path.way == Way::Key);
        let now_index = cx.plan(pattern).is_some_and(|plan| plan.path.is_global_index(cx.program));
        let alternative = cx.design.patterns.iter().any(|other| {
            other.verb == ReadVerb::Get
                && other.entities == pattern.entities
                && cx.plan(other).is_some_and(|plan| plan.path.way == Way::Key)
        });
        if was_table && now_index && !alternative {
            let title = format!("`{}` was read by the table's key and is now a moment behind", pattern.name);
            cx.push(
                cx.at(pattern.verb_span, title)
                    .label("now through a global index")
                    .also(migration.from_span, "by the key in this design")
                    .note("Pass the whole key where it is known, and keep the index for where it is not."),
            );
        }
    }
}
