//! # put-without-not-exists
//!
//! ## What it notices
//!
//! `put` writes an item whose key is not freshly made. Each entity is named once, at its first `put`.
//!
//! ## Why it matters
//!
//! PutItem replaces whatever is there. A key that "must be unique" does not refuse a second owner: it
//! silently forgets the first.
//!
//! ## Example
//!
//! ```sk
//! table Invites { key (code) }
//! entity Invite in Invites {
//!   code      string(26)
//!   profileId uuid
//! }
//! operation invite = put Invite
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Invites { key (code) }
//! entity Invite in Invites {
//!   code      string(26)
//!   profileId uuid
//! }
//! operation invite = create Invite
//! ```
//!
//! ## When to allow
//!
//! When replacing is meant, as in a cache or an import.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{actions, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6002",
    name: "put-without-not-exists",
    theme: Theme::Operations,
    level: Severity::Hint,
    source: include_str!("put_without_not_exists.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let fresh = key_attributes(cx.design, entity).iter().any(|key| {
        entity
            .attribute(key)
            .is_some_and(|attribute| attribute.value.as_ref().is_some_and(|fill| fill.value.is_name("new")))
    });
    if fresh {
        return;
    }
    let design = cx.design;
    let sites = design.operations.iter().flat_map(actions);
    let mut puts = sites.map(|site| site.action).filter(|action| {
        action.verb == WriteVerb::Put && action.entity == entity.name && !cx.is_allowed(action.verb_span)
    });
    if let Some(action) = puts.next() {
        let title = format!("`put` replaces the whole `{}` if there is one", entity.name);
        cx.push(
            cx.at(action.verb_span, title)
                .label("no condition")
                .note("`create` refuses an existing key; `upsert` changes what is named and keeps the rest.")
                .fix(Fix::new("refuse an existing key", action.verb_span, "create")),
        );
    }
}
