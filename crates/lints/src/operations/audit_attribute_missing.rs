//! # audit-attribute-missing
//!
//! ## What it notices
//!
//! An entity can be edited, or its status changed, and it does not keep when that was.
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
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6017",
    name: "audit-attribute-missing",
    theme: Theme::Operations,
    level: Severity::Hint,
    source: include_str!("audit_attribute_missing.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let stamped = entity.attributes.iter().any(|each| {
        let kept = each.value.as_ref().is_some_and(|fill| fill.derived && fill.value.is_name("now"));
        let named = matches!(
            each.name.text.to_lowercase().as_str(),
            "updatedat" | "updated_at" | "modifiedat" | "lastmodified" | "lastmodifiedat"
        );
        kept || named
    });
    if stamped {
        return;
    }
    let edited = cx.design.operations.iter().find_map(|operation| {
        let sites = actions(operation);
        let changes = |action: &&Action| {
            let edits = operation.short.is_some() || !action.fields.spreads.is_empty();
            // Changes by the system are in its logs; an audit is about changes by people.
            edits || !operation.system && moves(entity, action, cx.design)
        };
        let updates = sites.iter().map(|site| site.action).filter(|action| action.verb == WriteVerb::Update);
        updates.filter(|action| action.entity == entity.name).find(changes).map(|action| action.verb_span)
    });
    if let Some(place) = edited {
        let title = format!("`{}` does not keep when it was changed", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("no `updatedAt`")
                .also(place, "edited here")
                .note("`updatedAt time(iso) := now` is set by every write."),
        );
    }
}

/// Whether a status changes without a time beside it.
fn moves(entity: &Entity, action: &Action, design: &Design) -> bool {
    let fields = || action.fields.fields.iter();
    let of = |field: &Field| field.path.first().and_then(|name| entity.attribute(&name.text));
    let status = fields().any(|field| {
        let named = of(field).filter(|attribute| attribute.name.is("status"));
        named.is_some_and(|attribute| matches!(design.type_of(attribute), Type::Enum { .. }))
    });
    let stamped = fields().any(|field| field.value.is_name("now"));
    let entered = entity.states.iter().flat_map(|states| &states.enters);
    let mut set = entered.flat_map(|enter| &enter.fields.fields);
    status && !stamped && !set.any(|field| field.value.is_name("now"))
}
