//! # ttl-attribute-not-number
//!
//! ## What it notices
//!
//! The TTL attribute of a table is not a number of seconds.
//!
//! ## Why it matters
//!
//! TTL looks at Numbers and takes them for seconds since 1970. Text is ignored, so items never expire;
//! milliseconds mean a date fifty thousand years away.
//!
//! ## Example
//!
//! ```sk
//! table Tokens { key (token)  ttl expiresAt }
//! entity Session in Tokens {
//!   token     uuid = new
//!   expiresAt time(iso) = now + 30d
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Tokens { key (token)  ttl expiresAt }
//! entity Session in Tokens {
//!   token     uuid = new
//!   expiresAt time(s) = now + 30d
//! }
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5001",
    name: "ttl-attribute-not-number",
    theme: Theme::Time,
    level: Severity::Error,
    source: include_str!("ttl_attribute_not_number.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let Some(ttl) = &table.ttl else { return };
    for entity in cx.design.entities_in(table) {
        let Some(attribute) = entity.attribute(&ttl.text) else {
            continue;
        };
        let wrong = match cx.design.type_of(attribute) {
            Type::Time { unit: TimeUnit::Seconds } | Type::Int { .. } | Type::Undeclared => continue,
            Type::Time { unit: TimeUnit::Milliseconds } => "milliseconds: a date in the far future",
            ty if ty.stored() == Stored::N => continue,
            _ => "not a number: TTL ignores it",
        };
        let title = format!("items of `{}` never expire", entity.name);
        let mut diagnostic =
            cx.at(attribute.type_place(), title).label(wrong).also(ttl.span, "the TTL attribute");
        if let Some(span) = attribute.ty_span {
            diagnostic = diagnostic.fix(Fix::new("store seconds", span, "time(s)").automatic());
        }
        cx.push(diagnostic);
    }
}
