//! # uniqueness-by-gsi
//!
//! ## What it notices
//!
//! Something is called unique, or looked up as if it were, and nothing but a global index is keyed by it.
//!
//! ## Why it matters
//!
//! An index refuses nothing: two items with the same value are both stored. Looking first and writing then
//! is a race, on an index that lags behind.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId)  index byMail (email) project keys }
//! entity User in Users {
//!   userId uuid = new
//!   email  email @normalize(lower) @personal
//! }
//! pattern userByMail = get User by email
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId)  index byMail (email) project keys }
//! entity User in Users {
//!   userId uuid = new
//!   email  email @normalize(lower) @personal
//!   unique email
//! }
//! pattern userByMail = get User by email
//! ```
//!
//! ## When to allow
//!
//! When two items with one value may exist, and the reader takes either.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_typed_by_people;
use sortkey_design::facts::{Condition, condition};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, Span};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7001",
    name: "uniqueness-by-gsi",
    theme: Theme::Protection,
    level: Severity::Error,
    source: include_str!("uniqueness_by_gsi.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    for unique in &entity.uniques {
        if let Some(via) = &unique.via {
            let title = format!("index `{via}` does not make `{}` unique", unique.names[0]);
            cx.push(cx.at(via.span, title).label("an index refuses nothing").note("Write `@unique` or a `unique` clause: a guard item in the same transaction refuses the second value."));
        }
    }
    for pattern in cx.readers(entity).collect::<Vec<_>>() {
        let Some(place) = expects_one(cx, entity, pattern) else {
            continue;
        };
        let names: Vec<&str> = sought(pattern).into_iter().collect();
        let guarded = entity
            .uniques
            .iter()
            .any(|unique| unique.names.iter().all(|name| names.contains(&name.text.as_str())));
        if guarded {
            continue;
        }
        let together = names.join("`, `");
        let title = format!("nothing keeps two items of `{}` from having one `{together}`", entity.name);
        let mut diagnostic = cx.at(place, title).label("one is expected");
        for name in &names {
            if let Some(attribute) = entity.attribute(name) {
                diagnostic = diagnostic.also(attribute.name.span, "not unique");
            }
        }
        cx.push(diagnostic.note(format!("Add `unique {}` to the entity.", names.join(", "))));
    }
}

/// The place where a pattern expects at most one result: a person by the e-mail address, a key by its hash, a tenant by
/// its name in an outside system.
fn expects_one(cx: &Context<'_>, entity: &Entity, pattern: &Pattern) -> Option<Span> {
    let design = cx.design;
    let filtered = || {
        pattern.filters().into_iter().find_map(|expr| match condition(expr) {
            Condition::Equal(name, _) => {
                entity.attribute(name).filter(|each| is_typed_by_people(design, each)).map(|_| expr.span)
            }
            _ => None,
        })
    };
    if pattern.is_list() && pattern.then.is_none() {
        return filtered();
    }
    let pinned = pattern.via.as_ref().and_then(|via| design.table_of(entity)?.index(&via.text));
    let indexed = cx.plan(pattern).is_some_and(|plan| plan.path.is_global_index(cx.program))
        || pinned.is_some_and(|it| !it.local);
    let first = pattern.binds.first().filter(|_| indexed)?;
    let attributes: Option<Vec<&Attribute>> =
        pattern.binds.iter().map(|bind| entity.attribute(&bind.name.text)).collect();
    let attributes = attributes?;
    let key = |each: &&Attribute| is_typed_by_people(design, each) || opens(each);
    // The lookup of a tenant determines whose data is seen, so it must be unique; ids of other entities match
    // many items.
    let resolves = pattern.then.as_ref().is_some_and(|then| {
        let tenant =
            design.caller.iter().filter_map(|each| each.reference.as_ref()).any(|to| to.entity == *then);
        tenant && attributes.iter().all(|each| each.reference.is_none() && !each.name.text.ends_with("Id"))
    });
    let one = pattern.verb == ReadVerb::Get && attributes.iter().any(key);
    (one || resolves).then_some(first.name.span)
}

/// Whether possession of the value opens something.
fn opens(attribute: &Attribute) -> bool {
    let lower = attribute.name.text.to_lowercase();
    attribute.reference.is_none() && ["hash", "token", "apikey"].iter().any(|sign| lower.ends_with(sign))
}

/// The attributes that a pattern looks for.
fn sought(pattern: &Pattern) -> Vec<&str> {
    let filtered = pattern.filters().into_iter().filter_map(|expr| match condition(expr) {
        Condition::Equal(name, _) => Some(name),
        _ => None,
    });
    pattern.binds.iter().map(|bind| bind.name.text.as_str()).chain(filtered).collect()
}
