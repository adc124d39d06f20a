//! # item-size-growth
//!
//! ## What it notices
//!
//! The declared maxima of an entity add up to more than an item may hold, an attribute that takes anything has no
//! maximum, or several parts of an item grow without one.
//!
//! ## Why it matters
//!
//! A write that makes an item larger than 400 KB is refused. It happens in production, with the largest
//! customer.
//!
//! ## Example
//!
//! ```sk
//! table Audit { key (accountId | entryId) }
//! entity Entry in Audit {
//!   accountId uuid
//!   entryId   ulid = new
//!   before?   any
//!   after?    any
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Audit { key (accountId | entryId) }
//! entity Entry in Audit {
//!   accountId uuid
//!   entryId   ulid = new
//!   changes   map(string(..200), max 50)
//! }
//! ```
//!
//! ## When to allow
//!
//! When large values are kept elsewhere by the application.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::size::{MAX_ITEM_BYTES, item_bound};
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4003",
    name: "item-size-growth",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("item_size_growth.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let (bounded, unbounded) = item_bound(cx.design, entity);
    if bounded > MAX_ITEM_BYTES {
        let title =
            format!("an item of `{}` can reach {} KB; the limit is 400 KB", entity.name, bounded / 1024);
        let largest = entity.attributes.iter().max_by_key(|attribute| weight(cx.design, attribute));
        let place = largest.map_or(entity.name.span, Attribute::type_place);
        cx.push(
            cx.at(place, title)
                .label("the largest part")
                .also(entity.name.span, "the entity")
                .note("Lower the maxima, split the item, or keep the payload in S3."),
        );
        return;
    }
    let open = entity
        .attributes
        .iter()
        .filter(|attribute| attribute.is_stored())
        .find(|attribute| takes_anything(cx.design, &attribute.ty, &mut Vec::new()));
    if let Some(attribute) = open {
        let title = format!("`{}` takes anything of any size", attribute.name);
        cx.push(
            cx.at(attribute.type_place(), title)
                .label("no maximum")
                .also(entity.name.span, "an item holds 400 KB")
                .note("Give it a maximum: `any(max 8 KB)`, `json(any(max 16 KB))`."),
        );
        return;
    }
    let growing: Vec<&Attribute> =
        unbounded.into_iter().filter(|each| is_collection(cx.design.type_of(each))).collect();
    let json = growing.iter().any(|each| matches!(cx.design.type_of(each), Type::Json { .. }));
    if let Some(first) = growing.first().filter(|_| json || growing.len() > 1) {
        let title = format!("nothing keeps an item of `{}` below 400 KB", entity.name);
        let mut diagnostic = cx.at(first.type_place(), title).label("no maximum");
        for other in growing.iter().skip(1) {
            diagnostic = diagnostic.also(other.type_place(), "nor has this");
        }
        cx.push(diagnostic.note("Give each a maximum, or make the elements items of their own."));
    }
}

fn is_collection(ty: &Type) -> bool {
    matches!(ty, Type::List { .. } | Type::Map { .. } | Type::Set { .. } | Type::Json { .. })
}

fn weight(design: &Design, attribute: &Attribute) -> u64 {
    match sortkey_design::size::largest(design, design.type_of(attribute)) {
        sortkey_design::size::Bound::Bytes(bytes) if attribute.is_stored() => bytes,
        _ => 0,
    }
}

/// How many records one attribute is followed into.
const MOST_RECORDS: usize = 32;

/// Records may contain records, and themselves: each is looked into once.
fn takes_anything<'a>(design: &'a Design, ty: &'a Type, seen: &mut Vec<&'a str>) -> bool {
    match ty {
        Type::Any { max: None } => true,
        Type::Json { of } | Type::Map { of, max: None } => takes_anything(design, of, seen),
        Type::Object { attributes } => attributes.iter().any(|inner| takes_anything(design, &inner.ty, seen)),
        Type::Record { name } if seen.len() < MOST_RECORDS && !seen.contains(&name.as_str()) => {
            seen.push(name);
            let record = design.record(name).into_iter();
            record.flat_map(|each| &each.attributes).any(|inner| takes_anything(design, &inner.ty, seen))
        }
        _ => false,
    }
}
