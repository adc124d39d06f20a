//! # tenant-attribute-missing
//!
//! ## What it notices
//!
//! An entity hangs on something that belongs to a tenant, and does not say to whom it belongs itself.
//!
//! ## Why it matters
//!
//! Every permission check needs another read, of the parent or the parent's parent, or is left out.
//!
//! ## Example
//!
//! ```sk
//! caller { accountId uuid }
//! table Profiles { key (accountId | profileId) }
//! table Seasons  { key (profileId | seasonId) }
//! entity Profile in Profiles {
//!   accountId uuid
//!   profileId uuid = new
//! }
//! entity Season in Seasons {
//!   profileId -> Profile
//!   seasonId  uuid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! caller { accountId uuid }
//! table Profiles { key (accountId | profileId) }
//! table Seasons  { key (profileId | seasonId) }
//! entity Profile in Profiles {
//!   accountId uuid
//!   profileId uuid = new
//! }
//! entity Season in Seasons {
//!   profileId -> Profile
//!   seasonId  uuid = new
//!   accountId uuid
//!   tenant accountId
//! }
//! ```
//!
//! ## When to allow
//!
//! When the parent is always read first.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::owner;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7005",
    name: "tenant-attribute-missing",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("tenant_attribute_missing.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    if cx.design.caller.is_empty() || owner(cx.design, entity).is_some() {
        return;
    }
    let inside = entity.attributes.iter().find(|each| {
        each.name.text.contains('#')
            && cx
                .design
                .caller
                .iter()
                .any(|carried| each.name.text.split('#').any(|part| carried.name.is(part)))
    });
    if let Some(attribute) = inside {
        let title = format!("the owner of a `{}` is only a part of a key", entity.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("would have to be cut out")
                .note("Store it as an attribute of its own."),
        );
        return;
    }
    let parent = entity.attributes.iter().find_map(|each| {
        let target = cx.design.entity(&each.reference.as_ref()?.entity.text)?;
        (target.name != entity.name && owner(cx.design, target).is_some()).then_some((each, target))
    });
    if let Some((attribute, target)) = parent {
        let title = format!("a `{}` does not say whose it is", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("each check reads the parent")
                .also(attribute.name.span, format!("only its `{}` does", target.name)),
        );
    }
}
