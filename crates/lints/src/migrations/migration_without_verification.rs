//! # migration-without-verification
//!
//! ## What it notices
//!
//! Items are copied, and nothing compares both sides before the new one is used.
//!
//! ## Why it matters
//!
//! A page that failed, an item that could not be mapped, two items that became one: nobody notices until somebody misses
//! them, and then the old tables are gone.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" steps create, write_both, copy, switch, remove { Profile from Profile { } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" { Profile from Profile { } }
//! ```
//!
//! ## When to allow
//!
//! When another tool compares both sides.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9008",
    name: "migration-without-verification",
    theme: Theme::Migrations,
    level: Severity::Warning,
    source: include_str!("migration_without_verification.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    // Without `steps`, `sortkey migrate` does it.
    let says = !migration.mappings.is_empty() && !migration.steps.is_empty();
    if says && !migration.steps.iter().any(|step| step.is("verify")) {
        let title = "nothing says that everything arrived";
        cx.push(
            cx.at(migration.from_span, title)
                .label("no `verify`")
                .note("Count both sides and compare the items, entity by entity, before the switch."),
        );
    }
}
