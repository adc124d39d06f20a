//! # key-schema-change-in-place
//!
//! ## What it notices
//!
//! A table keeps its deployed name and changes its key.
//!
//! ## Why it matters
//!
//! The key of a table cannot be changed. Deployment tools replace the table: the data is gone, or the name
//! is taken.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles" { key (ownerId | profileId) }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! migrate "before.sk" { Profile from Profile { } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (ownerId | profileId) }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! migrate "before.sk" steps create, write_both, copy, verify, switch, remove { Profile from Profile { } }
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9001",
    name: "key-schema-change-in-place",
    theme: Theme::Migrations,
    level: Severity::Error,
    source: include_str!("key_schema_change_in_place.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = &migration.old else { return };
    for table in &cx.design.tables {
        let before =
            old.tables.iter().find(|other| other.deployed.is_some() && other.deployed == table.deployed);
        let changed = before.is_some_and(|before| {
            before.key.partition != table.key.partition || before.key.sort != table.key.sort
        });
        if changed {
            let name = table.deployed.as_deref().unwrap_or_default();
            let title = format!("the key of table \"{name}\" cannot change");
            cx.push(
                cx.at(table.key.span, title)
                    .label("another key than before")
                    .also(migration.from_span, "the design before")
                    .note(format!("Give the new table a new name (\"{name}-v2\") and copy.")),
            );
        }
    }
}
