//! # entity-unreachable
//!
//! ## What it notices
//!
//! An entity is read by no pattern, used by no operation, and referred to by nobody.
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
use sortkey_design::facts::actions;
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
