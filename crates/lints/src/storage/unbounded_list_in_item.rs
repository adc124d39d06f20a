//! # unbounded-list-in-item
//!
//! ## What it notices
//!
//! A list, map or set inside an item has no maximum.
//!
//! ## Why it matters
//!
//! An item holds 400 KB. Each append rewrites and bills the whole item, two writers of one list lose one of
//! the changes, and one day the write fails.
//!
//! ## Example
//!
//! ```sk
//! table Tags { key (tagId) }
//! entity Tag in Tags {
//!   tagId     uuid = new
//!   resources set(string(..64))
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Tags  { key (tagId) }
//! table Links { key (tagId | resourceId) }
//! entity Tag in Tags { tagId uuid = new }
//! entity Link in Links {
//!   tagId      uuid
//!   resourceId string(..64)
//! }
//! ```
//!
//! ## When to allow
//!
//! Give a maximum instead.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4002",
    name: "unbounded-list-in-item",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("unbounded_list_in_item.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    look(&attribute.ty, attribute, &mut Vec::new(), cx);
}

/// Records may contain records, and themselves: each is looked into once.
fn look<'a, 'd: 'a>(ty: &'a Type, attribute: &'a Attribute, seen: &mut Vec<&'a str>, cx: &mut Context<'d>) {
    match ty {
        // A map of anything is a form without fields, not a collection; `item-size-growth` covers its size.
        Type::Map { of, max: None } if matches!(**of, Type::Any { .. }) => {}
        Type::List { max: None, .. } | Type::Map { max: None, .. } | Type::Set { max: None, .. }
            if attribute.is_stored() =>
        {
            let title = format!("`{}` can grow until the item is too large", attribute.name);
            cx.push(
                cx.at(attribute.type_place(), title)
                    .label("no maximum")
                    .note("Write `max n`, or make each element an item of its own."),
            );
        }
        // JSON text is stored in the item as well.
        Type::List { of, .. } | Type::Map { of, .. } | Type::Set { of, .. } | Type::Json { of } => {
            look(of, attribute, seen, cx);
        }
        Type::Object { attributes } => attributes.iter().for_each(|inner| look(&inner.ty, inner, seen, cx)),
        Type::Record { name } if seen.len() < MOST_RECORDS && !seen.contains(&name.as_str()) => {
            seen.push(name);
            let record = cx.design.record(name).into_iter();
            record.flat_map(|each| &each.attributes).for_each(|inner| look(&inner.ty, inner, seen, cx));
        }
        _ => {}
    }
}

/// How many records one attribute is followed into.
const MOST_RECORDS: usize = 32;
