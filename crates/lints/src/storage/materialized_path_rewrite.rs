//! # materialized-path-rewrite
//!
//! ## What it notices
//!
//! A path of names is stored in an entity that refers to its own parent.
//!
//! ## Why it matters
//!
//! Renaming or moving a node rewrites the path of everything below it, more items than a transaction takes;
//! two nodes of one name collide.
//!
//! ## Example
//!
//! ```sk
//! table Accounts { key (accountId) }
//! entity Account in Accounts {
//!   accountId   uuid = new
//!   parentId?   -> Account.accountId
//!   accountPath string(..900)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Accounts { key (accountId) }
//! entity Account in Accounts {
//!   accountId   uuid = new
//!   parentId?   -> Account.accountId
//!   accountPath string(..900) = coalesce(parentId->accountPath, "/") + accountId + "/"
//! }
//! ```
//!
//! ## When to allow
//!
//! When nodes are never moved or renamed.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4014",
    name: "materialized-path-rewrite",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("materialized_path_rewrite.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let path = attribute.name.text.ends_with("Path") || attribute.name.text == "path";
    let tree = entity
        .attributes
        .iter()
        .any(|each| each.reference.as_ref().is_some_and(|reference| reference.entity == entity.name));
    if path && tree && attribute.value.is_none() && matches!(attribute.ty, Type::String { .. }) {
        let title =
            format!("moving or renaming {} rewrites every path below it", a_quoted(&entity.name.text));
        cx.push(
            cx.at(attribute.name.span, title)
                .label("made of names?")
                .note("Build the path from ids, which never change, and move a subtree in resumable steps."),
        );
    }
}
