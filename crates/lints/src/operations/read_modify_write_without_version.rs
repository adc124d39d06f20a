//! # read-modify-write-without-version
//!
//! ## What it notices
//!
//! An operation reads an item, and writes the whole of it back without a condition.
//!
//! ## Why it matters
//!
//! Two callers read the same item; the second write undoes the first.
//!
//! ## Example
//!
//! ```sk
//! table Teams { key (teamId) }
//! entity Team in Teams {
//!   teamId uuid = new
//!   name   string(..120)
//! }
//! operation rename(teamId, name) {
//!   let old = get Team(teamId) else NotFound
//!   put Team { ...old, name }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Teams { key (teamId) }
//! entity Team in Teams {
//!   teamId uuid = new
//!   name   string(..120)
//! }
//! operation rename(teamId, name) { update Team(teamId) { name } }
//! ```
//!
//! ## When to allow
//!
//! When there is only one writer.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{ActionSite, Bound};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6004",
    name: "read-modify-write-without-version",
    theme: Theme::Operations,
    level: Severity::Error,
    source: include_str!("read_modify_write_without_version.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(_operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let versioned = cx
        .design
        .entity(&action.entity.text)
        .is_some_and(|entity| entity.attributes.iter().any(|each| each.has("version")));
    let copied = action.fields.spreads.iter().find(|spread| {
        site.lets.iter().any(|(name, value)| name.is(&spread.text) && matches!(value, Bound::Value(Value::Action(read)) if read.verb == WriteVerb::Get && read.entity == action.entity))
    });
    if let (WriteVerb::Put, Some(copied), None, false) = (action.verb, copied, &action.condition, versioned) {
        let title = format!("a change made since `{copied}` was read is lost");
        cx.push(cx.at(copied.span, title).label("the whole item as it was").note(
            "`update` changes only what is named; `@version` makes the write conditional on what was read.",
        ));
    }
}
