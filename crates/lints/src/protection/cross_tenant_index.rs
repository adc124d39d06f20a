//! # cross-tenant-index
//!
//! ## What it notices
//!
//! An index of entities that belong to a tenant has a partition key without the tenant.
//!
//! ## Why it matters
//!
//! A query returns other tenants' items: a filter may hide them, but they are read, billed and one mistake
//! away.
//!
//! ## Example
//!
//! ```sk
//! caller { accountId uuid }
//! table Activities { key (accountId | activityId)  index byResource (resource | activityId) project all }
//! entity Activity in Activities {
//!   accountId  uuid
//!   activityId ulid = new
//!   resource   string(..64)
//!   tenant accountId
//! }
//! pattern ofResource = list Activity by resource page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! caller { accountId uuid }
//! table Activities { key (accountId | activityId)  index byResource (accountId, resource | activityId) project all }
//! entity Activity in Activities {
//!   accountId  uuid
//!   activityId ulid = new
//!   resource   string(..64)
//!   tenant accountId
//! }
//! pattern ofResource = list Activity by accountId, resource page 50
//! ```
//!
//! ## When to allow
//!
//! For an administrator's view over all tenants; make its pattern `system`.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{owner, parts};
use sortkey_design::facts::{Membership, membership};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7003",
    name: "cross-tenant-index",
    theme: Theme::Protection,
    level: Severity::Error,
    source: include_str!("cross_tenant_index.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    if index.local {
        return;
    }
    let users = cx.users_of(index);
    if !users.is_empty() && users.iter().all(|pattern| pattern.system || pattern.verb != ReadVerb::List) {
        return;
    }
    for entity in cx.design.entities_in(table) {
        let Some(owner) = owner(cx.design, entity) else {
            if !users.is_empty() && inherits(table, index, entity, cx) {
                return;
            }
            continue;
        };
        // An entity whose key is the owner is the tenant itself.
        if table.key.sort.is_empty() && table.key.partition.iter().all(|name| *name == owner.name) {
            continue;
        }
        if matches!(membership(entity, &index.key), Membership::Never(_)) {
            continue;
        }
        let parts: Vec<&str> =
            index.key.partition.iter().flat_map(|name| parts(entity, &name.text)).collect();
        let carried = parts.iter().any(|part| cx.design.caller.iter().any(|each| each.name.is(part)));
        if parts.contains(&owner.name.text.as_str())
            || carried
            || parts.iter().any(|part| narrows(cx.design, entity, part))
        {
            continue;
        }
        let title = format!("`{}` mixes the items of all tenants", index.name);
        cx.push(
            cx.at(index.key.span, title)
                .label(format!("does not contain `{}`", owner.name))
                .also(owner.name.span, "whose item it is")
                .note(format!("Put `{}` in front: `({}, ... | ...)`.", owner.name, owner.name)),
        );
        return;
    }
}

/// Reports an entity that belongs to a tenant only through its parent: its index needs a key of one tenant, too.
fn inherits(table: &Table, index: &Index, entity: &Entity, cx: &mut Context<'_>) -> bool {
    let parent = entity.attributes.iter().find_map(|each| {
        let target = cx.design.entity(&each.reference.as_ref()?.entity.text)?;
        (target.name != entity.name).then(|| Some((each, owner(cx.design, target)?)))?
    });
    let Some((reference, owner)) = parent else {
        return false;
    };
    let mut parts = index.key.partition.iter().flat_map(|name| parts(entity, &name.text));
    let never = matches!(membership(entity, &index.key), Membership::Never(_));
    let carried = |part: &str| cx.design.caller.iter().any(|each| each.name.is(part));
    let refers = |part: &str| entity.attribute(part).is_some_and(|each| each.reference.is_some());
    if never || parts.any(|part| carried(part) || refers(part) || narrows(cx.design, entity, part)) {
        return false;
    }
    let title = format!("`{}` mixes the items of all tenants", index.name);
    cx.push(
        cx.at(index.key.span, title)
            .label(format!("contains no `{}`", owner.name))
            .also(reference.name.span, "by which an item belongs to somebody")
            .also(table.name.span, "the table")
            .note(format!(
                "Store `{}` with the items, and put it in front: `({}, ... | ...)`.",
                owner.name, owner.name
            )),
    );
    true
}

/// An id of its own, or a reference: such a partition belongs to one tenant.
fn narrows(design: &Design, entity: &Entity, part: &str) -> bool {
    entity.attribute(part).is_some_and(|attribute| {
        let made = attribute.value.as_ref().is_some_and(|fill| fill.value.is_name("new"));
        let own = entity.uniques.iter().any(|unique| unique.single().is_some_and(|name| name.is(part)));
        let owned = attribute
            .reference
            .as_ref()
            .and_then(|reference| design.entity(&reference.entity.text))
            .is_some_and(|target| {
                target.name != entity.name && crate::vocabulary::owner(design, target).is_some()
            });
        let name = part.strip_suffix("Id").unwrap_or_default();
        let own_id = entity.name.text.eq_ignore_ascii_case(name) && attribute.reference.is_none();
        made || own || own_id || owned || crate::vocabulary::is_shard(attribute)
    })
}
