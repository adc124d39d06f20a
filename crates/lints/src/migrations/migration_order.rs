//! # migration-order
//!
//! ## What it notices
//!
//! A step reads what an earlier step has changed or removed, or the old tables go while they are still in use.
//!
//! ## Why it matters
//!
//! Deploying a table with another key replaces it: what was to be copied is gone. Code that runs meanwhile reads what is not
//! there any more.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" steps change, write_both, copy, verify, switch { Profile from Profile { } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" steps create, write_both, copy, verify, switch, remove { Profile from Profile { } }
//! ```
//!
//! ## When to allow
//!
//! Never: the old data goes last.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9006",
    name: "migration-order",
    theme: Theme::Migrations,
    level: Severity::Error,
    source: include_str!("migration_order.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let gone = |step: &Name| step.is("change") || step.is("remove");
    let needs_old =
        |step: &Name| ["write_both", "copy", "replay", "verify", "switch"].iter().any(|word| step.is(word));
    let Some(at) = migration.steps.iter().position(gone) else {
        return;
    };
    let destroyed = &migration.steps[at];
    if let Some(step) = migration.steps[at..].iter().find(|step| needs_old(step)) {
        let title = format!("`{step}` needs what `{destroyed}` has taken away");
        cx.push(
            cx.at(step.span, title)
                .label("the old items are gone")
                .also(destroyed.span, "here")
                .note("Make new tables beside the old ones, copy, verify, switch, and remove last."),
        );
    }
}
