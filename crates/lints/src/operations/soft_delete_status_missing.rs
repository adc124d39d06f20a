//! # soft-delete-status-missing
//!
//! ## What it notices
//!
//! A status has the word `deleted`, and the design does not declare that such items are gone; or deletion by status is
//! promised of an entity that has no such status.
//!
//! ## Why it matters
//!
//! Lists and lookups go on returning deleted items; a deleted source goes on receiving.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId uuid = new
//!   status   active | deleted = active
//!   states status { active -> deleted }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId uuid = new
//!   status   active | deleted = active
//!   deleted when status = deleted
//!   states status { active -> deleted }
//! }
//! ```
//!
//! ## When to allow
//!
//! When readers are meant to see deleted items.

use crate::claims::facts::{Kind, Outcome, evaluate};
use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6015",
    name: "soft-delete-status-missing",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("soft_delete_status_missing.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    design.entities.iter().for_each(|entity| returned(entity, cx));
    for claim in &design.claims {
        if let Outcome::False { found, kind: Kind::SoftDelete } = evaluate(cx, &claim.fact) {
            let title = format!("\"{}\", but no status means deleted", claim.sentence);
            cx.push(
                cx.at(claim.fact.span, title)
                    .label(found)
                    .note("Give the status a word for it, and say `deleted when status = deleted`."),
            );
        }
    }
}

fn returned(entity: &Entity, cx: &mut Context<'_>) {
    let marked = entity.attributes.iter().find(|each| matches!(cx.design.type_of(each), Type::Enum { members, .. } if members.iter().any(|member| member == "deleted")));
    if let Some(attribute) = marked
        && entity.deleted.is_none()
    {
        let title = format!("a deleted `{}` is still returned by every read", entity.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("has the word `deleted`")
                .also(entity.name.span, "no `deleted when`")
                .note(format!(
                    "Add `deleted when {} = deleted`: reads and conditions then treat such items as absent.",
                    attribute.name
                )),
        );
    }
}
