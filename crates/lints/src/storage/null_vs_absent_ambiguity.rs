//! # null-vs-absent-ambiguity
//!
//! ## What it notices
//!
//! An attribute may be stored as NULL.
//!
//! ## Why it matters
//!
//! `attribute_not_exists(a)` is false for NULL, so a condition such as "not yet used" never holds, or
//! always. Absent and NULL are two states where one is meant.
//!
//! ## Example
//!
//! ```sk
//! table Invites { key (code) }
//! entity Invite in Invites {
//!   code    token("", 26) = new
//!   usedAt? time(iso) @null
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Invites { key (code) }
//! entity Invite in Invites {
//!   code    token("", 26) = new
//!   usedAt? time(iso)
//! }
//! ```
//!
//! ## When to allow
//!
//! When readers outside the design need the NULL.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4007",
    name: "null-vs-absent-ambiguity",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("null_vs_absent_ambiguity.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Some(null) = attribute.annotation("null") else {
        return;
    };
    let key = cx.design.table_of(entity).is_some_and(|table| {
        table.key.contains(&attribute.name.text)
            || table.indexes.iter().any(|index| index.key.contains(&attribute.name.text))
    });
    if !key {
        let title = format!("`{}` can be absent and can be NULL", attribute.name);
        cx.push(
            cx.at(null.span, title)
                .label("conditions see a difference")
                .note("Leave it out until it has a value.")
                .fix(Fix::new("let it be absent", null.span, "").automatic()),
        );
    }
}
