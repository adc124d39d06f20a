//! # orphan-on-delete
//!
//! ## What it notices
//!
//! An operation deletes an item to which others refer, and nothing says what becomes of them.
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
use sortkey_design::facts::{ActionSite, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6016",
    name: "orphan-on-delete",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("orphan_on_delete.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let Some(parent) = cx.design.entity(&action.entity.text) else {
        return;
    };
    if !matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge) || site.each || action.condition.is_some()
    {
        return;
    }
    let deleted_too: Vec<&Name> = sortkey_design::facts::actions(operation)
        .iter()
        .filter(|other| matches!(other.action.verb, WriteVerb::Delete | WriteVerb::Purge))
        .map(|other| &other.action.entity)
        .collect();
    let keys = key_attributes(cx.design, parent);
    for child in cx
        .design
        .entities
        .iter()
        .filter(|child| child.name != parent.name && !deleted_too.contains(&&child.name))
    {
        let expires = cx.design.table_of(child).is_some_and(|table| table.ttl.is_some());
        let orphaned = child.attributes.iter().find(|each| {
            each.reference.as_ref().is_some_and(|reference| {
                let target = reference.attribute.as_ref().unwrap_or(&each.name);
                reference.entity == parent.name
                    && reference.on_delete.is_none()
                    && keys.contains(&target.text.as_str())
            }) && !each.optional
        });
        if let Some(attribute) = orphaned
            && !expires
            && !cascades(cx.design, child, parent, 8)
        {
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
}

/// Whether the child goes with something that goes with the parent.
fn cascades(design: &Design, child: &Entity, parent: &Entity, depth: usize) -> bool {
    depth > 0
        && child.attributes.iter().filter_map(|each| each.reference.as_ref()).any(|reference| {
            reference.on_delete == Some(OnDelete::Cascade)
                && (reference.entity == parent.name
                    || design
                        .entity(&reference.entity.text)
                        .is_some_and(|next| cascades(design, next, parent, depth - 1)))
        })
}
