//! # migration-without-cutover
//!
//! ## What it notices
//!
//! Items are copied, and the migration does not handle writes that happen meanwhile.
//!
//! ## Why it matters
//!
//! A copy takes minutes or hours. A write to the old tables after its page was read is lost when the new ones take
//! over.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" steps create, copy, verify, switch, remove { Profile from Profile { } }
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
//! When nothing writes to the old tables any more.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9007",
    name: "migration-without-cutover",
    theme: Theme::Migrations,
    level: Severity::Warning,
    source: include_str!("migration_without_cutover.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let bridged = |step: &Name| ["freeze", "write_both", "replay"].iter().any(|word| step.is(word));
    // Without `steps`, `sortkey migrate` does it.
    let says = !migration.mappings.is_empty() && !migration.steps.is_empty();
    if says && !migration.steps.iter().any(bridged) {
        let title = "what is written during the copy is lost";
        cx.push(
            cx.at(migration.from_span, title)
                .label("no `freeze`, no `write_both`, no `replay`")
                .note("For example `steps create, write_both, copy, verify, switch, remove`."),
        );
    }
}
