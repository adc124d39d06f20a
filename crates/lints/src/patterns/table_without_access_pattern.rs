//! # table-without-access-pattern
//!
//! ## What it notices
//!
//! An entity is read by no pattern, is changed but only ever listed, or is written by no operation of a
//! design that has operations.
//!
//! ## Why it matters
//!
//! Keys can only be judged against the questions asked. For an entity that is never read or written, either
//! the design lacks a pattern or operation, or the entity is not needed.
//!
//! ## Example
//!
//! ```sk
//! table Teams { key (accountId | teamId) }
//! table Users { key (userId) }
//! entity Team in Teams {
//!   accountId uuid
//!   teamId    uuid = new
//! }
//! entity User in Users { userId uuid = new }
//! pattern user = get User by userId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Teams { key (accountId | teamId) }
//! table Users { key (userId) }
//! entity Team in Teams {
//!   accountId uuid
//!   teamId    uuid = new
//! }
//! entity User in Users { userId uuid = new }
//! pattern user  = get User by userId
//! pattern teams = list Team by accountId page 50
//! ```
//!
//! ## When to allow
//!
//! When another system reads or writes it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3016",
    name: "table-without-access-pattern",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("table_without_access_pattern.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let sites =
        || cx.design.operations.iter().flat_map(actions).filter(|site| site.action.entity == entity.name);
    let got = sites().any(|site| site.action.verb == WriteVerb::Get || site.bound.is_some());
    let read = cx.readers(entity).next().is_some() || got;
    let written = sites().any(|site| site.action.verb.writes());
    if !read && !cx.design.patterns.is_empty() {
        let title = format!("no pattern reads `{}`", entity.name);
        cx.push(cx.at(entity.name.span, title).label("how is it found?"));
    }
    let alone = cx.readers(entity).any(|pattern| pattern.verb == ReadVerb::Get)
        || sites().any(|site| site.action.verb == WriteVerb::Get);
    if read && !alone && sites().any(|site| site.action.verb == WriteVerb::Update) {
        let title = format!("`{}` is changed, but no pattern gets one of them", entity.name);
        let lists =
            |pattern: &Pattern| matches!(pattern.verb, ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan);
        let label = if cx.readers(entity).any(lists) { "only listed" } else { "how is one of them read?" };
        cx.push(cx.at(entity.name.span, title).label(label));
    }
    if !written && !cx.design.operations.is_empty() {
        let title = format!("no operation writes `{}`", entity.name);
        cx.push(cx.at(entity.name.span, title).label("how does it come into being?"));
    }
}
