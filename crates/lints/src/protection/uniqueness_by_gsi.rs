//! # uniqueness-by-gsi
//!
//! ## What it notices
//!
//! Something is called unique, or looked up as if it were, and only a global index knows about it.
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
use sortkey_design::model::*;
use sortkey_design::plan::read;
use sortkey_diagnostics::Severity;

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
        let [bind] = pattern.binds.as_slice() else {
            continue;
        };
        let Some(attribute) = entity.attribute(&bind.name.text) else {
            continue;
        };
        let guarded =
            entity.uniques.iter().any(|unique| unique.single().is_some_and(|name| *name == bind.name));
        let indexed = read(cx.design, pattern)
            .and_then(|choice| choice.plan)
            .is_some_and(|plan| plan.path.is_global_index());
        if pattern.verb == ReadVerb::Get && indexed && !guarded && is_typed_by_people(cx.design, attribute) {
            let title =
                format!("nothing keeps two items of `{}` from having one `{}`", entity.name, bind.name);
            cx.push(
                cx.at(bind.name.span, title)
                    .label("`get` expects one")
                    .also(attribute.name.span, "not unique")
                    .note(format!("Add `unique {}` to the entity.", bind.name)),
            );
        }
    }
}
