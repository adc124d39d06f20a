//! # multiple-gsi-changes-one-update
//!
//! ## What it notices
//!
//! More than one index of a table is added or removed between two designs.
//!
//! ## Why it matters
//!
//! "Cannot perform more than one GSI creation or deletion in a single update": a stack update with two of
//! them fails.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles" {
//!   key   (profileId)
//!   index byOwner (ownerId) project keys
//!   index byName  (name) project keys
//! }
//! entity Profile in Profiles {
//!   profileId uuid = new
//!   ownerId   uuid
//!   name      string(..120)
//! }
//! migrate "before.sk" { Profile from Profile { ownerId: profileId, name: "x" } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles" {
//!   key   (profileId)
//!   index byOwner (ownerId) project keys
//! }
//! entity Profile in Profiles {
//!   profileId uuid = new
//!   ownerId   uuid
//! }
//! migrate "before.sk" steps create, write_both, copy, verify, switch, remove { Profile from Profile { ownerId: profileId } }
//! ```
//!
//! ## When to allow
//!
//! When the deployment goes step by step.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9002",
    name: "multiple-gsi-changes-one-update",
    theme: Theme::Migrations,
    level: Severity::Warning,
    source: include_str!("multiple_gsi_changes_one_update.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = &migration.old else { return };
    for table in &cx.design.tables {
        let Some(before) =
            old.tables.iter().find(|other| other.deployed.is_some() && other.deployed == table.deployed)
        else {
            continue;
        };
        let (was, is) = (global(before), global(table));
        let changes = was.iter().filter(|index| !is.contains(index)).count()
            + is.iter().filter(|index| !was.contains(index)).count();
        if changes > 1 {
            let title = format!("{changes} indexes of `{}` change at once", table.name);
            cx.push(
                cx.at(table.name.span, title)
                    .label("one per update")
                    .also(migration.from_span, "compared with this design")
                    .note("Deploy them one after the other, or make a new table."),
            );
        }
    }
}

/// The identity of each global index: its name and its key.
fn global(table: &Table) -> Vec<(&Name, &[Name], &[Name])> {
    let global = table.indexes.iter().filter(|index| !index.local);
    global.map(|index| (&index.name, index.key.partition.as_slice(), index.key.sort.as_slice())).collect()
}
