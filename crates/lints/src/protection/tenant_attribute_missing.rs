//! # tenant-attribute-missing
//!
//! ## What it notices
//!
//! An entity belongs to something of a tenant, or to a user with several tenants, and does not declare its own tenant.
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
use sortkey_diagnostics::{Severity, a_quoted};

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
        let title = format!("the owner of {} is only a part of a key", a_quoted(&entity.name.text));
        cx.push(
            cx.at(attribute.name.span, title)
                .label("would have to be cut out")
                .note("Store it as an attribute of its own."),
        );
        return;
    }
    let parents = || {
        entity.attributes.iter().filter_map(|each| {
            let target = cx.design.entity(&each.reference.as_ref()?.entity.text)?;
            (target.name != entity.name).then_some((each, target))
        })
    };
    if let Some((attribute, target)) = parents().find(|(_, target)| owner(cx.design, target).is_some()) {
        let title = format!("{} does not say whose it is", a_quoted(&entity.name.text));
        cx.push(
            cx.at(entity.name.span, title)
                .label("each check reads the parent")
                .also(attribute.name.span, format!("only its `{}` does", target.name)),
        );
    } else if let Some((attribute, target, link)) =
        parents().find_map(|(each, target)| Some((each, target, membership(cx.design, target)?)))
    {
        let title = format!("{} does not say for which tenant it is", a_quoted(&entity.name.text));
        cx.push(
            cx.at(entity.name.span, title)
                .label("no tenant")
                .also(attribute.name.span, format!("{} may belong to several", a_quoted(&target.name.text)))
                .also(link.name.span, "as this says"),
        );
    }
}

/// The entity that relates members to tenants, many to many: it refers to both.
fn membership<'a>(design: &'a Design, member: &Entity) -> Option<&'a Entity> {
    let refers = |each: &Entity, name: &Name| {
        each.attributes
            .iter()
            .filter_map(|attribute| attribute.reference.as_ref())
            .any(|to| to.entity == *name)
    };
    let mut tenants = design.caller.iter().filter_map(|each| Some(&each.reference.as_ref()?.entity));
    let tenant = tenants.find(|tenant| **tenant != member.name)?;
    design.entities.iter().find(|each| {
        let keys = sortkey_design::facts::key_attributes(design, each);
        let both = refers(each, tenant) && refers(each, &member.name);
        both && each.name != member.name && keys.len() == 2
    })
}
