//! # incomplete-key-for-getitem
//!
//! ## What it notices
//!
//! `get` names fewer attributes than the primary key has.
//!
//! ## Why it matters
//!
//! GetItem needs the whole key; without the sort key the request is refused: "The provided key element does
//! not match the schema".
//!
//! ## Example
//!
//! ```sk
//! table Profiles { key (profileId | recordType) }
//! entity Profile in Profiles {
//!   profileId  uuid = new
//!   recordType string(..20)
//! }
//! pattern profile = get Profile by profileId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles { key (profileId | recordType) }
//! entity Profile in Profiles {
//!   recordType = "METADATA"
//!   profileId uuid = new
//! }
//! pattern profile = get Profile by profileId
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_plan::Obstacle;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3003",
    name: "incomplete-key-for-getitem",
    theme: Theme::Patterns,
    level: Severity::Error,
    source: include_str!("incomplete_key_for_getitem.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(choice) = cx.unserved(pattern) else { return };
    let missing = choice.rejected.iter().find_map(|rejected| match &rejected.obstacle {
        Obstacle::IncompleteKey(missing) => {
            Some((cx.table_of(rejected.path), cx.names(choice.entity, missing).join("`, `")))
        }
        _ => None,
    });
    if let Some((table, missing)) = missing {
        let title = format!("the key of `{}` also needs `{missing}`", table.name);
        cx.push(
            cx.at(pattern.verb_span, title)
                .label("GetItem takes the whole key")
                .also(table.key.span, "the key")
                .note("Bind the missing attribute, make it a constant of the entity, or use `list`."),
        );
    }
}
