//! # put-without-not-exists
//!
//! ## What it notices
//!
//! `put` writes an item whose key is not freshly made.
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
//! When replacing is meant.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{ActionSite, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6002",
    name: "put-without-not-exists",
    theme: Theme::Operations,
    level: Severity::Error,
    source: include_str!("put_without_not_exists.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(_operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let Some(entity) = cx.design.entity(&action.entity.text) else {
        return;
    };
    let fresh = key_attributes(cx.design, entity).iter().any(|key| {
        entity
            .attribute(key)
            .is_some_and(|attribute| attribute.value.as_ref().is_some_and(|fill| fill.value.is_name("new")))
    });
    if action.verb == WriteVerb::Put && !fresh {
        let title = format!("this replaces an existing `{}` without a word", entity.name);
        cx.push(
            cx.at(action.verb_span, title)
                .label("no condition")
                .note("`create` refuses an existing key; `upsert` changes what is named and keeps the rest.")
                .fix(Fix::new("create it", action.verb_span, "create")),
        );
    }
}
