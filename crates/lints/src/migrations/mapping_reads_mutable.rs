//! # mapping-reads-mutable
//!
//! ## What it notices
//!
//! A mapping takes a value from another old item, and that value can change.
//!
//! ## Why it matters
//!
//! Every write of an old item writes its new item as well. If the value of another item changes, nobody writes the items that took it
//! over: they keep the old one.
//!
//! ## Example
//!
//! ```sk
//! table Members "members-v2" { key (memberId) }
//! entity Member in Members { memberId uuid = new  clubId uuid  title string(..40) }
//! pattern member = get Member by memberId
//! migrate "before.sk" { Member from Member { title: clubId->title } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Members "members-v2" { key (memberId) }
//! entity Member in Members { memberId uuid = new  clubId uuid  founder uuid }
//! pattern member = get Member by memberId
//! migrate "before.sk" { Member from Member { founder: clubId->founder } }
//! ```
//!
//! ## When to allow
//!
//! Never: mark the attribute `@immutable` in the old design if no operation changes it, or leave the value out of the new item.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::key_attributes;
use sortkey_design::model::{Attribute, Design, Entity, Migration};
use sortkey_design::program::{ExprKind, Id as _};
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9010",
    name: "mapping-reads-mutable",
    theme: Theme::Migrations,
    level: Severity::Error,
    source: include_str!("mapping_reads_mutable.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = migration.old.as_deref() else { return };
    let at = cx.design.migrations.iter().position(|each| std::ptr::eq(each, migration));
    let Some(compiled) = at.and_then(|at| cx.program.migrations.get(at)) else { return };
    let mut found = Vec::new();
    for mapping in &compiled.mappings {
        for value in mapping.fields.iter().map(|(_, value)| value).chain(&mapping.condition) {
            value.walk(&mut |each| {
                if let ExprKind::Arrow { to, attribute, .. } = &each.kind
                    && let Some(entity) = old.entities.get(to.entity.at())
                    && let Some(read) = entity.attributes.get(attribute.at())
                    && is_mutable(old, entity, read)
                {
                    found.push((each.span, format!("{}.{}", entity.name, read.name)));
                }
            });
        }
    }
    for (span, name) in found {
        let title = format!("the mapping reads `{name}`, which can change");
        cx.push(
            cx.at(span, title)
                .label("items that took it over would keep the old value")
                .note("Mark it `@immutable` in the old design if nothing changes it."),
        );
    }
}

fn is_mutable(old: &Design, entity: &Entity, attribute: &Attribute) -> bool {
    !attribute.has("immutable") && !key_attributes(old, entity).contains(&attribute.name.text.as_str())
}
