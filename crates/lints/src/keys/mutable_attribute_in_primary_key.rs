//! # mutable-attribute-in-primary-key
//!
//! ## What it notices
//!
//! A generic patch may change an attribute that is part of the primary key.
//!
//! ## Why it matters
//!
//! The key of an item cannot be changed. Giving an item to another owner or parent is a delete and a create
//! in one transaction, with everything that hangs on it.
//!
//! ## Example
//!
//! ```sk
//! table Profiles { key (ownerId | profileId) }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//!   name      string(1..120)
//! }
//! operation updateProfile(key: key(Profile), changes: patch(Profile)) { update Profile(...key) { ...changes } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles { key (ownerId | profileId) }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//!   name      string(1..120)
//! }
//! operation updateProfile = update Profile [name]
//! ```
//!
//! ## When to allow
//!
//! When the patch is checked elsewhere; listing the attributes is simpler.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{ActionSite, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1006",
    name: "mutable-attribute-in-primary-key",
    theme: Theme::Keys,
    level: Severity::Hint,
    source: include_str!("mutable_attribute_in_primary_key.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(_operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    if action.verb != WriteVerb::Update || action.fields.spreads.is_empty() {
        return;
    }
    let Some(entity) = cx.design.entity(&action.entity.text) else {
        return;
    };
    for key in key_attributes(cx.design, entity) {
        let Some(attribute) = entity.attribute(key) else {
            continue;
        };
        if attribute.value.is_some() || attribute.has("immutable") {
            continue;
        }
        let title = format!("a patch may change `{key}`, which is part of the key of `{}`", entity.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("cannot be changed in place")
                .also(action.verb_span, "this patch takes any attribute")
                .note("List the attributes that may change, and write a move as delete and create in `transact`."),
        );
        return;
    }
}
