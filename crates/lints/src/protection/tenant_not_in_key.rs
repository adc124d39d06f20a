//! # tenant-not-in-key
//!
//! ## What it notices
//!
//! An entity belongs to a tenant, its key does not contain the tenant, and no `tenant` clause makes up for
//! it.
//!
//! ## Why it matters
//!
//! A caller with the id of another tenant's item, known or guessed, can read it. Isolation depends on a check
//! after the read, which must not be forgotten in any place.
//!
//! ## Example
//!
//! ```sk
//! caller { accountId uuid }
//! table Connections { key (connectionId) }
//! entity Connection in Connections {
//!   connectionId uuid = new
//!   accountId    uuid
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! caller { accountId uuid }
//! table Connections { key (connectionId) }
//! entity Connection in Connections {
//!   connectionId uuid = new
//!   accountId    uuid
//!   tenant accountId
//! }
//! ```
//!
//! ## When to allow
//!
//! When items are shared between tenants.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{owner, parts};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7004",
    name: "tenant-not-in-key",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("tenant_not_in_key.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity).filter(|_| entity.tenant.is_none()) else {
        return;
    };
    let Some(owner) = owner(cx.design, entity) else {
        return;
    };
    let carried = cx.design.caller.iter().any(|each| each.name == owner.name);
    let parts: Vec<&str> = table.key.partition.iter().flat_map(|name| parts(entity, &name.text)).collect();
    let in_key = parts.iter().any(|part| cx.design.caller.iter().any(|each| each.name.is(part)));
    if carried && !in_key {
        let title = format!("nothing keeps a caller from another's `{}`", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("found by id alone")
                .also(owner.name.span, "whose it is")
                .also(table.key.span, "not in the key")
                .note(format!(
                    "`tenant {}` compares it with the caller in every read and write.",
                    owner.name
                )),
        );
    }
}
