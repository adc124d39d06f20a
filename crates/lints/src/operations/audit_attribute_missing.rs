//! # audit-attribute-missing
//!
//! ## What it notices
//!
//! An entity can be edited, and does not keep when it was last changed.
//!
//! ## Why it matters
//!
//! "Who changed this, and when?" is asked about every entity that people edit.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId uuid = new
//!   name     string(..120)
//! }
//! operation updateSource = update Source [name]
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId  uuid = new
//!   name      string(..120)
//!   updatedAt time(iso) := now
//! }
//! operation updateSource = update Source [name]
//! ```
//!
//! ## When to allow
//!
//! When a stream keeps the history.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::ActionSite;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6017",
    name: "audit-attribute-missing",
    theme: Theme::Operations,
    level: Severity::Hint,
    source: include_str!("audit_attribute_missing.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let edits =
        action.verb == WriteVerb::Update && (operation.short.is_some() || !action.fields.spreads.is_empty());
    let Some(entity) = cx.design.entity(&action.entity.text).filter(|_| edits) else {
        return;
    };
    let stamped = entity.attributes.iter().any(|each| {
        matches!(
            each.name.text.to_lowercase().as_str(),
            "updatedat" | "updated_at" | "modifiedat" | "lastmodified" | "lastmodifiedat"
        )
    });
    if !stamped {
        let title = format!("`{}` does not keep when it was changed", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("no `updatedAt`")
                .also(action.verb_span, "edited here")
                .note("`updatedAt time(iso) := now` is set by every write."),
        );
    }
}
