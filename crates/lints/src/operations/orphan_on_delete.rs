//! # orphan-on-delete
//!
//! ## What it notices
//!
//! An operation deletes an item to which others refer, or a status means that it is gone for good, and the design does
//! not declare what becomes of them.
//!
//! ## Why it matters
//!
//! The children stay: they are listed, billed and worked on without a parent.
//!
//! ## Example
//!
//! ```sk
//! table Sources     { key (sourceId) }
//! table Connections { key (sourceId | connectionId) }
//! entity Source in Sources { sourceId uuid = new }
//! entity Connection in Connections {
//!   sourceId     -> Source
//!   connectionId uuid = new
//! }
//! operation deleteSource = delete Source
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources     { key (sourceId) }
//! table Connections { key (sourceId | connectionId) }
//! entity Source in Sources { sourceId uuid = new }
//! entity Connection in Connections {
//!   sourceId     -> Source on delete cascade
//!   connectionId uuid = new
//! }
//! operation deleteSource = delete Source
//! ```
//!
//! ## When to allow
//!
//! Write `on delete keep` if they are meant to stay.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{ActionSite, actions, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6016",
    name: "orphan-on-delete",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("orphan_on_delete.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    for operation in &design.operations {
        for site in actions(operation) {
            deleted(operation, &site, cx);
        }
    }
    design.entities.iter().for_each(|entity| given_up(entity, cx));
}

fn deleted(operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let Some(parent) = cx.design.entity(&action.entity.text) else {
        return;
    };
    if !matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge) || site.each || action.condition.is_some()
    {
        return;
    }
    let deleted_too: Vec<&Name> = actions(operation)
        .iter()
        .filter(|other| matches!(other.action.verb, WriteVerb::Delete | WriteVerb::Purge))
        .map(|other| &other.action.entity)
        .collect();
    for (child, attribute) in children(cx.design, parent) {
        if deleted_too.contains(&&child.name) {
            continue;
        }
        let title = format!("`{}` leaves `{}` behind", operation.name, child.name);
        cx.push(
            cx.at(action.span, title)
                .label("deletes the parent")
                .also(
                    attribute.reference.as_ref().map_or(attribute.span, |each| each.span),
                    "what becomes of these?",
                )
                .note("Write `on delete cascade` or `on delete keep` at the reference."),
        );
    }
}

/// A status that an item does not come back from is a deletion without a delete.
fn given_up(parent: &Entity, cx: &mut Context<'_>) {
    const GONE: [&str; 6] = ["terminated", "deleted", "removed", "closed", "archived", "cancelled"];
    let last = |attribute: &Attribute| match cx.design.type_of(attribute) {
        Type::Enum { members, .. } => members.iter().find(|word| GONE.contains(&word.as_str())).cloned(),
        _ => None,
    };
    let status = parent.attributes.iter().find_map(|attribute| Some((attribute, last(attribute)?)));
    let Some((attribute, word)) = status.filter(|_| parent.deleted.is_none()) else {
        return;
    };
    let orphans = children(cx.design, parent);
    let Some((child, reference)) = orphans.first() else {
        return;
    };
    let title = format!("{} `{}` leaves its `{}` at work", a(&word), parent.name, child.name);
    cx.push(
        cx.at(attribute.name.span, title)
            .label(format!("`{word}`, and what hangs on it goes on"))
            .also(reference.span, "what becomes of these?")
            .note(format!(
                "Say `deleted when {} = {word}`, and `on delete cascade` or `on delete keep` at the references.",
                attribute.name
            )),
    );
}

/// Those that refer to an entity by its key, with no word about what becomes of them when it goes.
fn children<'a>(design: &'a Design, parent: &Entity) -> Vec<(&'a Entity, &'a Attribute)> {
    let keys = key_attributes(design, parent);
    let orphaned = |each: &&Attribute| {
        let left = each.reference.as_ref().is_some_and(|reference| {
            let target = reference.attribute.as_ref().unwrap_or(&each.name);
            reference.entity == parent.name
                && reference.on_delete.is_none()
                && keys.contains(&target.text.as_str())
        });
        left && !each.optional
    };
    let expires = |child: &Entity| design.table_of(child).is_some_and(|table| table.ttl.is_some());
    let others = design.entities.iter().filter(|child| child.name != parent.name);
    others
        .filter_map(|child| Some((child, child.attributes.iter().find(orphaned)?)))
        .filter(|(child, _)| !expires(child) && !cascades(design, child, parent))
        .collect()
}

/// Whether the child goes with something that goes with the parent.
fn cascades(design: &Design, child: &Entity, parent: &Entity) -> bool {
    let (mut seen, mut open) = (vec![&child.name], vec![child]);
    while let Some(entity) = open.pop() {
        let references = entity.attributes.iter().filter_map(|each| each.reference.as_ref());
        for reference in references.filter(|each| each.on_delete == Some(OnDelete::Cascade)) {
            if reference.entity == parent.name {
                return true;
            }
            let next = design.entity(&reference.entity.text);
            if let Some(next) = next.filter(|next| !seen.contains(&&next.name)) {
                seen.push(&next.name);
                open.push(next);
            }
        }
    }
    false
}
