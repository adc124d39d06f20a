//! # lookup-chain-broken
//!
//! ## What it notices
//!
//! `then get` passes on too few attributes to determine the key of the next item.
//!
//! ## Why it matters
//!
//! BatchGetItem needs whole keys. With a part of the key each element would need a Query of an index: many
//! requests, eventually consistent.
//!
//! ## Example
//!
//! ```sk
//! table Profiles { key (ownerId | profileId) }
//! table Shares   { key (profileId | targetId)  index byTarget (targetId) project all }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! entity Share in Shares {
//!   profileId uuid
//!   targetId  uuid
//! }
//! pattern sharedProfiles = list Share by targetId page 50 then get Profile
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles { key (ownerId | profileId) }
//! table Shares   { key (profileId | targetId)  index byTarget (targetId) project all }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! entity Share in Shares {
//!   profileId uuid
//!   targetId  uuid
//!   ownerId   uuid
//! }
//! pattern sharedProfiles = list Share by targetId page 50 then get Profile
//! ```
//!
//! ## When to allow
//!
//! Never: there is no such request.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::known_key;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3005",
    name: "lookup-chain-broken",
    theme: Theme::Patterns,
    level: Severity::Error,
    source: include_str!("lookup_chain_broken.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(then) = &pattern.then else { return };
    let design = cx.design;
    let (Some(from), Some(next)) =
        (pattern.entities.first().and_then(|name| design.entity(&name.text)), design.entity(&then.text))
    else {
        return;
    };
    let known: Vec<&str> =
        from.attributes.iter().filter(|each| each.is_stored()).map(|each| each.name.text.as_str()).collect();
    let missing = known_key(design, next, &known);
    if !missing.is_empty() {
        let title = format!("`{}` does not carry the whole key of `{}`", from.name, next.name);
        let place = design.table_of(next).map_or(next.name.span, |table| table.key.span);
        cx.push(
            cx.at(then.span, title)
                .label(format!("`{}` is missing", missing.join("`, `")))
                .also(place, "the key it must know")
                .note(format!("Store the missing attribute in `{}`.", from.name)),
        );
    }
}
