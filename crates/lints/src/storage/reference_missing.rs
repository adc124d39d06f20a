//! # reference-missing
//!
//! ## What it notices
//!
//! An entity describes another one without referring to it: its type but not which one, plans that no account is on, a
//! conversation without its user.
//!
//! ## Why it matters
//!
//! A source with a `connectionType` and no `connectionId` has a connection that nobody can find.
//!
//! ## Example
//!
//! ```sk
//! table Sources     { key (sourceId) }
//! table Connections { key (connectionId) }
//! entity Source in Sources {
//!   sourceId       uuid = new
//!   connectionType oauth | apikey
//! }
//! entity Connection in Connections { connectionId uuid = new }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources     { key (sourceId) }
//! table Connections { key (connectionId) }
//! entity Source in Sources {
//!   sourceId       uuid = new
//!   connectionId   -> Connection
//!   connectionType oauth | apikey
//! }
//! entity Connection in Connections { connectionId uuid = new }
//! ```
//!
//! ## When to allow
//!
//! When the two only share a word.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::key_attributes;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4015",
    name: "reference-missing",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("reference_missing.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    plan(entity, cx);
    speaker(entity, cx);
    for other in cx.design.entities.iter().filter(|other| other.name != entity.name) {
        let stem = lower_first(&other.name.text);
        let described = entity.attribute(&format!("{stem}Type"));
        let own = lower_first(&entity.name.text);
        let linked = entity.attribute(&format!("{stem}Id")).is_some()
            || other.attribute(&format!("{own}Id")).is_some();
        if let Some(attribute) = described
            && !linked
        {
            let title = format!("`{}` does not say which `{}` it has", entity.name, other.name);
            cx.push(
                cx.at(attribute.name.span, title)
                    .label("its type, but not which one")
                    .also(other.name.span, "the other entity")
                    .note(format!("Add `{stem}Id -> {}`.", other.name)),
            );
        }
    }
}

/// A plan determines what a customer pays for, so some entity must refer to the plan.
fn plan(entity: &Entity, cx: &mut Context<'_>) {
    let carried = |each: &Attribute| each.reference.as_ref().is_some_and(|to| to.entity == entity.name);
    if !cx.design.caller.iter().any(carried) {
        return;
    }
    let is_plan =
        |other: &&Entity| ["Plan", "Tier", "Package"].iter().any(|word| other.name.text.ends_with(word));
    for plan in cx.design.entities.iter().filter(is_plan) {
        let keys = key_attributes(cx.design, plan);
        let named = |each: &Attribute| {
            keys.contains(&each.name.text.as_str())
                || each.reference.as_ref().is_some_and(|to| to.entity == plan.name)
        };
        let mut others = cx.design.entities.iter().filter(|other| other.name != plan.name);
        if others.any(|other| other.attributes.iter().any(named)) {
            continue;
        }
        let title = format!("`{}` does not say which `{}` it is on", entity.name, plan.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("no plan")
                .also(plan.name.span, "nobody is on it")
                .note(format!("Add `{} -> {}`.", keys.first().copied().unwrap_or("planId"), plan.name)),
        );
    }
}

/// A conversation is somebody's.
fn speaker(entity: &Entity, cx: &mut Context<'_>) {
    let talk = ["Conversation", "Chat", "Thread"].iter().any(|word| entity.name.text.ends_with(word));
    let Some(user) = cx.design.entity("User").filter(|_| talk) else {
        return;
    };
    let of_user = |each: &Attribute| {
        let plain = each.name.text.to_lowercase().replace('_', "");
        plain.contains("user") || each.reference.as_ref().is_some_and(|to| to.entity == user.name)
    };
    if !entity.attributes.iter().any(of_user) {
        let title = format!("`{}` does not say whose words it holds", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("no user")
                .also(user.name.span, "the other entity")
                .note("Refer to the user, if only where there is one: `user_id? -> User`."),
        );
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
