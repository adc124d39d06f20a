//! # nested-update-missing-parent
//!
//! ## What it notices
//!
//! An update writes into a map or object that may be absent.
//!
//! ## Why it matters
//!
//! "The document path provided in the update expression is invalid for update": DynamoDB does not create the
//! parent.
//!
//! ## Example
//!
//! ```sk
//! table Teams { key (teamId) }
//! entity Team in Teams {
//!   teamId   uuid = new
//!   members? map(string(..20), max 200)
//! }
//! operation add(teamId, userId: uuid, role: string) { update Team(teamId) { members[userId]: role } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Teams { key (teamId) }
//! entity Team in Teams {
//!   teamId  uuid = new
//!   members map(string(..20), max 200) = {}
//! }
//! operation add(teamId, userId: uuid, role: string) { update Team(teamId) { members[userId]: role } }
//! ```
//!
//! ## When to allow
//!
//! When the parent is surely there in this state.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::ActionSite;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6005",
    name: "nested-update-missing-parent",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("nested_update_missing_parent.rs"),
    inspect: Inspect::Action(inspect),
};

fn inspect(_operation: &Operation, site: &ActionSite<'_>, cx: &mut Context<'_>) {
    let action = site.action;
    let Some(entity) = cx.design.entity(&action.entity.text).filter(|_| action.verb == WriteVerb::Update)
    else {
        return;
    };
    for field in action.fields.fields.iter().filter(|field| field.path.len() > 1 || field.index.is_some()) {
        let Some(parent) = field.path.first().and_then(|name| entity.attribute(&name.text)) else {
            continue;
        };
        if parent.may_be_absent() {
            let title = format!("`{}` may be absent, and then this update fails", parent.name);
            cx.push(
                cx.at(field.span, title)
                    .label("writes into it")
                    .also(parent.name.span, "optional")
                    .note("Give it a default (`= {}`) so that it is always there."),
            );
        }
    }
}
