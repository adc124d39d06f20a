//! # state-without-transition
//!
//! ## What it notices
//!
//! A status has no `states`, or a state that nothing reaches.
//!
//! ## Why it matters
//!
//! The legal moves are not declared, so every write makes up its own; a state without a way into it is dead
//! text.
//!
//! ## Example
//!
//! ```sk
//! table Members { key (teamId | userId) }
//! entity Member in Members {
//!   teamId uuid
//!   userId uuid
//!   status pending | active | suspended = pending
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Members { key (teamId | userId) }
//! entity Member in Members {
//!   teamId uuid
//!   userId uuid
//!   status pending | active | suspended = pending
//!   states status { pending -> active  active -> suspended  suspended -> active }
//! }
//! ```
//!
//! ## When to allow
//!
//! When the status mirrors that of another system.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6014",
    name: "state-without-transition",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("state_without_transition.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let declared = |attribute: &Attribute| {
        entity.states.iter().any(|states| states.path.first() == Some(&attribute.name))
    };
    let status = entity.attributes.iter().find(|each| {
        matches!(each.name.text.as_str(), "status" | "state")
            && each.value.as_ref().is_none_or(|fill| !fill.derived)
    });
    if let Some(status) = status.filter(|each| !declared(each))
        && let Type::Enum { members, .. } = cx.design.type_of(status)
        && members.len() > 1
    {
        let title = format!("nothing says how `{}` of `{}` may change", status.name, entity.name);
        cx.push(
            cx.at(status.name.span, title)
                .label("no `states`")
                .note("`states status { pending -> active ... }` turns each move into a condition."),
        );
    }
    for states in &entity.states {
        unreachable_states(entity, states, cx);
    }
}

fn unreachable_states(entity: &Entity, states: &States, cx: &mut Context<'_>) {
    let [name] = states.path.as_slice() else { return };
    let Some(attribute) = entity.attribute(&name.text) else {
        return;
    };
    let Type::Enum { members, .. } = cx.design.type_of(attribute) else {
        return;
    };
    let first = attribute.value.as_ref().and_then(|fill| fill.value.as_name());
    let reached = |member: &str| {
        first == Some(member) || states.transitions.iter().any(|each| each.to.iter().any(|to| to.is(member)))
    };
    let dead: Vec<&str> = members.iter().map(String::as_str).filter(|member| !reached(member)).collect();
    if !dead.is_empty() && first.is_some() {
        let title = format!("nothing reaches `{}`", dead.join("`, `"));
        cx.push(
            cx.at(states.span, title)
                .label("no transition leads there")
                .also(attribute.name.span, "the states"),
        );
    }
}
