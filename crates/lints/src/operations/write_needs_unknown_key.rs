//! # write-needs-unknown-key
//!
//! ## What it notices
//!
//! The parameters of an operation do not determine the primary key of the item it writes, checks or gets.
//!
//! ## Why it matters
//!
//! Every request on one item names the whole key. With a part of it the item cannot be reached; reading the rest from an
//! index first costs a request and may find yesterday's answer.
//!
//! ## Example
//!
//! ```sk
//! table Main { key (PK | SK) }
//! entity Connection in Main {
//!   PK = "SRC#{sourceId}"  SK = "CONN#{connectionId}"
//!   sourceId     uuid
//!   connectionId uuid = new
//!   name         string(..120)
//! }
//! operation rename(connectionId, name) { update Connection(connectionId) { name } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Main { key (PK | SK) }
//! entity Connection in Main {
//!   PK = "SRC#{sourceId}"  SK = "CONN#{connectionId}"
//!   sourceId     uuid
//!   connectionId uuid = new
//!   name         string(..120)
//! }
//! operation rename(sourceId, connectionId, name) { update Connection(sourceId, connectionId) { name } }
//! ```
//!
//! ## When to allow
//!
//! Never: there is no such request.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{ActionSite, settles, source, unknown_key};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6001",
    name: "write-needs-unknown-key",
    theme: Theme::Operations,
    level: Severity::Error,
    source: include_str!("write_needs_unknown_key.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let design = cx.design;
    let missing = unknown_key(design, operation, &site.lets, action);
    let (Some(entity), false) = (design.entity(&action.entity.text), missing.is_empty()) else {
        return;
    };
    let Some(table) = design.table_of(entity) else {
        return;
    };
    let known: Vec<&str> = operation.params.iter().map(|param| param.name.text.as_str()).collect();
    let index = table.indexes.iter().find(|index| {
        let slots = index.key.partition.iter().filter_map(|name| source(entity, &name.text));
        let slots: Vec<&str> = slots.flat_map(sortkey_design::facts::Source::slots).collect();
        !slots.is_empty() && slots.iter().all(|slot| settles(entity, &known, slot))
    });
    let place = action.key.as_ref().map_or(action.span, |key| key.span);
    let title = format!("`{}` does not know the key of `{}`", operation.name, entity.name);
    let way_out = match index {
        Some(index) => format!(
            "`{}` would give the rest, one request more and eventually consistent; better pass `{}`.",
            index.name,
            missing.join("`, `")
        ),
        None => format!("No index gives it either: pass `{}`.", missing.join("`, `")),
    };
    cx.push(
        cx.at(place, title)
            .label(format!("`{}` is missing", missing.join("`, `")))
            .also(table.key.span, "the key")
            .note(way_out),
    );
}
