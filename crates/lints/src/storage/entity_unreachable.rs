//! # entity-unreachable
//!
//! ## What it notices
//!
//! An entity is read by no pattern, used by no operation and referred to by no other entity; or it is isolated: no
//! other entity of a larger design has its id, and it has the id of none.
//!
//! ## Why it matters
//!
//! Nothing leads to it: it is a leftover, or its use is missing from the design.
//!
//! ## Example
//!
//! ```sk
//! table Users  { key (userId) }
//! table Badges { key (badgeId) }
//! entity User in Users { userId uuid = new }
//! entity Badge in Badges { badgeId uuid = new }
//! pattern user = get User by userId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users { userId uuid = new }
//! pattern user = get User by userId
//! ```
//!
//! ## When to allow
//!
//! When another system owns it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{actions, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4018",
    name: "entity-unreachable",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("entity_unreachable.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let referred = cx.design.entities.iter().flat_map(|each| &each.attributes).any(|attribute| {
        attribute.reference.as_ref().is_some_and(|reference| reference.entity == entity.name)
    });
    let used = cx.design.operations.iter().flat_map(actions).any(|site| site.action.entity == entity.name);
    if alone(cx.design, entity) {
        let title = format!("nothing refers to `{}`, and it refers to nothing", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("stands alone")
                .note("Something that is looked up by its id has the id from somewhere: add the reference."),
        );
        return;
    }
    if !cx.design.patterns.is_empty()
        && !referred
        && !used
        && cx.readers(entity).next().is_none()
        && cx.design.entities.len() < 6
    {
        let title = format!("nothing leads to `{}`", entity.name);
        cx.push(cx.at(entity.name.span, title).label("no pattern, no operation, no reference"));
    }
}

/// Whether an entity of a design with some others has no id of theirs, and they have none of its own.
fn alone(design: &Design, entity: &Entity) -> bool {
    let linked = |a: &Entity, b: &Entity| {
        let keys = key_attributes(design, b);
        a.attributes.iter().any(|each| {
            each.name.text.split('#').any(|part| keys.contains(&part))
                || each.reference.as_ref().is_some_and(|to| to.entity == b.name)
        })
    };
    let mut others = design.entities.iter().filter(|other| other.name != entity.name);
    let carried = design.caller.iter().filter_map(|each| each.reference.as_ref());
    design.entities.len() >= 6
        && !others.any(|other| linked(entity, other) || linked(other, entity))
        && !carried.into_iter().any(|to| to.entity == entity.name)
}
